"""Retention and time to action.

See docs/api/cohorts.md and docs/spec/statistics.md#retention-and-time-to-action.
"""

from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.cohorts import retention, time_to_action
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import bounded_span
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.cohorts import Cohort, RetentionQuery, TimeToActionQuery, TimeToActionRow
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, CommaList, Params
from trackyard.wire.response.envelope import Answer, BareAnswer, Pagination, View, number

routes = Routes[Deps]()
_READERS = for_callers(Permission.STATS_OTHER)

Event = Annotated[str, s.BoundedText(minimum=1, maximum=255, pattern="[A-Za-z]+")]


class RetentionParams(Params):
    """The cohorts: clicks of an offer with the goal `base_event` in the period."""

    date_from: s.Day
    date_to: s.Day
    offer: s.Int
    base_event: Event
    events: CommaList[Event]
    affiliate_id: AnyOf[s.Int] = ()
    timezone: s.Zone | None = None

    def question(self, request: ApiRequest[Deps]) -> RetentionQuery:
        """Return the query. Raises BadInput for a wrong or too long period."""
        zone = self.timezone or request.deps.zone
        since, until = bounded_span(request.deps, self.date_from, self.date_to, zone, fine=True)
        return RetentionQuery(
            scope=Scope.nothing(),
            since=since,
            until=until,
            zone=zone.key,
            offer=self.offer,
            base_event=self.base_event,
            events=tuple(dict.fromkeys(self.events)),
            affiliates=self.affiliate_id or None,
        )


class RetentionAnswer(BareAnswer):
    """A list of cohorts.

    Each has affiliate_id, date, its size as install_count, and for each event `rr_` and its name the percent of clicks
    that had the event later.
    """

    rows: list[dict[str, Any]]


class TimingParams(Paging):
    """The clicks and conversions. goal: conversions of these goals alone."""

    date_from: s.Day
    date_to: s.Day
    offer_id: s.Int
    timezone: s.Zone
    goal: AnyOf[s.LongText] = ()
    affiliate_ids: CommaList[s.Int] = ()

    def question(self, request: ApiRequest[Deps]) -> TimeToActionQuery:
        """Return the query. Raises BadInput for a wrong or too long period."""
        since, until = bounded_span(request.deps, self.date_from, self.date_to, self.timezone, fine=False)
        return TimeToActionQuery(
            scope=Scope.nothing(),
            since=since,
            until=until,
            offer=self.offer_id,
            goals=self.goal,
            affiliates=self.affiliate_ids or None,
            **self.place(request),
        )


class TimingView(View):
    """Clicks of an affiliate, and its conversions by the time since their click.

    tta_30, tta_600, tta_inf: up to 30 s, up to 600 s, longer.
    """

    affiliate_id: int
    clicks: int
    total_conversions: int
    tta_30: int
    tta_600: int
    tta_inf: int


class TimingAnswer(Answer, kw_only=True):
    """A page of rows. Its `status` is 200."""

    data: list[TimingView]
    pagination: Pagination
    status: int = 200


@routes.get(
    "/stats/retentionrate", _READERS, id="stats.retentionrate", report=True, features=("stats.view-retention-rate",)
)
def show_retention(request: ApiRequest[Deps], params: RetentionParams) -> RetentionAnswer:
    """Show how many of an offer's clicks that had one goal had others later.

    A row is a cohort: the clicks of an affiliate with the goal `base_event` on a date. The answer is a list without an
    envelope.
    """
    question = params.question(request)
    found = retention(request.deps, request.access, question)
    return RetentionAnswer(rows=[_cohort(cohort, question.events) for cohort in found])


@routes.get("/stats/time-to-action", _READERS, id="stats.time-to-action", report=True)
def show_timing(request: ApiRequest[Deps], params: TimingParams) -> TimingAnswer:
    """Show how long after their clicks the conversions of an offer came."""
    question = params.question(request)
    found, total = time_to_action(request.deps, request.access, question)
    return TimingAnswer(
        data=[_timing(row) for row in found],
        pagination=params.pagination(request, total),
    )


def _cohort(cohort: Cohort, events: tuple[str, ...]) -> dict[str, Any]:
    rates = {f"rr_{event}": number(cohort.rate(event)) for event in events}
    return {"affiliate_id": cohort.affiliate, "date": cohort.day, **rates, "install_count": cohort.size}


def _timing(row: TimeToActionRow) -> TimingView:
    return TimingView(
        affiliate_id=row.affiliate,
        clicks=row.clicks,
        total_conversions=row.conversions,
        tta_30=row.soon,
        tta_600=row.later,
        tta_inf=row.last,
    )
