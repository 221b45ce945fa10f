"""An offer as staff wrote it: the declaration of its fields (docs/api/offers.md).

Rows of the `offer` table, parameters and views are checked against `Offer`; structured fields are stored as JSON of
these structs. Times are UTC milliseconds, amounts Decimal, lists tuples; None = not set.
"""

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

import msgspec

from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.choices import (
    CapScope,
    OfferStatus,
    Privacy,
    RedirectType,
)
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.fields import PlainFields
from trackyard.domain.offers.payments import Payment
from trackyard.domain.offers.periods import CapPeriod

COUNTED_STATUSES: Final = (Status.CONFIRMED, Status.PENDING, Status.HOLD)
"""The statuses of conversions that caps and tiers count by default."""


class ModifierType(StrEnum):
    """How a commission tier changes an amount."""

    BY_FIX = "by_fix"
    BY_PERCENT = "by_percent"
    TO_FIX = "to_fix"
    TO_PERCENT = "to_percent"


class ModifierTarget(StrEnum):
    """The amount that a commission tier changes; TOTAL is the charge of the advertiser."""

    PAYOUT = "payout"
    TOTAL = "total"
    PAYOUT_AND_TOTAL = "payout_and_total"


class LandingType(StrEnum):
    """The target of a landing page."""

    LANDING = "landing"
    TRANSIT = "transit"


class OfferPayment(Payment, frozen=True, kw_only=True):
    """A payment item with further fields for readers."""

    goal_alias: str = ""
    url: str | None = None
    with_regions: bool = False


class Landing(msgspec.Struct, frozen=True, kw_only=True):
    """A landing page (docs/api/offers.md#post-adminoffer). Its id is never reused."""

    id: int
    title: str
    url: str
    url_preview: str
    type: LandingType = LandingType.LANDING


class Cap(msgspec.Struct, frozen=True, kw_only=True):
    """A cap (docs/spec/conversions.md#caps).

    value: a whole number for counts, an amount of the platform currency for a budget.
    *_type: all, each or exact; the list of the same name is filled for exact only.
    """

    id: str
    period: CapPeriod
    type: CapType
    value: Decimal
    goal_type: CapScope = CapScope.ALL
    goals: tuple[str, ...] = ()
    affiliate_type: CapScope = CapScope.ALL
    affiliates: tuple[int, ...] = ()
    country_type: CapScope = CapScope.ALL
    country: tuple[str, ...] = ()


class PersonalLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A day cap of conversions for one affiliate (docs/spec/conversions.md#caps)."""

    partner: int
    caps: int


class Tier(msgspec.Struct, frozen=True, kw_only=True):
    """A commission tier (docs/spec/conversions.md#commission-tiers).

    id: the id of its counters, which remain while only `value` and `modifier_value` change.
    since: conversions made before this time (UTC milliseconds) are not counted; 0 = all are.
    """

    id: str
    timeframe: CapPeriod
    type: CapType
    value: Decimal
    modifier_type: ModifierType
    modifier_value: Decimal
    modifier_payment_type: ModifierTarget = ModifierTarget.PAYOUT
    goals: tuple[str, ...] = ()
    target_goals: tuple[str, ...] = ()
    affiliate_type: CapScope = CapScope.EACH
    affiliates: tuple[int, ...] = ()
    countries: tuple[str, ...] = ()
    conversion_status: tuple[Status, ...] = ()
    since: int = 0


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Hours of a weekday, inclusive (docs/spec/tracking.md#schedule).

    Day 0 is Sunday. An interval with start > end runs into the next day.
    """

    day_of_week: int
    start: int
    end: int


class OfferSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """The times when an offer accepts clicks (docs/spec/tracking.md#schedule).

    Days are YYYY-MM-DD of `timezone`, inclusive. `enabled` switches the intervals; the dates always apply.
    """

    enabled: bool = False
    date_start: str | None = None
    date_to: str | None = None
    timezone: str = ""
    intervals: tuple[Interval, ...] = ()


class OsVersion(msgspec.Struct, frozen=True, kw_only=True):
    """An accepted operating system. comparison: LT, LTE, EQ, GT, GTE or "" (any version)."""

    name: str
    comparison: str = ""
    version: str = ""


class AllowDeny(msgspec.Struct, frozen=True, kw_only=True):
    """Accepted and rejected values. `deny` wins; an empty `allow` accepts all."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class AllowDenyGeo(msgspec.Struct, frozen=True, kw_only=True):
    """Accepted and rejected GeoNames ids by country. `deny` wins; an empty `allow` accepts all."""

    allow: dict[str, tuple[int, ...]] = {}
    deny: dict[str, tuple[int, ...]] = {}


class AllowDenySubs(msgspec.Struct, frozen=True, kw_only=True):
    """Accepted and rejected values by sub number. `deny_groups` reject values of several subs together."""

    allow: dict[int, tuple[str, ...]] = {}
    deny: dict[int, tuple[str, ...]] = {}
    deny_groups: tuple[dict[int, str], ...] = ()


class VisitorAddresses(AllowDeny, frozen=True, kw_only=True):
    """Accepted and rejected addresses. ipv6_deny: reject every address of IPv6."""

    ipv6_deny: bool = False


class OrganizationLists(AllowDeny, frozen=True, kw_only=True):
    """Accepted and rejected organizations that networks belong to. deny_empty: reject an unknown one."""

    deny_empty: bool = False


class TextLists(AllowDeny, frozen=True, kw_only=True):
    """Parts of accepted and rejected texts, in any case.

    deny_empty: reject an empty text.
    is_regexp: the values are regular expressions.
    """

    deny_empty: bool = False
    is_regexp: bool = False


class AgentLists(TextLists, frozen=True, kw_only=True):
    """Parts of accepted and rejected user agents. deny_crawlers: reject known crawlers."""

    deny_crawlers: bool = False


class BrowserVersions(msgspec.Struct, frozen=True, kw_only=True):
    """Accepted and rejected browsers with versions. `deny` wins; an empty `allow` accepts all."""

    allow: tuple[OsVersion, ...] = ()
    deny: tuple[OsVersion, ...] = ()


class GroupCondition(StrEnum):
    """How many properties of a targeting group a click must have: all, or any one."""

    AND = "and"
    OR = "or"


class WeightedUrl(msgspec.Struct, frozen=True, kw_only=True):
    """A URL and its share in percent."""

    url: str
    weight: int


class TargetingGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A targeting group (docs/spec/tracking.md#restrictions-and-targeting-groups).

    affiliate_id: the affiliates that it applies to; () = all.
    os_deny, device_type_deny, connection_deny: the values of the list are rejected instead of accepted.
    """

    country: AllowDeny = AllowDeny()
    region: AllowDenyGeo = AllowDenyGeo()
    city: AllowDenyGeo = AllowDenyGeo()
    os: tuple[OsVersion, ...] = ()
    isp: dict[str, tuple[str, ...]] = {}
    ip: VisitorAddresses = VisitorAddresses()
    device_type: tuple[str, ...] = ()
    browser: AllowDeny = AllowDeny()
    brand: AllowDeny = AllowDeny()
    sub: AllowDenySubs = AllowDenySubs()
    connection: tuple[str, ...] = ()
    block_proxy: bool = False
    affiliate_id: tuple[int, ...] = ()
    url: str = ""
    urls: tuple[WeightedUrl, ...] = ()
    name: str = ""
    enabled: bool = True
    condition: GroupCondition = GroupCondition.AND
    os_deny: bool = False
    device_type_deny: bool = False
    connection_deny: bool = False
    zip: AllowDeny = AllowDeny()
    isp_organization: OrganizationLists = OrganizationLists()
    device_model: AllowDeny = AllowDeny()
    browser_version: BrowserVersions = BrowserVersions()
    referrer: TextLists = TextLists()
    ua: AgentLists = AgentLists()
    block_known_bots: bool = False


class RestrictedOs(msgspec.Struct, frozen=True, kw_only=True):
    """An operating system and its versions (which may begin with >= or <); none = all versions."""

    os: str
    versions: tuple[str, ...] = ()


class RestrictedIsp(msgspec.Struct, frozen=True, kw_only=True):
    """A provider of a country."""

    country: str
    name: str


class SubAccountList(msgspec.Struct, frozen=True, kw_only=True):
    """Accepted values of a sub, or rejected ones with `exclude`.

    docs/spec/tracking.md#restrictions-and-targeting-groups
    """

    values: tuple[str, ...] = ()
    exclude: bool = False


class Creative(msgspec.Struct, frozen=True, kw_only=True):
    """A creative of an offer.

    id: counts within the offer.
    file: the id of the stored file; None for a URL that is not fetched yet.
    width, height: pixels; 0 = no image.
    key: the id of an HTML creative for programs; "" = the creative is not HTML.
    """

    id: int
    title: str
    file: str | None = None
    url: str | None = None
    mime: str = ""
    size: int = 0
    width: int = 0
    height: int = 0
    key: str = ""


class Offer(PlainFields, frozen=True, kw_only=True):
    """An offer: plain fields and others. docs/spec/offers.md#defaults lists the defaults.

    privacy_level: as staff wrote it since they last changed `privacy`; None = they did not.
    pixel_code: the code of its pixels, made with the offer; every visitor may see it.
    last_number: the highest number that a landing or a creative ever had.
    """

    id: int
    hash: str
    advertiser_id: str
    title: str
    url: str
    url_preview: str | None = None
    trafficback_url: str | None = None
    macro_url: str | None = None
    cross_postback_url: str | None = None
    parallel_tracking_url: str | None = None
    impressions_url: str | None = None
    additional_impression_destination_urls: tuple[WeightedUrl, ...] = ()
    domain_id: int | None = None
    status: OfferStatus = OfferStatus.STOPPED
    privacy: Privacy = Privacy.PROTECTED
    privacy_level: int | None = None
    redirect_type: RedirectType = RedirectType.HTTP_302
    payments: tuple[OfferPayment, ...] = ()
    partner_payments: tuple[OfferPayment, ...] = ()
    landings: tuple[Landing, ...] = ()
    last_number: int = 0
    caps: tuple[Cap, ...] = ()
    personal_limits: tuple[PersonalLimit, ...] = ()
    caps_status: tuple[Status, ...] = COUNTED_STATUSES
    caps_timezone: str | None = None
    commission_tiers: tuple[Tier, ...] = ()
    schedule: OfferSchedule | None = None
    targeting: tuple[TargetingGroup, ...] = ()
    consider_personal_targeting_only: bool = False
    countries: tuple[str, ...] = ()
    restriction_os: tuple[RestrictedOs, ...] = ()
    restriction_isp: tuple[RestrictedIsp, ...] = ()
    strictly_brands: tuple[str, ...] = ()
    strictly_devices: tuple[str, ...] = ()
    strictly_connection_type: str = ""
    sub_restrictions: tuple[dict[str, str], ...] = ()
    sub_accounts: dict[str, SubAccountList] = msgspec.field(default_factory=dict)
    uniq_ip_only: bool = False
    reject_not_uniq_ip: bool = False
    pixel_pages: tuple[str, ...] = ()
    pixel_code: str = ""
    allowed_ip: str = ""
    disallowed_ip: str = ""
    hash_password: str | None = None
    click_session: str = "1y"
    minimal_click_session: str = "0s"
    sources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    smartlink_categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    macros_replacement: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    macros_replacement_enabled: tuple[str, ...] = ()
    description_lang: dict[str, str] = msgspec.field(default_factory=dict)
    kpi: dict[str, str] = msgspec.field(default_factory=dict)
    logo: str | None = None
    logo_source: str | None = None
    creatives: tuple[Creative, ...] = ()
    creatives_zip: str | None = None
    start_at: int | None = None
    stop_at: int | None = None
    created_at: int
    updated_at: int


OFFER_FIELDS: Final = frozenset(Offer.__struct_fields__)
"""Every field of an offer."""

Label = tuple[str, str]
"""(kind, value) that lists filter offers by."""


def offer_of(row: dict[str, Any]) -> Offer:
    """Return the offer of a stored row (columns by name). Raises msgspec.ValidationError."""
    return msgspec.convert(row, Offer, strict=False, str_keys=True)


def stored_columns(changes: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of changed fields: structs as JSON documents, their amounts as text."""
    columns: dict[str, Any] = msgspec.to_builtins(changes, builtin_types=(bytes,), str_keys=True)
    return columns


def labels_of(offer: Offer) -> frozenset[Label]:
    """Return the labels by which lists filter an offer.

    country: the accepted countries of the offer or its targeting.
    os: lower-case names of the accepted systems; none = any.
    cap: type and country of one cap.
    joins: "itself" when it connects affiliates on their first view and needs a connection.
    """
    values: dict[str, Iterable[str]] = {
        "country": countries_of(offer),
        "category": offer.categories,
        "smartlink": offer.smartlink_categories,
        "tag": offer.tags,
        "source": offer.sources,
        "os": operating_systems_of(offer),
        "cap_type": [cap.type for cap in offer.caps],
        "cap_country": [code for cap in offer.caps for code in cap.country],
        "joins": ["itself"] if offer.auto_offer_connect and offer.privacy == Privacy.PROTECTED else [],
        "cap": [f"{cap.type} {code}" for cap in offer.caps for code in cap.country],
    }
    return frozenset((kind, value) for kind, held in values.items() for value in held)


def countries_of(offer: Offer) -> frozenset[str]:
    """Return the countries of an offer or its targeting that some targeting group accepts."""
    groups = [group for group in offer.targeting if group.enabled]
    named = {*offer.countries, *(code for group in groups for code in _named_countries(group))}
    return frozenset(code for code in named if not groups or any(_accepts(each, code) for each in groups))


def _named_countries(group: TargetingGroup) -> tuple[str, ...]:
    """Return the countries that a group accepts directly, or through its regions, cities and providers."""
    return group.country.allow or (*group.region.allow, *group.city.allow, *group.isp)


def _accepts(group: TargetingGroup, code: str) -> bool:
    named = _named_countries(group)
    if group.condition == GroupCondition.OR:  # another property may be enough
        return True
    return code not in group.country.deny and (not named or code in named)


def operating_systems_of(offer: Offer) -> frozenset[str]:
    """Return the lower-case names of the systems that restriction_os and targeting accept; none = any.

    Targeting restricts systems when each of its groups requires some.
    """
    restricted = frozenset(item.os.casefold() for item in offer.restriction_os)
    groups = [group for group in offer.targeting if group.enabled]
    every = all(group.os and not group.os_deny and group.condition == GroupCondition.AND for group in groups)
    targeted = frozenset(item.name.casefold() for group in groups for item in group.os if every)
    return (restricted & targeted) or restricted or targeted


def sort_columns_of(offer: Offer) -> dict[str, Any]:
    """Return the columns by which lists are sorted: highest payout, smallest caps of conversions."""
    conversions = [cap for cap in offer.caps if cap.type == CapType.CONVERSIONS]
    return {
        "top_payout": max((item.revenue for item in offer.payments), default=Decimal(0)),
        "day_cap": min((int(cap.value) for cap in conversions if cap.period == CapPeriod.DAY), default=None),
        "total_cap": min((int(cap.value) for cap in conversions if cap.period == CapPeriod.ALL), default=None),
    }
