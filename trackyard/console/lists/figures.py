"""The figures of the rows of a list, compared (docs/spec/console.md#figures-of-lists)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

from trackyard.api.statistics import reports
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.deferred.together import ask_together
from trackyard.console.frame import figures
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.figures import Page, figure_change, value_of
from trackyard.console.frame.periods import DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.cells import ListCell, PageLink, amount_of
from trackyard.console.money.currencies import CurrencyChoice, read_currency
from trackyard.domain.statistics.metrics import COUNTED, METRIC_BY_NAME, MetricSums
from trackyard.wire.endpoint import A

K = TypeVar("K", bound=int | str)
"""The id of an object."""
R = TypeVar("R")
"""A row of a list."""
USUAL: Final = "7d"
"""The period of an address without one."""
_NOTHING: Final = MetricSums()
_COUNTS: Final[Mapping[str, tuple[Pair, ...]]] = {
    "clicks": (),
    "conversions": tuple(("status", status) for status in COUNTED),
}
"""Figures that lead to the list of the same name, and what this list then shows."""


@dataclass(frozen=True, kw_only=True)
class FiguresBy(Generic[R, A]):
    """The figures of a list, which has a period without parameters of its own (`Days`).

    names: the metrics, in the order of their columns. slice_, filter_: their names in reports, such as affiliate and
    partner; the slice is the filter of clicks and conversions to which figures lead, too.
    key: returns the id of a row. has_currency: whether people choose the currency of amounts.
    by: the method's parameter of ids, so that people can order rows by figures. ids: returns the ids of an answer then.
    """

    names: tuple[str, ...]
    slice_: str
    filter_: str
    key: Callable[[R], int | str]
    has_currency: bool = False
    by: str = ""
    ids: Callable[[A], Iterable[int | str]] = lambda _answer: ()


AnyFigures = FiguresBy[Any, Any]
"""The figures of any list."""


@dataclass(frozen=True, slots=True)
class ListFigures:
    """The figures of an object in a period.

    latest, before: the figures up to the last full hour, in the period and in the period before it.
    is_compared: whether an hour of the period is over.
    """

    figures: MetricSums = _NOTHING
    latest: MetricSums = _NOTHING
    before: MetricSums = _NOTHING
    is_compared: bool = True

    def change(self, name: str) -> tuple[str, str]:
        """Return the change of a figure in words, and its tone.

        Both are empty where all values are 0.
        """
        kind = METRIC_BY_NAME[name]
        if not self.is_compared or not any(value_of(kind, each) for each in (self.figures, self.latest, self.before)):
            return "", "neutral"
        return figure_change(kind, self.figures, self.latest, self.before)


@dataclass(frozen=True, slots=True)
class FiguresOfRows:
    """The figures of the rows of a page.

    found: by id, None where they cannot be read. fault: why. slice_: the filter of lists to which figures lead.
    days: the period in addresses. sent: the parameters of their report. names: of the metrics.
    """

    period: DayPeriod
    days: tuple[Pair, ...]
    money: CurrencyChoice
    slice_: str
    sent: tuple[Pair, ...]
    names: tuple[str, ...] = ()
    found: Mapping[int | str, ListFigures] | None = None
    fault: str = ""

    @property
    def note(self) -> str:
        """Return the sentence about their days."""
        before = self.period.against(self.period.before_text)
        period = gettext("%(days)s, against the %(before)s", days=self.period.text, before=before)
        sentence = gettext("The figures cover %(period)s.", period=period)
        of_rows = figures.total(each.figures for each in (self.found or {}).values())
        apart = figures.apart_text((METRIC_BY_NAME[name] for name in self.names), of_rows)
        return f"{sentence} {apart}" if apart else sentence

    def cell(self, name: str, key: int | str) -> ListCell:
        """Return the cell of a metric of a row: the figure, which may lead to what it counts, and its change."""
        if self.found is None:
            return ListCell()
        of, kind = self.found.get(key, ListFigures()), METRIC_BY_NAME[name]
        value, in_rows = value_of(kind, of.figures), kind.in_rows(of.figures)
        text, tone = of.change(name)
        return ListCell(
            figures.figure_text(kind, of.figures, self.money.shown),
            link=self._counted(name, key) if name in _COUNTS else "",
            below=(PageLink(text, "", tone=tone),) if text else (),
            value="" if value is None else amount_of(in_rows, self.money.shown) if kind.is_money else in_rows,
        )

    def _counted(self, name: str, key: int | str) -> PageAddress:
        return PageAddress(f"/console/{name}", ((self.slice_, str(key)), *self.days, *_COUNTS[name]))


def last_week(request: PageRequest) -> DayPeriod:
    """Return the last seven days."""
    week = PageAddress("", (("period", USUAL),))
    return read_period(week, request.deps.clock.now_ms(), request.day_zone)[0]


def find_figures(
    declared: AnyFigures,
    request: PageRequest,
    period: DayPeriod,
    ids: Sequence[int | str],
    *,
    is_compared: bool = True,
) -> FiguresOfRows | None:
    """Return the figures of rows; None without the right to statistics.

    is_compared: whether their change is found, too. Raises RequestError without it, where they cannot be read.
    """
    if not request.calls.may(reports.custom):
        return None
    money = figures_currency(declared, request)
    sent = [*_chosen(declared.filter_, ids), *money.pairs]
    days = tuple(pair for pair in request.address.pairs if pair[0] in ("period", "from", "to", "tz"))
    slice_ = declared.slice_
    asked = tuple(figures.request_of(period, [slice_], filters=sent)) if ids else ()
    made = FiguresOfRows(period, days, money, slice_, asked, declared.names)
    if not is_compared:
        now = figures.all_rows(request.calls, period, [slice_], len(ids), sent) if ids else Page([], 0, "")
        return replace(made, found={key: ListFigures(of) for key, of in _by_id(now, slice_).items()})
    found, fault = find_list_figures(request, period, slice_, declared.filter_, ids, money.pairs)
    return replace(made, found=found, fault=" ".join(each for each in (money.fault, fault) if each))


def figures_currency(declared: AnyFigures, request: PageRequest) -> CurrencyChoice:
    """Return the currency of a list's figures, which people choose where the list declares it."""
    if declared.has_currency:
        return read_currency(request)
    return CurrencyChoice("", request.deps.currency, (request.deps.currency,))


