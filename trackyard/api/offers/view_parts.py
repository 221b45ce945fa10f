"""The parts of an offer in answers (docs/api/offer-lists.md#get-offerid, docs/spec/types.md#offers)."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import field

from trackyard.base.zones import day_start_ms, find_zone
from trackyard.domain.offers.offers import (
    AllowDeny,
    AllowDenyGeo,
    Cap,
    Landing,
    OfferPayment,
    OfferSchedule,
    TargetingGroup,
    Tier,
)
from trackyard.wire.response.envelope import Money, View, number


class SharedPaymentView(View):
    """A payment, as everyone sees it. revenue: what the affiliate earns."""

    countries: list[str]
    country_exclude: bool
    cities: list[int]
    devices: list[str]
    os: list[str]
    goal: str
    goal_alias: str
    revenue: Money
    currency: str
    type: str
    title: str
    with_regions: bool
    sub1: str
    sub2: str
    sub3: str
    sub4: str
    sub5: str
    sub6: str
    sub7: str
    sub8: str


class OfferPaymentView(SharedPaymentView):
    """A payment, as staff see it. total: what the advertiser pays."""

    total: Money
    url: str | None


class PersonalPaymentView(OfferPaymentView):
    """A payment for some affiliates."""

    partners: list[int]


class LandingView(View):
    """A landing page."""

    id: int
    title: str
    url: str
    url_preview: str
    type: str


class CapView(View):
    """A cap. goals: value to name."""

    period: str
    type: str
    value: Money
    goal_type: str
    goals: dict[str, str]
    affiliate_type: str
    affiliates: list[int]
    country_type: str
    country: list[str]


class PersonalLimitView(View):
    """A day cap of conversions for one affiliate."""

    partner: int
    caps: int


class TierView(View):
    """A commission tier."""

    timeframe: str
    type: str
    value: Money
    modifier_type: str
    modifier_value: Money
    modifier_payment_type: str
    goals: list[str]
    target_goals: list[str]
    affiliate_type: str
    affiliates: list[int]
    countries: list[str]
    conversion_status: list[str]


class TimestampView(View):
    """A moment. sec: UTC epoch seconds · usec: microseconds beyond."""

    sec: int
    usec: int


class IntervalView(View, rename={"start": "from", "end": "to"}):
    """Hours of a weekday, 0 = Sunday."""

    day_of_week: int
    start: int
    end: int


class ScheduleView(View):
    """When an offer takes clicks. date_start: the beginning of that day in `timezone`."""

    enabled: int
    date_start: TimestampView | None
    date_to: str | None
    timezone: str
    intervals: list[IntervalView]


class AllowDenyView(View):
    """What is let in and what is kept out."""

    allow: list[str]
    deny: list[str]


class GeoTargetingView(View):
    """Regions or cities by country."""

    allow: dict[str, list[int]]
    deny: dict[str, list[int]]


class OsVersionView(View):
    """An operating system; comparison LT, LTE, EQ, GT, GTE or "" (any version)."""

    name: str
    comparison: str
    version: str


class OsTargetingView(View):
    """Operating systems; only those let in can be named."""

    allow: list[OsVersionView]
    deny: list[OsVersionView] = field(default_factory=list)


class IspTargetingView(View):
    """Providers by country; only those let in can be named."""

    allow: dict[str, list[str]]
    deny: dict[str, list[str]] = field(default_factory=dict)


class SubTargetingView(View):
    """Values by number of the sub; deny_groups: values that are refused together."""

    allow: dict[str, list[str]]
    deny: dict[str, list[str]]
    deny_groups: list[dict[str, str]]


class WeightedUrlView(View):
    """A URL and its share in percent."""

    url: str
    weight: int


class SharedTargetingView(View):
    """A targeting group, as everyone sees it. affiliate_id: an affiliate sees itself alone."""

    country: AllowDenyView
    region: GeoTargetingView
    city: GeoTargetingView
    os: OsTargetingView
    isp: IspTargetingView
    ip: AllowDenyView
    browser: AllowDenyView
    brand: AllowDenyView
    device_type: list[str]
    connection: list[str]
    affiliate_id: list[int]
    sub: SubTargetingView
    block_proxy: int


class TargetingView(SharedTargetingView):
    """A targeting group, as staff see it: where its clicks go, too."""

    url: str
    urls: list[WeightedUrlView]


class RestrictedOsView(View):
    """An operating system the offer takes."""

    os: str
    versions: list[str]


class RestrictedIspView(View):
    """A provider the offer takes."""

    country: str
    name: str


def payment_view(item: OfferPayment) -> OfferPaymentView:
    """A general payment."""
    return OfferPaymentView(**_shared_payment(item), total=number(item.total), url=item.url)


def personal_payment_view(item: OfferPayment) -> PersonalPaymentView:
    """A personal payment."""
    shared = _shared_payment(item)
    return PersonalPaymentView(**shared, total=number(item.total), url=item.url, partners=list(item.partners))


def shared_payment_view(item: OfferPayment) -> SharedPaymentView:
    """A payment without what the advertiser pays."""
    return SharedPaymentView(**_shared_payment(item))


def landing_view(item: Landing) -> LandingView:
    """A landing page."""
    return LandingView(**msgspec.structs.asdict(item))


def cap_view(cap: Cap, names: Mapping[str, str]) -> CapView:
    """A cap. names: of goals."""
    return CapView(
        period=cap.period,
        type=cap.type,
        value=number(cap.value),
        goal_type=cap.goal_type,
        goals={goal: names.get(goal, goal) for goal in cap.goals},
        affiliate_type=cap.affiliate_type,
        affiliates=list(cap.affiliates),
        country_type=cap.country_type,
        country=list(cap.country),
    )


def tier_view(tier: Tier) -> TierView:
    """A commission tier."""
    return TierView(
        timeframe=tier.timeframe,
        type=tier.type,
        value=number(tier.value),
        modifier_type=tier.modifier_type,
        modifier_value=number(tier.modifier_value),
        modifier_payment_type=tier.modifier_payment_type,
        goals=list(tier.goals),
        target_goals=list(tier.target_goals),
        affiliate_type=tier.affiliate_type,
        affiliates=list(tier.affiliates),
        countries=list(tier.countries),
        conversion_status=list(tier.conversion_status),
    )


def schedule_view(schedule: OfferSchedule, platform_zone: ZoneInfo) -> ScheduleView:
    """A schedule; one without a zone is in the platform's."""
    zone = (find_zone(schedule.timezone) if schedule.timezone else None) or platform_zone
    start = None
    if schedule.date_start:
        start = TimestampView(sec=day_start_ms(date.fromisoformat(schedule.date_start), zone) // 1000, usec=0)
    return ScheduleView(
        enabled=int(schedule.enabled),
        date_start=start,
        date_to=schedule.date_to,
        timezone=zone.key,
        intervals=[IntervalView(**msgspec.structs.asdict(item)) for item in schedule.intervals],
    )


def targeting_view(group: TargetingGroup) -> TargetingView:
    """A group with everything."""
    urls = [WeightedUrlView(url=item.url, weight=item.weight) for item in group.urls]
    return TargetingView(**_shared_targeting(group), url=group.url, urls=urls)


def shared_targeting_view(group: TargetingGroup) -> SharedTargetingView:
    """A group without where its clicks go."""
    return SharedTargetingView(**_shared_targeting(group))


_PAYMENT = tuple(name for name in SharedPaymentView.__struct_fields__ if name != "revenue")


def _shared_payment(item: OfferPayment) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name in _PAYMENT:
        value = getattr(item, name)
        shown[name] = list(value) if type(value) is tuple else value
    shown["type"] = item.type.value
    shown["revenue"] = number(item.revenue)
    return shown


def _shared_targeting(group: TargetingGroup) -> dict[str, Any]:
    systems = [OsVersionView(name=item.name, comparison=item.comparison, version=item.version) for item in group.os]
    sub = group.sub
    return {
        "country": _allow_deny_view(group.country),
        "region": _geo_view(group.region),
        "city": _geo_view(group.city),
        "os": OsTargetingView(allow=systems),
        "isp": IspTargetingView(allow={code: list(names) for code, names in group.isp.items()}),
        "ip": _allow_deny_view(group.ip),
        "browser": _allow_deny_view(group.browser),
        "brand": _allow_deny_view(group.brand),
        "device_type": list(group.device_type),
        "connection": list(group.connection),
        "affiliate_id": list(group.affiliate_id),
        "sub": SubTargetingView(
            allow={str(place): list(values) for place, values in sub.allow.items()},
            deny={str(place): list(values) for place, values in sub.deny.items()},
            deny_groups=[{str(place): value for place, value in row.items()} for row in sub.deny_groups],
        ),
        "block_proxy": int(group.block_proxy),
    }


def _allow_deny_view(sides: AllowDeny) -> AllowDenyView:
    return AllowDenyView(allow=list(sides.allow), deny=list(sides.deny))


def _geo_view(places: AllowDenyGeo) -> GeoTargetingView:
    return GeoTargetingView(
        allow={code: list(ids) for code, ids in places.allow.items()},
        deny={code: list(ids) for code, ids in places.deny.items()},
    )
