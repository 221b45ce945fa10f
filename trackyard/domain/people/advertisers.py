"""Advertisers (docs/api/advertisers.md#get-adminadvertiserid)."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class AdvertiserStatus(StrEnum):
    """The status of an advertiser as a caller: only an active one may sign in, and use its key."""

    ACTIVE = "active"
    ON_MODERATION = "on moderation"
    NOT_ACTIVE = "not active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advertiser:
    """A company that pays for conversions.

    id, created_at, updated_at: set when the advertiser is stored; times are UTC milliseconds.
    sub_accounts: "1" and "2" to {value, except}.
    hash_password: the code for its inbound postbacks.
    signing_secret: the secret for its inbound postbacks, encrypted; None = they need no signature.
    password_hash: None until a password is sent to it, or it signs up.
    password_until: when a mailed password ends, UTC milliseconds; None = the person chose it.
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
    contact: str | None = None
    email: str | None = None
    url: str | None = None
    skype: str | None = None
    note: str | None = None
    manager_id: str | None = None
    allowed_ip: list[str] = field(default_factory=list)
    disallowed_ip: list[str] = field(default_factory=list)
    hash_password: str | None = None
    signing_secret: str | None = None
    address_1: str | None = None
    address_2: str | None = None
    city: str | None = None
    country: str | None = None
    zip_code: str | None = None
    vat_code: str | None = None
    sub_accounts: dict[str, Any] = field(default_factory=dict)
    consider_personal_targeting_only: bool = False
    tags: list[str] = field(default_factory=list)
    password_hash: str | None = None
    password_until: int | None = None
    status: AdvertiserStatus = AdvertiserStatus.ACTIVE
    sees_affiliates: bool = False
    last_login_at: int | None = None
    hide_conversion_status: bool = False
    subaccounts_encryption: bool = False
    subs_key: str | None = None
    custom_fields: dict[str, str] = field(default_factory=dict)
    host_uniqueness_number_unique_clicks: int | None = None
    host_uniqueness_time_frame: int | None = None
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
