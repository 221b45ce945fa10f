"""Where figures lead: to the lists of the conversions and clicks that they count."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.request import PageRequest

_CONVERSIONS: Final = "/console/conversions"
_CLICKS: Final = "/console/clicks"
LIST_FILTERS: Final = frozenset(("offer", "affiliate", "advertiser", "country", "sub1"))
"""Filters that both lists have, by their names in addresses."""
_COUNTED: Final = tuple(("status", each) for each in ("confirmed", "pending", "hold"))


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The lists that a person may open, of some days. Links are "" where there is no list."""

    first: date
    last: date
    has_conversions: bool
    has_clicks: bool

    @classmethod
    def of(cls, request: PageRequest, first: date, last: date) -> "CountedRows":
        """Return the lists of the days of a period."""
        return cls(first, last, request.may_open(_CONVERSIONS), request.may_open(_CLICKS))

    def on(self, day: date) -> "CountedRows":
        """Return the lists of one day."""
        return replace(self, first=day, last=day)

    def to(self, figure: str, chosen: Iterable[Pair]) -> str:
        """Return the list that a figure counts. chosen: filters and their values; an empty value has no list."""
        found = tuple(chosen)
        if not all(name in LIST_FILTERS or name == "reason" for name, _ in found) or not all(v for _, v in found):
            return ""
        pairs = (*found, ("from", self.first.isoformat()), ("to", self.last.isoformat()))
        match figure:
            case "conversions" if self.has_conversions:
                return str(PageAddress(_CONVERSIONS, (*pairs, *_COUNTED)))
            case "declined" if self.has_conversions:
                return str(PageAddress(_CONVERSIONS, (*pairs, ("status", "declined"))))
            case "clicks" if self.has_clicks:
                return str(PageAddress(_CLICKS, pairs))
            case "rejected" if self.has_clicks:
                return str(PageAddress(_CLICKS, (*pairs, ("verdict", "rejected"))))
        return ""
