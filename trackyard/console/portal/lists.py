"""What lists of the portal have in common."""

from dataclasses import dataclass

from trackyard.console.frame.address import PageAddress
from trackyard.wire.response.envelope import Pagination


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """A filter of a list. name: its parameter in the address. choices: values and their names.

    is_fixed: whether the names come from the program, so that templates translate them.
    """

    name: str
    label: str
    choices: tuple[tuple[str, str], ...]
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class SetFilter:
    """A filter that is set. text: its value in words. without: the address without it."""

    label: str
    text: str
    without: PageAddress


def paged(place: Pagination) -> dict[str, int]:
    """Return the number of all rows of a list, the page, and the place of its first row."""
    return {"total": place.total_count, "page": place.page, "first": (place.page - 1) * place.per_page + 1}


def chosen_value(address: PageAddress, each: FilterChoice) -> str:
    """Return the value of a filter in the address if it exists; "" without one."""
    value = address.get(each.name)
    return value if value in dict(each.choices) else ""


def set_filters(address: PageAddress, filters: tuple[FilterChoice, ...]) -> list[SetFilter]:
    """Return the filters that the address sets."""
    return [
        SetFilter(each.label, dict(each.choices)[value], address.without(each.name))
        for each in filters
        if (value := chosen_value(address, each))
    ]
