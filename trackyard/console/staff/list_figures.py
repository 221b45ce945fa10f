"""The figures of lists, compared (docs/spec/console.md#figures-of-lists)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from trackyard.api.statistics import reports
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.figures import Page, figure_change, value_of
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.late.together import ask_together
from trackyard.console.money_shown.currencies import CurrencyChoice, read_currency
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, MetricSums

K = TypeVar("K", int, str)
"""The id of an object."""
USUAL: Final = "7d"
"""The period of an address without one."""
_NOTHING: Final = MetricSums()


@dataclass(frozen=True, slots=True)
class ListPeriod:
    """The period of a list.

    pairs: its parameters in addresses. fault: the error where the address has no valid period."""

    days: DayPeriod
    pairs: tuple[Pair, ...]
    fault: str

    @property
    def text(self) -> str:
        """Return its days, and what they are compared with, in words."""
        before = self.days.against(self.days.before_text)
        return gettext("%(days)s, against the %(before)s", days=self.days.text, before=before)

    @property
    def query(self) -> str:
        """Return the query for addresses of lists of the same days."""
        return str(PageAddress("", self.pairs)).removeprefix("?")

    def shown(self) -> dict[str, Any]:
        """Return the values of the menu of periods."""
        return {"period": self.days, "periods": CHOICES, "span": self.query, "period_text": self.text}


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


def list_period(request: PageRequest) -> ListPeriod:
    """Return the period in the address of a list; the last seven days without one."""
    address = request.address
    if not address.get("period") and not address.get("from") and not address.get("to"):
        address = address.set("period", USUAL)
    days, fault = read_period(address, request.deps.clock.now_ms(), request.day_zone)
    pairs = tuple(pair for pair in address.pairs if pair[0] in ("period", "from", "to", "tz"))
    return ListPeriod(days, pairs, fault)


def last_week(request: PageRequest) -> DayPeriod:
    """Return the last seven days."""
    week = PageAddress("", (("period", USUAL),))
    return read_period(week, request.deps.clock.now_ms(), request.day_zone)[0]


def list_currency(request: PageRequest) -> CurrencyChoice:
    """Return the currency of a list's figures; without the right to statistics, people cannot choose it."""
    if request.calls.may(reports.custom):
        return read_currency(request)
    return CurrencyChoice("", request.deps.currency, (request.deps.currency,))


def list_requests(
    request: PageRequest,
    rows: str,
    period: DayPeriod,
    money: CurrencyChoice,
    slice_: str,
    filter_: str,
    ids: Sequence[int | str],
) -> list[str]:
    """Return the requests that give a list: its rows, and their figures where the person may see them.

    rows: the request of the rows. slice_, filter_: of the API, such as affiliate and partner.
    """
    if not ids or not request.calls.may(reports.custom):
        return [rows]
    chosen = [*_chosen(filter_, ids), *money.pairs]
    return [rows, request.calls.address(reports.custom, figures.request_of(period, [slice_], filters=chosen))]


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
