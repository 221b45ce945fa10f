"""The filters of a report as a sentence, and the form that adds one (docs/spec/console.md#reports)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.offers import lists
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import shorten
from trackyard.console.reports_shown.filters import (
    EMPTY,
    FILTER_BY_NAME,
    MOST_VALUES,
    Condition,
    FilterKind,
    without_condition,
)
from trackyard.console.reports_shown.query import ReportQuery
from trackyard.console.reports_shown.signals import clicks_of_choices, signal_text
from trackyard.console.reports_shown.slices import cell_of, empty_text

OFFERED: Final = 40
"""Values that the form of a filter offers: the ones with the most clicks in the period."""
_SHOWN: Final = 5
"""Values of a filter that its chip names; it counts the others."""
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in words. verb: is, or is not. change: where its form is. remove: the address without it."""

    label: str
    verb: str
    values: tuple[str, ...]
    more: int
    change: PageAddress
    remove: PageAddress


@dataclass(frozen=True, slots=True)
class OfferedValue:
    """A value that a filter may have. text: what people read."""

    value: str
    text: str
    clicks: int


@dataclass(frozen=True, slots=True)
class FilterForm:
    """The form of a filter. typed: values that are chosen and not offered, one a line."""

    kind: FilterKind
    offered: tuple[OfferedValue, ...]
    chosen: frozenset[str]
    typed: str
    is_without: bool
    empty_text: str
    has_empty: bool


def chips_of(request: PageRequest, query: ReportQuery) -> list[Chip]:
    """Return the filters in words."""
    return [_chip(request, query, condition) for condition in query.conditions]


def form_of(request: PageRequest, query: ReportQuery) -> FilterForm | None:
    """Return the form of the filter that `add` in the address selects; None without one."""
    kind = FILTER_BY_NAME.get(request.address.get("add"))
    if kind not in query.filter_kinds or kind is None:
        return None
    is_without = request.address.get("how") == "not" and bool(kind.excludes)
    found = [each for each in query.conditions if each.kind is kind and each.without == is_without]
    chosen = {value for each in found for value in each.values}
    offered = _offered(request, query, kind)
    known = {each.value for each in offered}
    return FilterForm(
        kind=kind,
        offered=tuple(offered),
        chosen=frozenset(chosen & known),
        typed="\n".join(sorted(chosen - known)),
        is_without=is_without,
        empty_text=empty_text(kind.name),
        has_empty=any(each.has_empty for each in found),
    )


def address_of_form(address: PageAddress) -> PageAddress | None:
    """Return the address that a sent form of a filter leads to; None when none was sent."""
    kind = FILTER_BY_NAME.get(address.get("filter"))
    if kind is None:
        return None
    typed = (line.strip("\r\n") for text in address.all("typed") for line in text.split("\n"))
    values = list(dict.fromkeys(value for value in (*address.all("value"), *typed) if value.strip()))[:MOST_VALUES]
    is_without = address.get("how") == "not" and bool(kind.excludes)
    wants_empty = bool(address.get("none")) and kind.is_text and not is_without
    kept = address.without("filter", "value", "typed", "how", "none", "add")
    kept = kept.set(f"{'not' if is_without else 'f'}.{kind.name}", *values)
    if is_without:
        return kept
    return kept.add(EMPTY, kind.name) if wants_empty else kept.drop(EMPTY, kind.name)


def menu_of_filters(query: ReportQuery) -> list[tuple[str, PageAddress]]:
    """Return the label of each filter and the address of its form."""
    return [(kind.label, query.address.without("add", "how").set("add", kind.name)) for kind in query.filter_kinds]


def _chip(request: PageRequest, query: ReportQuery, condition: Condition) -> Chip:
    kind = condition.kind
    names = _names(request, condition)
    shown = [names.get(value) or value for value in condition.values[:_SHOWN]]
    if condition.has_empty:
        shown.insert(0, empty_text(kind.name))
    change = query.address.without("add", "how").set("add", kind.name)
    return Chip(
        label=kind.label,
        verb=gettext("is not") if condition.without else gettext("is"),
        values=tuple(shorten(text, _LONGEST) for text in shown),
        more=max(len(condition.values) - _SHOWN, 0),
        change=change.set("how", "not") if condition.without else change,
        remove=without_condition(query.address, condition),
    )


def _names(request: PageRequest, condition: Condition) -> Mapping[str, str]:
    """Return the words of the first values of a filter; ids that the person may not see have none."""
    objects, values, calls = condition.kind.objects, condition.values[:_SHOWN], request.calls
    if condition.kind.words:
        return {value: str(word) for value, word in condition.kind.words.items()}
    if condition.kind.name == "origin":
        return {value: signal_text(value) for value in values}
    if objects is None:
        return {}
    try:
        if not calls.is_staff:
            return {value: _own_title(request, value) for value in values}
        return objects.names(calls, (value for value in values if objects.takes(calls, value)))
    except RequestError:
        return {}


def _own_title(request: PageRequest, offer: str) -> str:
    """Return the title of an offer for an affiliate; "" where it may not see the offer."""
    try:
        return request.calls.ask(lists.get, path={"id": offer}).offer.title
    except RequestError:
        return ""


def _offered(request: PageRequest, query: ReportQuery, kind: FilterKind) -> list[OfferedValue]:
    """Return the values that there are, or the ones with the most clicks under the other filters."""
    if kind.words:
        return [OfferedValue(value, str(word), 0) for value, word in kind.words.items()]
    if kind.slice not in query.slices:
        return []
    others = [pair for each in query.conditions if each.kind is not kind for pair in each.pairs()]
    needed = ["smart_id"] if any(name == "filter[smart_id][]" for name, _ in others) else []
    found = figures.report(
        request.calls, query.period, [kind.slice, *needed], order="raw", limit=OFFERED, filters=others
    )
    if kind.name == "origin":
        counts = clicks_of_choices((str(row.id_of("origin")), row.figures.clicks) for row in found.rows)
        return [OfferedValue(value, signal_text(value), clicks) for value, clicks in counts.items()]
    offered: dict[str, OfferedValue] = {}
    for row in found.rows:
        cell = cell_of(kind.slice, row.keys)
        if cell.value and cell.value not in offered:
            offered[cell.value] = OfferedValue(cell.value, cell.text, row.figures.clicks)
    return list(offered.values())