def find_list_figures(
    request: PageRequest,
    period: DayPeriod,
    slice_: str,
    filter_: str,
    ids: Sequence[K],
    money: Sequence[Pair] = (),
) -> tuple[Mapping[K, ListFigures] | None, str]:
    """Return figures by object id, and an error message.

    Figures are None without the right to statistics, or with an error. Objects without activity are left out.
    slice_, filter_: the API's slice and filter, such as affiliate and partner. money: the API's currency parameters.
    """
    if not request.calls.may(reports.custom):
        return None, ""
    if not ids:
        return {}, ""
    chosen = [*_chosen(filter_, ids), *money]
    by, most = [slice_], len(ids)
    today = [period.today] if period.is_open and period.first <= period.today else []
    try:
        now, before, *late = ask_together(
            request.calls,
            partial(figures.all_rows, period=period, slices=by, most=most, filters=chosen),
            partial(figures.finished_hours, period=period, earlier=period.before, slices=by, most=most, filters=chosen),
            *(
                partial(figures.late_hours, day=day, period=period, slices=by, filters=chosen, most=most)
                for day in today
            ),
        )
    except RequestError as refusal:
        return None, gettext("The figures cannot be read now. %(text)s.", text=refusal.text)
    found, earlier, unfinished = (_by_id(page, slice_) for page in (now, before, *(late or [Page([], 0, "")])))
    return {
        key: ListFigures(
            found.get(key, _NOTHING),
            found.get(key, _NOTHING) - unfinished.get(key, _NOTHING),
            earlier.get(key, _NOTHING),
            is_compared=period.has_full_hour,
        )
        for key in ids
        if key in found or key in earlier
    }, ""


def _chosen(filter_: str, ids: Sequence[int | str]) -> list[Pair]:
    return [(f"filter[{filter_}][]", str(each)) for each in ids]


def _by_id(page: Page, slice_: str) -> Mapping[int | str, MetricSums]:
    return {row.id_of(slice_): row.figures for row in page.rows}
