"""The filter of reports by the signals of clicks (docs/spec/quality.md#signals).

A row of the slice has all signals of its clicks, and the filter has one choice at a time: no row is a choice.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.reports_shown.filters import FILTER_BY_NAME
from trackyard.console.reports_shown.query import ReportQuery
from trackyard.domain.statistics.quality.origins import CLEAN, MARKED, ORIGIN_CHOICES, bits_of, origins_with

_TEXTS: Final[Mapping[str, str]] = {
    MARKED: lazy_gettext("suspicious"),
    CLEAN: lazy_gettext("without suspicious signals"),
}


def signal_text(choice: str) -> str:
    """Return the label of a choice in the filter of signals."""
    return str(_TEXTS.get(choice, choice))


def clicks_of_choices(rows: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the clicks of each choice that has some.

    rows: signals, separated by commas, and clicks.
    """
    counts = Counter[str]()
    for text, clicks in rows:
        bits = bits_of(text.split(", ") if text else ())
        counts.update({choice: clicks for choice in ORIGIN_CHOICES if bits in origins_with((choice,))})
    return {choice: counts[choice] for choice in ORIGIN_CHOICES if counts[choice]}


def address_without_suspicious(query: ReportQuery) -> PageAddress | None:
    """Return the address of the report without suspicious clicks; None where a filter has signals already."""
    kind = FILTER_BY_NAME["origin"]
    if kind not in query.filter_kinds or any(each.kind is kind for each in query.conditions):
        return None
    return query.address.without("add", "how").set(f"not.{kind.name}", MARKED)
