"""Structured parameters of offers (docs/api/offers.md).

They are payments, landing pages, caps, tiers, the schedule and restrictions.
`written()` of an item returns only the sent fields, by their name in domain/offers/offers.py.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo

from trackyard.api.every_sub import with_every_sub
from trackyard.base.web_addresses import MAX_URL
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.choices import CapScope
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.goals import DEFAULT_GOAL
from trackyard.domain.offers.offers import (
    Cap,
    Interval,
    Landing,
    LandingType,
    ModifierTarget,
    ModifierType,
    PersonalLimit,
    RestrictedIsp,
    RestrictedOs,
    Tier,
)
from trackyard.domain.offers.payments import PaymentType
from trackyard.domain.offers.periods import CapPeriod
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, CommaList, Keyed, MayBeEmpty, Params, Seq

DEVICES = ("mediahub", "mobile", "ereader", "console", "tv", "tablet", "desktop", "smartwatch")

CountryLike = Annotated[str, s.CountryCode(listed=False)]
"""A country; the use case checks that it exists, or that the offer has it already."""
Device = Annotated[str, s.Choice(DEVICES)]
Goal = Annotated[str, s.BoundedText(maximum=255)]
Spread = Annotated[CapScope, s.Choice(CapScope)]
Day = Annotated[int, s.WholeNumber(minimum=0, maximum=6)]

TierStatus = Annotated[Status, s.Choice(status for status in Status if status is not Status.PENDING_CAP)]

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


_TYPE_PARAMETER = {"goals": "goal_type", "affiliates": "affiliate_type", "country": "country_type"}


def _counted(value: Any, info: ValidationInfo) -> Any:
    if info.data.get("type", CapType.BUDGET) != CapType.BUDGET and value != value.to_integral_value():
        raise ValueError("This value must be a whole number unless type is budget.")
    return value


def _exact(value: Any, info: ValidationInfo) -> Any:
    name = _TYPE_PARAMETER[info.field_name or ""]
    kind = info.data.get(name)
    if kind == CapScope.EXACT and not value:
        raise ValueError(f"This value is required when {name} is exact.")
    if kind not in (None, CapScope.EXACT) and value:
        raise ValueError(f"This value must be empty unless {name} is exact.")
    return value


@dataclass(frozen=True)
class UrlPart(s.BoundedText):
    """Text that is appended to a URL, with macros; a whole URL is text too."""

    contract = "url"
    maximum: int = MAX_URL

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        part = super().read(text.strip(), context)
        if _CONTROL.search(part):
            raise ValueError("This value must be text without control characters.")
        return part


@with_every_sub
class OfferPaymentItem(Params):
    """A payment (docs/spec/conversions.md#payments). An empty string clears a list."""

    countries: Seq[CountryLike] = ()
    country_exclude: s.Flag = False
    cities: Seq[s.Int] = ()
    devices: Seq[Device] = ()
    os: Seq[s.Text] = ()
    goal: Goal = DEFAULT_GOAL
    goal_alias: s.Text = ""
    total: s.Amount | None = None
    revenue: s.Amount | None = None
    currency: s.Currency | None = None
    type: Annotated[PaymentType, s.Choice(PaymentType)] = PaymentType.FIXED
    title: Annotated[str, s.BoundedText(maximum=255)] = ""
    url: Annotated[s.Url | None, Clearable()] = None
    with_regions: s.Flag = False
    sub1: CommaList[s.Text] = ()

    def written(self) -> dict[str, Any]:
        """Return the sent fields of a payment."""
        values = self.model_dump(exclude_unset=True)
        for name in values.keys() & SUBS:
            values[name] = ",".join(values[name])
        if "goal" in values:
            values["goal"] = values["goal"] or DEFAULT_GOAL
        return values


class PersonalPaymentItem(OfferPaymentItem):
    """A payment for some affiliates alone."""

    partners: Seq[s.Id] = ()


class LandingItem(Params):
    """A landing page (docs/api/offers.md#post-adminoffer)."""

    title: s.Name
    url: s.Url
    url_preview: s.Url
    type: Annotated[LandingType, s.Choice(LandingType)] = LandingType.LANDING

    def written(self) -> Landing:
        """Return the landing page without its number."""
        return Landing(id=0, **self.model_dump())


class CapItem(Params):
    """A cap (docs/spec/conversions.md#caps).

    goals, affiliates, country: each is sent with the kind exact and with no other.
    period: hour is always open.
    """

    period: Annotated[CapPeriod, s.Choice(period for period in CapPeriod if period != CapPeriod.WEEK)]
    type: Annotated[CapType, s.Choice(CapType)]
    value: Annotated[s.Amount, AfterValidator(_counted)]
    goal_type: Spread = CapScope.ALL
    goals: Annotated[Seq[Goal], Field(validate_default=True), AfterValidator(_exact)] = ()
    affiliate_type: Spread = CapScope.ALL
    affiliates: Annotated[Seq[s.Id], Field(validate_default=True), AfterValidator(_exact)] = ()
    country_type: Spread = CapScope.ALL
    country: Annotated[Seq[CountryLike], Field(validate_default=True), AfterValidator(_exact)] = ()

    def written(self) -> Cap:
        """Return the cap without its id."""
        return Cap(id="", **self.model_dump())


class PersonalLimitItem(Params):
    """A day cap of conversions for one affiliate (docs/spec/conversions.md#caps)."""

    partner: s.Id
    caps: Annotated[int, s.WholeNumber(minimum=0)]

    def written(self) -> PersonalLimit:
        """Return the limit."""
        return PersonalLimit(**self.model_dump())


class TierItem(Params):
    """A commission tier (docs/spec/conversions.md#commission-tiers)."""

    timeframe: Annotated[CapPeriod, s.Choice(period for period in CapPeriod if period != CapPeriod.HOUR)]
    type: Annotated[CapType, s.Choice((CapType.BUDGET, CapType.CONVERSIONS))]
    value: Annotated[s.Amount, AfterValidator(_counted)]
    modifier_type: Annotated[ModifierType, s.Choice(ModifierType)]
    modifier_value: s.Amount
    modifier_payment_type: Annotated[ModifierTarget, s.Choice(ModifierTarget)] = ModifierTarget.PAYOUT
    goals: Seq[Goal] = ()
    target_goals: Seq[Goal] = ()
    affiliate_type: Spread = CapScope.EACH
    affiliates: Annotated[Seq[s.Id], Field(validate_default=True), AfterValidator(_exact)] = ()
    countries: Seq[CountryLike] = ()
    conversion_status: Seq[TierStatus] = ()

    def written(self) -> Tier:
        """Return the tier without its id."""
        return Tier(id="", **self.model_dump())


class IntervalItem(Params):
    """Hours of a weekday, inclusive; From > To runs into the next day."""

    start: Annotated[s.Hour, Field(alias="From")]
    end: Annotated[s.Hour, Field(alias="To")]


class ScheduleParams(Params):
    """When an offer takes clicks (docs/spec/tracking.md#schedule); intervals by weekday, 0 = Sunday."""

    enabled: s.Flag = False
    date_start: Annotated[s.Day | None, Clearable()] = None
    date_to: Annotated[s.Day | None, Clearable()] = None
    timezone: Annotated[s.Zone | None, Clearable()] = None
    intervals: Keyed[Day, Seq[IntervalItem]] = Field(default_factory=dict)

    def written(self) -> dict[str, Any]:
        """Return the sent fields of a schedule."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        for name in values.keys() & {"date_start", "date_to"}:
            values[name] = values[name] and values[name].isoformat()
        if "timezone" in values:
            values["timezone"] = "" if self.timezone is None else self.timezone.key
        if "intervals" in values:
            days = sorted(self.intervals.items())
            values["intervals"] = tuple(
                Interval(day_of_week=day, start=item.start, end=item.end) for day, items in days for item in items
            )
        return values


class RestrictedOsItem(Params):
    """An allowed operating system, and its versions; none = all of them."""

    os: s.Name
    versions: Annotated[Seq[Annotated[str, s.BoundedText(maximum=64, pattern=r"(>=|<)?[\w. -]*")]], MayBeEmpty()]

    def written(self) -> RestrictedOs:
        """Return the restriction that was sent."""
        return RestrictedOs(os=self.os, versions=tuple(version for version in self.versions if version))


class RestrictedIspItem(Params):
    """An allowed provider; without a country in every country."""

    country: CountryLike | None = None
    name: s.Name

    def written(self) -> RestrictedIsp:
        """Return the restriction that was sent."""
        return RestrictedIsp(country=self.country or "", name=self.name)


@with_every_sub
class SubRestrictionItem(Params):
    """Values of subs that are restricted together."""

    sub1: s.Text | None = None

    def written(self) -> dict[str, str]:
        """Return the values by sub."""
        return self.model_dump(exclude_none=True)
