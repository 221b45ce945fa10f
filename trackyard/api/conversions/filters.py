"""Filters of the list of conversions.

See docs/api/conversions.md and docs/spec/conversions.md#lists-of-conversions.
"""

from datetime import timedelta
from typing import Annotated, Any, Final

from trackyard.actions.deps import Deps
from trackyard.api.statistics.exports import ExportListParams
from trackyard.api.statistics.times import hour_end_ms, hour_start_ms, span
from trackyard.base.errors import BadInput
from trackyard.base.ids import lowercase_ids
from trackyard.base.zones import local_day
from trackyard.domain.conversions.lists import FAR_FUTURE_MS, ConversionFilter
from trackyard.domain.conversions.statuses import STATUSES_BY_NUMBER, Status
from trackyard.domain.money.currencies import CODES
from trackyard.domain.money.payment_states import PaymentState
from trackyard.domain.money.statements import SUMMED_LINES, BookedIn, LineKind
from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Only, Params, Seq

StatusNumber = Annotated[int, s.Choice(("1", "2", "3", "5"), only_3_0=("4",), number=True)]
Device = Annotated[str, s.Choice(("tablet", "desktop", "mobile"))]
BookedLine = Annotated[str, s.Choice(tuple(line.value for line in SUMMED_LINES))]
PaymentStateName = Annotated[str, s.Choice(("opened", "closed", "pending", "1", "2", "3"))]

_PAYMENT_STATES = {text: state for state in PaymentState for text in (state.value, state.number)}
"""`payment_status` and `is_paid` to the state: a filter takes either."""


_SETS: Final = {
    "offers": "offer", "affiliates": "partner", "referrers": "referrer", "browsers": "browser", "systems": "os",
    "devices": "device", "goals": "goal", "goal_ids": "goal_id", "action_ids": "action_id", "payouts": "payouts",
    "charges": "revenue", "decline_reasons": "decline_reason",
}  # fmt: skip
"""Field of ConversionFilter to the parameter of the same values."""


