"""The rows of a list in the order of a figure of its period (docs/spec/console.md#figures-of-lists)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from typing import Final

from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.figures import value_of
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.shown import number
from trackyard.console.list_files import total_of
from trackyard.console.lists.figures import AnyFigures, figures_currency
from trackyard.console.lists.state import ListRequest
from trackyard.domain.statistics.metrics import METRIC_BY_NAME

MOST_ROWS: Final = 10_000
"""Rows with figures that can be ordered."""
AT_ONCE: Final = 100
"""Rows that are read by their ids at once."""
_MOST_READ: Final = 300
"""Rows that meet the filters up to which all of them are read and ordered."""
Id = int | str
"""The id of a row."""


@dataclass(frozen=True, slots=True)
class FigureOrder:
    """The order of a list by a figure. asked: the filters of the list and its usual order."""

    state: ListRequest
    declared: AnyFigures
    period: DayPeriod
    asked: Sequence[Pair]

    def ids(self) -> tuple[Iterator[Id], int]:
        """Return the ids of the rows that meet the filters, read as they are taken, and their number.

        Rows without figures have the least. Equal ones are in the usual order. Raises RequestError.
        """
        values, falls = self._values(), self.state.sort[1] == "desc"
        first, total = self._page(1)

        def rank(key: Id) -> Decimal:
            return values.get(key, Decimal(-1)) * (-1 if falls else 1)

        if total <= _MOST_READ:
            return iter(sorted(first, key=rank)), total
        with_figures = self._of(sorted(sorted(values, reverse=True), key=rank))
        without = (key for key in self._every(total) if key not in values)
        return chain(with_figures, without) if falls else chain(without, with_figures), total

    def rows(self, ids: Iterator[Id], most: int) -> Sequence[object]:
        """Return the rows of the next ids, at most `most`, in their order. Raises RequestError."""
        place = {str(key): at for at, key in enumerate(islice(ids, most))}
        if not place:
            return []
        page, request = self.state.page, self.state.request
        sent = [*self.asked, *self._by(place), *self.state.place(1, most)]
        rows = page.rows(request, request.calls.ask_as(page.view, page.method, sent, self.state.path))
        return sorted(rows, key=lambda row: place[str(self.declared.key(row))])

    def _values(self) -> dict[Id, Decimal]:
        """Return the figure of each row that has any. Raises RequestError."""
        request, slice_ = self.state.request, self.declared.slice_
        money = figures_currency(self.declared, request).pairs
        found = figures.all_rows(request.calls, self.period, [slice_], MOST_ROWS, money)
        if found.total > MOST_ROWS:
            text = gettext(
                "%(total)s rows have figures in these days, and at most %(most)s can be ordered: choose fewer days.",
                total=number(found.total),
                most=number(MOST_ROWS),
            )
            raise RequestError(text)
        kind = METRIC_BY_NAME[self.state.sort[0]]
        return {row.id_of(slice_): Decimal(value_of(kind, row.figures) or 0) for row in found.rows}

    def _page(self, number_: int, more: Sequence[Pair] = ()) -> tuple[list[Id], int]:
        """Return the ids of a page of the method in the usual order, and the number of all."""
        page, sent = self.state.page, [*self.asked, *more, *self.state.place(number_, _MOST_READ)]
        answer = self.state.request.calls.ask_as(page.view, page.method, sent, self.state.path)
        return list(self.declared.ids(answer)), total_of(answer)

    def _every(self, total: int) -> Iterator[Id]:
        for number_ in range(1, -(-total // _MOST_READ) + 1):
            yield from self._page(number_)[0]

    def _of(self, ids: Sequence[Id]) -> Iterator[Id]:
        """Yield the ids, in their order, of rows that meet the filters."""
        for block in (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE)):
            met = set(self._page(1, self._by(block))[0])
            yield from (key for key in block if key in met)

    def _by(self, ids: Iterable[Id]) -> list[Pair]:
        return [(self.declared.by, str(key)) for key in ids]


def figure_order(state: ListRequest, asked: Sequence[Pair]) -> FigureOrder | None:
    """Return the order of a list that the address orders by a figure, else None."""
    declared = state.page.figures
    if declared is None or state.period is None or not state.page.has_figure(state.sort[0]):
        return None
    return FigureOrder(state, declared, state.period, asked)
