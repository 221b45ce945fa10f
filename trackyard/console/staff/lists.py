"""Filters, order and page of lists of people and money (docs/spec/console.md#addresses)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.offers_shown.words import joined

PER_PAGE: Final = 20
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class ListFilter:
    """A filter of a list.

    name: its parameter in the address. parameter: the API's parameter.
    choices: its values; None = people write a value. kind: the type of the input where people write.
    """

    name: str
    label: str
    parameter: str
    choices: Choices | None
    kind: str = "text"

    def values(self, address: PageAddress) -> list[str]:
        """Return the values of this filter in an address, if they exist."""
        named = [value.strip()[:_LONGEST] for value in dict.fromkeys(address.all(self.name))]
        if self.choices is None:
            return [value for value in named if value]
        known = dict(self.choices)
        return [value for value in named if value in known]


@dataclass(frozen=True, slots=True)
class FilterInForce:
    """A filter that is set. text: its values in words. without: the address without it."""

    label: str
    text: str
    without: PageAddress


@dataclass(frozen=True, slots=True)
class ListState:
    """The state of a list in its address. sort: a column and `asc` or `desc`. page: counted from 1."""

    address: PageAddress
    filters: tuple[ListFilter, ...]
    word: str
    sort: tuple[str, str]
    page: int

    @property
    def is_filtered(self) -> bool:
        """Return whether fewer rows than all are asked for."""
        return bool(self.word or any(each.values(self.address) for each in self.filters))

    @property
    def set_filters(self) -> list[FilterInForce]:
        """Return the filters that are set, in words."""
        return list(_set_filters(self.address, self.filters))

    @property
    def unfiltered(self) -> PageAddress:
        """Return the address without the search and the filters; the rest of the state stays."""
        return self.address.without("q", *(each.name for each in self.filters))

    @property
    def kept(self) -> list[Pair]:
        """Return the hidden fields of the filter form: all parameters except the filters."""
        return list(self.address.hidden(*(each.name for each in self.filters)))

    @property
    def offered(self) -> list[ListFilter]:
        """Return the filters that have a choice."""
        return [each for each in self.filters if each.choices is None or each.choices]

    @property
    def first(self) -> int:
        """Return the place of the first row of the page, counted from 1."""
        return (self.page - 1) * PER_PAGE + 1

    def sent(self, word_parameter: str = "") -> list[Pair]:
        """Return the search, the filters and the page as the API reads them."""
        words = [(word_parameter, self.word)] if word_parameter and self.word else []
        chosen = [(each.parameter, value) for each in self.filters for value in each.values(self.address)]
        return [*words, *chosen, ("limit", str(PER_PAGE)), ("page", str(self.page))]

    def shown(self, total: int) -> dict[str, Any]:
        """Return the values of a list's template. total: the number of all rows."""
        return {"list": self, "total": total}


def read_list(
    address: PageAddress, filters: Iterable[ListFilter], sorts: Sequence[str] = (), usual: tuple[str, str] = ("", "asc")
) -> ListState:
    """Return the state of a list. Wrong values are taken for the usual ones.

    sorts: columns that can be sorted. usual: the order of an address without one.
    """
    column, _, direction = address.get("sort").partition("-")
    sort = (column, "desc" if direction == "desc" else "asc") if column in sorts else usual
    return ListState(address, tuple(filters), address.get("q").strip()[:_LONGEST], sort, address.page)


def back_to(path: str, sent: str) -> str:
    """Return the address of a list that a form came from.

    Where the form has the address of another page, return only the path.
    """
    return sent if sent == path or (sent.startswith(f"{path}?") and sent.isprintable()) else path


def _set_filters(address: PageAddress, filters: Iterable[ListFilter]) -> Iterator[FilterInForce]:
    for each in filters:
        if values := each.values(address):
            named = dict(each.choices or ())
            text = joined([named.get(value, value) for value in values], "or")
            yield FilterInForce(each.label, text, address.without(each.name))
