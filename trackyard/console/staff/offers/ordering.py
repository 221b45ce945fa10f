"""Offers in the order of a figure of a period (docs/spec/console.md#offers)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.offers import lists
from trackyard.api.offers.view import ListedOfferView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.shown import number
from trackyard.domain.statistics.metrics import MetricSums
from trackyard.wire.local_calls import LocalCalls

FIGURES: Final = ("clicks", "conversions", "cr")
"""The figures that the list can be ordered by."""
MOST_ROWS: Final = 10_000
"""Offers with figures that can be ordered."""
_MOST_READ: Final = 300
"""Offers that meet the filters up to which all of them are read and ordered."""
_AT_ONCE: Final = 100

Offers = Iterator[ListedOfferView]
"""Offers of the API, in order."""


def each_by_figure(
    calls: LocalCalls[Deps], sent: Sequence[Pair], period: DayPeriod, figure: str, direction: str
) -> tuple[Offers, int]:
    """Return the offers in the order of a figure, read as they are taken, and the number of all.

    Offers without clicks and conversions have the least figures. Equal ones are in the order of their numbers, the
    newest first. sent: the filters of the list. Raises RequestError.
    """
    conditions = [pair for pair in sent if pair[0] not in ("limit", "page") and not pair[0].startswith("sort[")]
    values = _values(calls, period, figure)
    first = _ask(calls, [*conditions, ("sort[id]", "desc")])
    total, falls = first.pagination.total_count, direction == "desc"

    def rank(id_: int) -> Decimal:
        return values.get(id_, Decimal(-1)) * (-1 if falls else 1)

    if total <= _MOST_READ:
        return iter(sorted(_every(calls, conditions), key=lambda offer: (rank(offer.id), -offer.id))), total
    ranked = sorted(values, key=lambda id_: (rank(id_), -id_))
    with_figures = _of_ids(calls, conditions, ranked)
    without = (offer for offer in _every(calls, conditions) if offer.id not in values)
    return chain(with_figures, without) if falls else chain(without, with_figures), total


def page_by_figure(offers: Offers, page: int, per_page: int) -> list[ListedOfferView]:
    """Return a page of the offers, counted from 1. Raises RequestError."""
    return list(islice(offers, (page - 1) * per_page, page * per_page))


_READ: Final[Mapping[str, Callable[[MetricSums], Decimal | int | None]]] = {
    "clicks": lambda each: each.clicks,
    "conversions": lambda each: each.conversions,
    "cr": lambda each: each.metric("cr"),
}


def _values(calls: LocalCalls[Deps], period: DayPeriod, figure: str) -> Mapping[int, Decimal]:
    """Return the figure of each offer that has any. Raises RequestError."""
    found = figures.all_rows(calls, period, ["offer"], MOST_ROWS)
    if found.total > MOST_ROWS:
        text = gettext(
            "%(total)s offers have figures in these days, and at most %(most)s can be ordered: choose fewer days.",
            total=number(found.total),
            most=number(MOST_ROWS),
        )
        raise RequestError(text)
    read = _READ[figure]
    return {int(row.id_of("offer")): Decimal(read(row.figures) or 0) for row in found.rows}


def _every(calls: LocalCalls[Deps], conditions: Sequence[Pair]) -> Offers:
    """Yield the offers that meet the filters, the newest first."""
    page, seen, total = 1, 0, 1
    while seen < total:
        answer = _ask(calls, [*conditions, ("sort[id]", "desc"), ("page", str(page))])
        yield from answer.offers
        if not answer.offers:
            return
        page, seen, total = page + 1, seen + len(answer.offers), answer.pagination.total_count


def _of_ids(calls: LocalCalls[Deps], conditions: Sequence[Pair], ids: Sequence[int]) -> Offers:
    """Yield the offers with these ids that meet the filters, in the order of the ids."""
    for block in (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE)):
        sent = [*conditions, *(("int_id[]", str(each)) for each in block)]
        found = {offer.id: offer for offer in _ask(calls, sent).offers}
        yield from (found[each] for each in block if each in found)


def _ask(calls: LocalCalls[Deps], sent: Sequence[Pair]) -> lists.OffersAnswer:
    return calls.ask_as(lists.OffersAnswer, lists.list_offers, [*sent, ("limit", str(_AT_ONCE))])
