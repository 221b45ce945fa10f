"""The parts of an offer in answers (docs/api/offer-lists.md#get-offerid, docs/spec/types.md#offers)."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeVar
from zoneinfo import ZoneInfo

from msgspec import field

from trackyard.base.zones import day_start_ms, find_zone
from trackyard.domain.offers.offers import (
    AgentLists,
    AllowDeny,
    AllowDenyGeo,
    AllowDenySubs,
    BrowserVersions,
    Cap,
    OfferSchedule,
    OrganizationLists,
    OsVersion,
    TargetingGroup,
    TextLists,
    VisitorAddresses,
    WeightedUrl,
)
from trackyard.domain.offers.visibility import goal_name
from trackyard.domain.tracking.subs import with_subs
from trackyard.wire.response.envelope import Money, View
from trackyard.wire.response.views import view_of

T = TypeVar("T", bound="SharedTargetingView")


@with_subs
class SharedPaymentView(View):
    """A payment as everyone sees it. revenue: earned by the affiliate."""

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


class OfferPaymentView(SharedPaymentView):
    """A payment as staff see it. total: paid by the advertiser."""

    total: Money
    url: str | None


class PersonalPaymentView(OfferPaymentView):
    """A payment for some affiliates."""

    partners: list[int]


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
    """A time. sec: UTC epoch seconds; usec: microseconds beyond."""

    sec: int
    usec: int


class IntervalView(View, rename={"start": "from", "end": "to"}):
    """Hours of a weekday, 0 = Sunday."""

    day_of_week: int
    start: int
    end: int


class ScheduleView(View):
    """The times at which an offer takes clicks. date_start: the beginning of that day in `timezone`."""

    enabled: int
    date_start: TimestampView | None
    date_to: str | None
    timezone: str
    intervals: list[IntervalView]


class OsTargetingView(View):
    """Operating systems; with os_deny of the group, the systems in `allow` are refused."""

    allow: Sequence[OsVersion]
    deny: list[OsVersion] = field(default_factory=list)


class IspTargetingView(View):
    """Allowed providers by country; none can be refused."""

    allow: Mapping[str, Sequence[str]]
    deny: dict[str, list[str]] = field(default_factory=dict)


class SharedTargetingView(View):
    """A targeting group as everyone sees it. affiliate_id: an affiliate sees itself alone."""

    country: AllowDeny
    region: AllowDenyGeo
    city: AllowDenyGeo
    os: OsTargetingView
    isp: IspTargetingView
    ip: VisitorAddresses
    browser: AllowDeny
    brand: AllowDeny
    device_type: list[str]
    connection: list[str]
    affiliate_id: list[int]
    sub: AllowDenySubs
    block_proxy: int
    condition: str
    os_deny: bool
    device_type_deny: bool
    connection_deny: bool
    zip: AllowDeny
    isp_organization: OrganizationLists
    device_model: AllowDeny
    browser_version: BrowserVersions
    referrer: TextLists
    ua: AgentLists
    block_known_bots: bool


class TargetingView(SharedTargetingView):
    """A targeting group as staff see it, with its targets."""

    url: str
    urls: list[WeightedUrl]
    name: str
    enabled: bool


def cap_view(cap: Cap, names: Mapping[str, str]) -> CapView:
    """Return the view of a cap. names: the goals' titles by value."""
    return view_of(CapView, cap, goals={goal: goal_name(names, goal) for goal in cap.goals})


def schedule_view(schedule: OfferSchedule, platform_zone: ZoneInfo) -> ScheduleView:
    """Return a schedule; one without a zone is in the platform's."""
    zone = (find_zone(schedule.timezone) if schedule.timezone else None) or platform_zone
    start = None
    if schedule.date_start:
        start = TimestampView(sec=day_start_ms(date.fromisoformat(schedule.date_start), zone) // 1000, usec=0)
    intervals = [view_of(IntervalView, item) for item in schedule.intervals]
    return view_of(ScheduleView, schedule, date_start=start, timezone=zone.key, intervals=intervals)


def targeting_view(view: type[T], group: TargetingGroup) -> T:
    """Return a group as staff or as everyone sees it."""
    return view_of(view, group, os=OsTargetingView(allow=group.os), isp=IspTargetingView(allow=group.isp))