class ConversionFilters(Params):
    """The filters of conversions; by default they select the conversions of the last week.

    A filter takes a list; any of its values matches.
    payouts_from, payouts_to, revenue_from, revenue_to: inclusive.
    id: the ids of conversions, of any age unless date_from is sent.
    goal_id: as goal.
    decline_reason: the comment of a declined conversion.
    comment: a part of the comment.
    payment_status: its name, or the number that `is_paid` has.
    update_to_date, update_to_hour: the last change is in this day or hour, or before.
    booked: lines of statements; the entries that they add up then give the period and the currency.
    referrer: the affiliates that get a share of the conversions.
    """

    date_from: s.Day | None = None
    date_to: s.Day | None = None
    update_from_date: s.Day | None = None
    update_from_hour: s.Hour | None = None
    update_to_date: s.Day | None = None
    update_to_hour: s.Hour | None = None
    status: Seq[StatusNumber] = ()
    offer: Seq[s.Int] = ()
    advertiser: Annotated[Seq[s.Text], Only(admin=True)] = ()
    country: Seq[s.Text] = ()
    browser: AnyOf[s.Text] = ()
    action_id: AnyOf[s.LongText] = ()
    clickid: AnyOf[s.Text] = ()
    id: AnyOf[s.Text] = ()
    os: AnyOf[s.Text] = ()
    goal: AnyOf[s.LongText] = ()
    goal_id: AnyOf[s.LongText] = ()
    device: AnyOf[Device] = ()
    payouts: AnyOf[s.Amount] = ()
    payouts_from: s.Amount | None = None
    payouts_to: s.Amount | None = None
    currency: AnyOf[s.Int] = ()
    hour: s.Hour | None = None
    timezone: s.Zone | None = None
    custom_field_1: AnyOf[s.LongText] = ()
    custom_field_2: AnyOf[s.LongText] = ()
    custom_field_3: AnyOf[s.LongText] = ()
    custom_field_4: AnyOf[s.LongText] = ()
    custom_field_5: AnyOf[s.LongText] = ()
    custom_field_6: AnyOf[s.LongText] = ()
    custom_field_7: AnyOf[s.LongText] = ()
    subid1: AnyOf[s.LongText] = ()
    subid2: AnyOf[s.LongText] = ()
    subid3: AnyOf[s.LongText] = ()
    subid4: AnyOf[s.LongText] = ()
    subid5: AnyOf[s.LongText] = ()
    subid6: AnyOf[s.LongText] = ()
    subid7: AnyOf[s.LongText] = ()
    subid8: AnyOf[s.LongText] = ()
    smart_id: AnyOf[s.Text] = ()
    decline_reason: AnyOf[s.LongText] = ()
    comment: AnyOf[s.LongText] = ()
    payment_status: AnyOf[PaymentStateName] = ()
    partner: Annotated[Seq[s.Int], Only(admin=True)] = ()
    revenue: Annotated[AnyOf[s.Amount], Only(admin=True)] = ()
    revenue_from: Annotated[s.Amount | None, Only(admin=True)] = None
    revenue_to: Annotated[s.Amount | None, Only(admin=True)] = None
    promo_code: AnyOf[s.Text] = ()
    booked: AnyOf[BookedLine] = ()
    referrer: Annotated[Seq[s.Int], Only(admin=True)] = ()

    def chosen(self, request: ApiRequest[Deps]) -> ConversionFilter:
        """Return the filter. Raises BadInput for a wrong period."""
        since, until = self._period(request)
        states = frozenset(_PAYMENT_STATES[state] for state in self.payment_status)
        booked = self._booked(since, until)
        if booked is not None:
            since, until = 0, FAR_FUTURE_MS
        sets: dict[str, Any] = {field: frozenset(getattr(self, name)) or None for field, name in _SETS.items()}
        return ConversionFilter(
            **sets,
            since=since,
            until=until,
            updated_since=self._updated_since(request),
            updated_until=self._updated_until(request),
            statuses=frozenset(_stored_statuses(self.status, request.version)) if self.status else None,
            advertisers=frozenset(lowercase_ids(self.advertiser)) or None,
            countries=frozenset(code.upper() for code in self.country) or None,
            click_ids=frozenset(lowercase_ids(self.clickid)) or None,
            ids=frozenset(lowercase_ids(self.id)) or None,
            currencies=None if booked else self._currencies(),
            booked=booked,
            payout_from=self.payouts_from,
            payout_to=self.payouts_to,
            charge_from=self.revenue_from,
            charge_to=self.revenue_to,
            smart_ids=frozenset(lowercase_ids(self.smart_id)) or None,
            subs=_numbered(self, "subid", 8),
            custom_fields=_numbered(self, "custom_field_", 7),
            comments=frozenset(part for part in self.comment if part) or None,
            payment_states=states or None,
            promo_codes=frozenset(code.lower() for code in self.promo_code) or None,
        )

    def _currencies(self) -> frozenset[str] | None:
        return frozenset(CODES.get(number, "") for number in self.currency) or None

    def _booked(self, since: int, until: int) -> BookedIn | None:
        """Return the selection by lines of statements in a period, or None."""
        if not self.booked:
            return None
        lines = frozenset(LineKind(line) for line in self.booked)
        affiliates, referrers = (frozenset(each) or None for each in (self.partner, self.referrer))
        return BookedIn(lines, since, until, self._currencies(), affiliates, referrers)

    def _period(self, request: ApiRequest[Deps]) -> tuple[int, int]:
        zone = self.timezone or request.deps.zone
        today = local_day(request.deps.clock.now_ms(), zone)
        last = self.date_to or today
        by_change = not (self.update_from_date is None and self.update_to_date is None)
        if self.date_from is None and (by_change or self.id):
            return 0, span(last, last, zone)[1]
        first = self.date_from or min(last, today) - timedelta(days=7)
        return span(first, last, zone, hour=self.hour)

    def _updated_since(self, request: ApiRequest[Deps]) -> int | None:
        if self.update_from_date is None:
            if self.update_from_hour is not None:
                raise BadInput({"update_from_hour": ["An hour needs update_from_date."]})
            return None
        return hour_start_ms(self.update_from_date, self.update_from_hour or 0, self.timezone or request.deps.zone)

    def _updated_until(self, request: ApiRequest[Deps]) -> int | None:
        if self.update_to_date is None:
            if self.update_to_hour is not None:
                raise BadInput({"update_to_hour": ["An hour needs update_to_date."]})
            return None
        hours = (self.update_from_hour or 0, 23 if self.update_to_hour is None else self.update_to_hour)
        if self.update_from_date is not None and (self.update_from_date, hours[0]) > (self.update_to_date, hours[1]):
            raise BadInput({"update_to_date": ["This time must not lie before update_from_date."]})
        zone = self.timezone or request.deps.zone
        if self.update_to_hour is None:
            return span(self.update_to_date, self.update_to_date, zone)[1]
        return hour_end_ms(self.update_to_date, self.update_to_hour, zone)


class ListConversions(ExportListParams, ConversionFilters):
    """The filters of a list."""

    raw_export: Annotated[s.Flag, Only(since="3.1")] = False


def shown_status(stored: str, version: str) -> str:
    """Return a stored status as a version shows it.

    pending_cap is shown as pending, not_found under 3.1 as declined.
    """
    if stored == Status.NOT_FOUND and version != "3.0":
        return Status.DECLINED.value
    return Status.PENDING.value if stored == Status.PENDING_CAP else stored


def _stored_statuses(numbers: tuple[int, ...], version: str) -> set[str]:
    """Return the stored statuses that are shown under one of these numbers."""
    wanted = {STATUSES_BY_NUMBER[chosen].value for chosen in numbers}
    return {status.value for status in Status if shown_status(status.value, version) in wanted}


def _numbered(params: ConversionFilters, prefix: str, last: int) -> dict[int, frozenset[str]]:
    values = {n: frozenset[str](getattr(params, f"{prefix}{n}")) for n in range(1, last + 1)}
    return {n: each for n, each in values.items() if each}
