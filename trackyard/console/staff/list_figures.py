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
from trackyard.console.frame.figures import BY_NAME, Figures, Page, figure_change, value_of
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.late.together import ask_together
from trackyard.console.money_shown.currencies import CurrencyChoice, read_currency

K = TypeVar("K", int, str)
"""The id of an object."""
USUAL: Final = "7d"
"""The period of an address without one."""
_NOTHING: Final = Figures()


@dataclass(frozen=True, slots=True)
class ListPeriod:
    """The period of a list. pairs: how addresses name it. fault: why it is not the one that was asked for."""

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
        """Return what addresses of lists of the same days end with."""
        return str(PageAddress("", self.pairs)).removeprefix("?")

    def shown(self) -> dict[str, Any]:
        """Return what the menu of periods names."""
        return {"period": self.days, "periods": CHOICES, "span": self.query, "period_text": self.text}


@dataclass(frozen=True, slots=True)
class ListFigures:
    """What an object did in a period.

    latest, before: up to the last full hour, in the period and in the one before it.
    is_compared: whether an hour of the period is over.
    """

    figures: Figures = _NOTHING
    latest: Figures = _NOTHING
    before: Figures = _NOTHING
    is_compared: bool = True

    def change(self, name: str) -> tuple[str, str]:
        """Return the change of a figure in words, and its tone.

        Both are empty where all values are 0.
        """
        kind = BY_NAME[name]
        if not self.is_compared or not any(value_of(kind, each) for each in (self.figures, self.latest, self.before)):
            return "", "neutral"
        return figure_change(kind, self.figures, self.latest, self.before)


def list_period(request: PageRequest) -> ListPeriod:
    """Return the period that the address of a list names; the last seven days unless it does."""
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
    """Return the currency of the figures of a list; without the right to statistics there is no choice."""
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
    """Return the figures of objects by id, and why they cannot be read.

    They are None without the right to statistics. Objects that did nothing are left out.
    slice_, filter_: of the API, such as affiliate and partner. money: parameters of the API that name the currency.
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


def _by_id(page: Page, slice_: str) -> Mapping[int | str, Figures]:
    return {row.id_of(slice_): row.figures for row in page.rows}
