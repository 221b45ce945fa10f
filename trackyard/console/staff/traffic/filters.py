"""The filters of the lists of traffic, in the address and for the API (docs/spec/console.md#traffic)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from trackyard.actions.deps import Deps
from trackyard.api.offers import lists
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices, listed
from trackyard.console.offers_shown.names import advertiser_names
from trackyard.console.offers_shown.words import joined
from trackyard.console.staff.people_names import affiliate_names
from trackyard.wire.local_calls import LocalCalls

PER_PAGE: Final = 50
LONGEST: Final = 255
"""Characters of a value that people type."""
EVERY_STATUS: Final = tuple(("status[]", status) for status in ("active", "stopped", "suspended"))
"""The parameters of a list of all offers."""
_AT_A_TIME: Final = 100
"""Names that one call asks for."""
_NAMED: Final = 10
"""Values of a filter that are named."""
_FORMS: Final = {
    "number": re.compile(r"[1-9][0-9]{0,17}"),
    "id": re.compile(r"[0-9a-fA-F]{24}"),
    "text": re.compile(r"[^\0]{1,255}"),
    "amount": re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?"),
    "day": re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"),
}


@dataclass(frozen=True, slots=True)
class TrafficFilter:
    """A filter of a list.

    name: its parameter in the address. parameter: the API's parameter.
    choices: () = people type the value, in this form.
    sent: the API's values, where they differ from values of the address; without choices, all values.
    is_more: whether the filter is below "More filters".
    """

    name: str
    label: str
    parameter: str
    choices: Choices = ()
    form: Literal["number", "id", "text", "amount", "day"] = "text"
    sent: Mapping[str, str] = field(default_factory=dict)
    is_more: bool = False

    def values(self, address: PageAddress) -> list[str]:
        """Return the values of an address that the list can have."""
        given = dict.fromkeys(value.strip() for value in address.all(self.name))
        known = dict(self.choices) or self.sent
        found = [value for value in given if value in known or (not known and _is_of(self.form, value))]
        return found if self.parameter.endswith("[]") else found[:1]

    def faults(self, address: PageAddress) -> Iterator[str]:
        """Yield a sentence when an address has values that the list cannot have."""
        given = {value.strip() for value in address.all(self.name) if value.strip()}
        if given - set(self.values(address)):
            yield gettext("A value of %(label)s does not exist: it is left out.", label=self.label)


def _is_of(form: str, value: str) -> bool:
    """Return whether people may type a value in a form."""
    if not _FORMS[form].fullmatch(value):
        return False
    if form == "day":
        try:
            date.fromisoformat(value)
        except ValueError:
            return False
    return True


@dataclass(frozen=True, slots=True)
class TrafficChip:
    """A filter that is set. text: its values in words. without: the address without it."""

    label: str
    text: str
    without: PageAddress


def pairs_of(filters: Sequence[TrafficFilter], address: PageAddress) -> list[Pair]:
    """Return the parameters of the API for the filters in an address."""
    return [(each.parameter, each.sent.get(value, value)) for each in filters for value in each.values(address)]


def faults_of(filters: Sequence[TrafficFilter], address: PageAddress) -> list[str]:
    """Return a sentence for each filter with a wrong value."""
    return [fault for each in filters for fault in each.faults(address)]


def chips_of(
    filters: Sequence[TrafficFilter], address: PageAddress, names: Mapping[tuple[str, str], str]
) -> list[TrafficChip]:
    """Return the filters in words. names: the known names of objects, by filter and value."""
    chips = []
    for each in filters:
        if values := each.values(address):
            known = dict(each.choices)
            shown = [known.get(value) or names.get((each.name, value)) or value for value in values]
            chips.append(TrafficChip(each.label, joined(shown, "or"), address.without(each.name)))
    return chips


def names_of_values(
    calls: LocalCalls[Deps], filters: Sequence[TrafficFilter], address: PageAddress
) -> dict[tuple[str, str], str]:
    """Return the names of objects in an address that are not among the choices, by filter and value."""
    found: dict[tuple[str, str], str] = {}
    for each in filters:
        values = [] if each.choices else each.values(address)[:_NAMED]
        named: Mapping[int, str] | Mapping[str, str] = {}
        match each.name if values else "":
            case "offer":
                named = offer_titles(calls, map(int, values))
            case "affiliate":
                named = affiliate_names(calls, map(int, values))
            case "advertiser":
                named = advertiser_names(calls, map(str.lower, values))
        titles = {str(key): title for key, title in named.items()}
        found |= {(each.name, value): titles[value.lower()] for value in values if value.lower() in titles}
    return found


def offer_titles(calls: LocalCalls[Deps], numbers: Iterable[int]) -> dict[int, str]:
    """Return titles by number of the offers that the person may see, with few calls."""
    wanted = sorted(set(numbers))
    found: dict[int, str] = {}
    for start in range(0, len(wanted) if calls.may(lists.list_names) else 0, _AT_A_TIME):
        named = [("int_id[]", str(number)) for number in wanted[start : start + _AT_A_TIME]]
        sent = [*named, *EVERY_STATUS, ("limit", str(_AT_A_TIME))]
        found |= {each.id: each.title for each in calls.ask(lists.list_names, sent).offers}
    return found


def offers(calls: LocalCalls[Deps]) -> Choices:
    """Return offers by number; nothing where there are too many, or the person may not list them."""
    found = listed(
        calls,
        lists.list_names,
        lambda answer: ((each.id, each.title) for each in answer.offers),
        EVERY_STATUS,
    )
    return tuple((number, f"{title} (#{number})") for number, title in found)


def openable(request: PageRequest) -> dict[str, bool]:
    """Return whether the person may open the pages of objects that lists name, by kind."""
    paths = {
        "offer": "/console/offers/1",
        "affiliate": "/console/affiliates/1",
        "click": f"/console/clicks/{'0' * 24}",
        "conversion": f"/console/conversions/{'0' * 24}",
    }
    return {kind: request.may_open(path) for kind, path in paths.items()}
