"""Advertisers (docs/api/advertisers.md#get-adminadvertiserid)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from trackyard.domain.people.account_statuses import AccountStatusRule
from trackyard.domain.people.advertiser_fields import PlainAdvertiserFields


class AdvertiserStatus(StrEnum):
    """The status of an advertiser as a caller. ADVERTISER_STATUS_RULES has what follows from each."""

    ACTIVE = "active"
    ON_MODERATION = "on moderation"
    NOT_ACTIVE = "not active"

    @property
    def rule(self) -> AccountStatusRule:
        """Return the rule of the status."""
        return ADVERTISER_STATUS_RULES[self]


ADVERTISER_STATUS_RULES: Final[Mapping[AdvertiserStatus, AccountStatusRule]] = MappingProxyType(
    {
        AdvertiserStatus.ACTIVE: AccountStatusRule(
            may_sign_in=True, label="Active", mark="confirmed", done="{name} is active."
        ),
        AdvertiserStatus.ON_MODERATION: AccountStatusRule(
            is_undecided=True, label="On moderation", mark="pending", done="{name} is on moderation."
        ),
        AdvertiserStatus.NOT_ACTIVE: AccountStatusRule(
            label="Not active", mark="declined", done="{name} is not active."
        ),
    }
)
"""Every status, in the order in which pages list them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advertiser(PlainAdvertiserFields):
    """A company that pays for conversions.

    id, created_at, updated_at: set when the advertiser is stored; times are UTC milliseconds.
    sub_accounts: "1" and "2" to {value, except}.
    hash_password: the code for its inbound postbacks.
    signing_secret: the secret for its inbound postbacks, encrypted; None = they need no signature.
    password_hash: None until a password is sent to it, or it signs up.
    password_until: when a mailed password ends, UTC milliseconds; None = the person chose it.
    decision_words: the words that went with the last decision about the status.
    sees_affiliates: whether it sees which affiliates its conversions come from, with their subs.
    subaccounts_encryption: whether it gets subs as codes (docs/spec/people.md#encrypted-subs).
    subs_key: the key for these codes, in hex; None = it never had the switch.
    hide_conversion_status: whether affiliates see each of its conversions as pending.
    custom_fields: by field id as text.
    host_uniqueness_number_unique_clicks: unique clicks per visitor and offer within the time frame; None = 1.
    host_uniqueness_time_frame: hours; None = 24.
    """

    id: str = ""
    title: str
    email: str | None = None
    url: str | None = None
    manager_id: str | None = None
    allowed_ip: list[str] = field(default_factory=list)
    disallowed_ip: list[str] = field(default_factory=list)
    hash_password: str | None = None
    signing_secret: str | None = None
    country: str | None = None
    zip_code: str | None = None
    vat_code: str | None = None
    sub_accounts: dict[str, Any] = field(default_factory=dict)
    consider_personal_targeting_only: bool = False
    tags: list[str] = field(default_factory=list)
    password_hash: str | None = None
    password_until: int | None = None
    status: AdvertiserStatus = AdvertiserStatus.ACTIVE
    decision_words: str = ""
    last_login_at: int | None = None
    subs_key: str | None = None
    custom_fields: dict[str, str] = field(default_factory=dict)
    created_at: int = 0
    updated_at: int = 0

    @property
    def code_key(self) -> str:
        """Return the key of the codes that it gets instead of subs; "" = it gets the subs."""
        return (self.subs_key or "") if self.subaccounts_encryption else ""


@dataclass(frozen=True, slots=True)
class AffiliateLists:
    """The affiliates listed by an advertiser, sorted.

    enabled: if not empty, only these affiliates may use its offers; disabled: affiliates that may not use them.
    """

    enabled: tuple[int, ...] = ()
    disabled: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AdvertiserContact:
    """The receiver of mails to an advertiser. name: of the contact person, else the title."""

    id: str
    email: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvertiserFilter:
    """The filters of a list. All conditions must hold; an empty one always holds.

    ids, managers, countries, tags, statuses: any of the values.
    part: a part of the title, contact person or e-mail address, or the whole id.
    changed_since: UTC milliseconds.
    """

    ids: tuple[str, ...] = ()
    part: str = ""
    managers: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[AdvertiserStatus, ...] = ()
    changed_since: int | None = None
