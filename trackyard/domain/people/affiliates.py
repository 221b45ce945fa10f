"""Affiliates (docs/api/affiliates.md#get-adminpartnerid)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from trackyard.domain.people.account_statuses import AccountStatusRule
from trackyard.domain.people.affiliate_fields import PlainAffiliateFields


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRule(AccountStatusRule):
    """The consequences of an affiliate status.

    is_blocked: whether it may not confirm or change its e-mail address either.
    click_reason: the rejection reason for its clicks, "" = they count.
    decline_reason: the comment of its declined conversions, "" = they are accepted.
    has_reason: whether staff may give a reason, which the affiliate gets by mail.
    number: the status number for existing programs, "" = they do not know the status.
    """

    is_blocked: bool = False
    click_reason: str = "inactive-affiliate"
    decline_reason: str = "Partner is disabled"
    has_reason: bool = True
    number: str = ""


class AffiliateStatus(StrEnum):
    """The status of an affiliate. STATUS_RULES has what follows from each."""

    NOT_ACTIVE = "not active"
    ACTIVE = "active"
    BANNED = "banned"
    ON_MODERATION = "on moderation"

    @property
    def rule(self) -> StatusRule:
        """Return the rule of the status."""
        return STATUS_RULES[self]


STATUS_RULES: Final[Mapping[AffiliateStatus, StatusRule]] = MappingProxyType(
    {
        AffiliateStatus.ACTIVE: StatusRule(
            may_sign_in=True,
            click_reason="",
            decline_reason="",
            has_reason=False,
            number="1",
            label="Active",
            mark="active",
            done="{name} is active: it may sign in, send clicks and earn.",
        ),
        AffiliateStatus.ON_MODERATION: StatusRule(
            is_undecided=True,
            has_reason=False,
            number="3",
            label="On moderation",
            mark="pending",
            done="{name} is on moderation.",
        ),
        AffiliateStatus.NOT_ACTIVE: StatusRule(
            number="0",
            label="Not active",
            mark="suspended",
            done="{name} is not active: it cannot sign in, and its conversions are declined.",
        ),
        AffiliateStatus.BANNED: StatusRule(
            is_blocked=True,
            decline_reason="Partner is banned",
            number="2",
            label="Blocked",
            mark="stopped",
            done="{name} is blocked: it cannot sign in, and its conversions are declined.",
        ),
    }
)
"""Every status, in the order in which pages list them."""
CLICK_REASONS: Final = tuple(dict.fromkeys(rule.click_reason for rule in STATUS_RULES.values() if rule.click_reason))
"""The rejection reasons of clicks for the status of their affiliate."""


class EmailState(StrEnum):
    """Whether an affiliate has confirmed its e-mail address (docs/spec/callers.md#e-mail-addresses)."""

    NOT_ASKED = "not asked"
    WAITING = "waiting"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Affiliate(PlainAffiliateFields):
    """A partner that sends visitors and is paid for conversions.

    id, password_hash, postback_secret, created_at, updated_at: given when it is stored; times are UTC milliseconds.
    password_until: when a mailed password ends, UTC milliseconds; None = the person chose it.
    status_reason: why it is not active, which it sees; "" for an active one.
    decision_words: the words that went with the last decision about the status.
    login: "" before it is stored means the e-mail address.
    ref: the id of the affiliate that referred it.
    payment_systems: {system_id, currency, fields} each.
    custom_fields: answers by the field's id as text; before they are checked also by its name.
    sub_accounts: "1" and "2" to {value, except}.
    permissions: levels of domain/people/permissions.py that differ from the default.
    server_clicks: whether its servers report clicks of visitors, from the addresses in server_ip.
    payee_changed_at: when its payment systems changed last, UTC milliseconds; None = never.
    statistics_revenue, statistics_rows: switches of domain/statistics/switches.py; None is the platform's.
    """

    id: int = 0
    email: str
    login: str = ""
    password_hash: str = ""
    password_until: int | None = None
    status: AffiliateStatus = AffiliateStatus.ACTIVE
    status_reason: str = ""
    decision_words: str = ""
    email_state: EmailState = EmailState.NOT_ASKED
    name: str | None = None
    contact_person: str | None = None
    level: int = 0
    ref_percent: Decimal | None = None
    ref: int | None = None
    manager_id: str | None = None
    payment_systems: list[dict[str, Any]] = field(default_factory=list)
    payee_changed_at: int | None = None
    custom_fields: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    sub_accounts: dict[str, Any] = field(default_factory=dict)
    postback_secret: str = ""
    country: str | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    server_ip: list[str] = field(default_factory=list)
    statistics_revenue: str | None = None
    statistics_rows: str | None = None
    last_login_at: int | None = None
    created_at: int = 0
    updated_at: int = 0


@dataclass(frozen=True, slots=True)
class AffiliateName:
    """The fields that show an affiliate in other records and statistics."""

    id: int
    email: str
    login: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AffiliateFilter:
    """The filters of a list. All conditions must hold; an empty one always holds.

    ids, statuses: any of the values.
    part: a part of the e-mail address, login, name, company or contact person, or the id.
    changed_since: UTC milliseconds.
    ref: the referrer's id.
    managers, countries, tags: any of the values.
    """

    ids: tuple[int, ...] = ()
    statuses: tuple[AffiliateStatus, ...] = ()
    part: str = ""
    changed_since: int | None = None
    ref: int | None = None
    managers: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
