"""The filters of reports, in the address and for the API (docs/spec/console.md#reports)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES, MANAGERS, OFFERS, AnyObjects
from trackyard.console.reports_shown.slices import slice_label

MOST_VALUES: Final = 200
"""Values of a filter."""
EMPTY: Final = "empty"
"""The name in an address of filters that accept the empty value."""


@dataclass(frozen=True, slots=True)
class FilterKind:
    """A filter.

    accepts, excludes: the API's filters. excludes: "" where the API cannot leave values out.
    slice: the slice with the same values, "" without one. is_text: whether the filter can accept the empty value.
    of_staff: whether only staff have the filter. objects: its values are the ids of these.
    words: its values where there are few, with their titles.
    """

    name: str
    label: str
    accepts: str
    excludes: str = ""
    slice: str = ""
    is_text: bool = False
    of_staff: bool = False
    objects: AnyObjects | None = None
    words: Mapping[str, str] = field(default_factory=dict)

    def takes(self, value: str) -> bool:
        """Return whether the filter can have a value."""
        return not self.words or value in self.words


STATUSES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("On hold"),
    "declined": lazy_gettext("Declined"),
}
PAYMENT_STATES: Final[Mapping[str, str]] = {
    "opened": lazy_gettext("Not paid"),
    "pending": lazy_gettext("In a payment"),
    "closed": lazy_gettext("Paid"),
}
FILTERS: Final = (
    FilterKind("offer", OFFERS.label, "offer", "not_offer_id", "offer", objects=OFFERS),
    FilterKind(
        "affiliate", AFFILIATES.label, "partner", "not_affiliate_id", "affiliate", of_staff=True, objects=AFFILIATES
    ),
    FilterKind(
        "advertiser",
        ADVERTISERS.label,
        "advertiser",
        "not_advertiser_id",
        "advertiser",
        of_staff=True,
        objects=ADVERTISERS,
    ),
    FilterKind("country", lazy_gettext("Country"), "country", "not_country", "country", is_text=True),
    FilterKind("device", lazy_gettext("Device"), "device", "", "device", is_text=True),
    FilterKind("os", lazy_gettext("System"), "os", "", "os", is_text=True),
    FilterKind("goal", lazy_gettext("Goal"), "goal", "", "goal", is_text=True),
    *(
        FilterKind(f"sub{each}", slice_label(f"sub{each}"), f"sub{each}", "", f"sub{each}", is_text=True)
        for each in range(1, 6)
    ),
    *(FilterKind(f"sub{each}", slice_label(f"sub{each}"), f"sub{each}", is_text=True) for each in range(6, 9)),
    FilterKind("smart_id", lazy_gettext("SmartLink"), "smart_id", "not_smartlink_id", "smart_id"),
    FilterKind(
        "manager",
        lazy_gettext("Affiliate manager"),
        "manager",
        "not_affiliate_manager_id",
        "manager",
        of_staff=True,
        objects=MANAGERS,
    ),
    FilterKind(
        "advertiser_manager",
        lazy_gettext("Advertiser manager"),
        "advertiser_manager_id",
        "not_advertiser_manager_id",
        of_staff=True,
        objects=MANAGERS,
    ),
    FilterKind("offer_tag", lazy_gettext("Tag of the offer"), "offer_tag", "not_offer_tag"),
    FilterKind(
        "affiliate_tag", lazy_gettext("Tag of the affiliate"), "affiliate_tag", "not_affiliate_tag", of_staff=True
    ),
    FilterKind(
        "advertiser_tag", lazy_gettext("Tag of the advertiser"), "advertiser_tag", "not_advertiser_tag", of_staff=True
    ),
    FilterKind("currency", lazy_gettext("Currency of conversions"), "currency"),
    FilterKind("origin", slice_label("origin"), "origin", "not_origin", "origin", of_staff=True),
    FilterKind("status", lazy_gettext("Status of conversions"), "status", words=STATUSES),
    FilterKind("payment_status", lazy_gettext("Payment"), "payment_status", words=PAYMENT_STATES),
)
FILTER_BY_NAME: Final = {kind.name: kind for kind in FILTERS}
FILTER_OF_SLICE: Final = {kind.slice: kind for kind in FILTERS if kind.slice and kind.name != "origin"}
"""The filter that a value of a slice can have; a row of signals has several."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter with its values. without: they are left out. has_empty: the empty value is accepted, too."""

    kind: FilterKind
    values: tuple[str, ...]
    without: bool = False
    has_empty: bool = False

    @property
    def name(self) -> str:
        """Return its name in an address."""
        return f"{'not' if self.without else 'f'}.{self.kind.name}"

    def pairs(self) -> Iterator[Pair]:
        """Yield the parameters of the API."""
        name = f"filter[{self.kind.excludes if self.without else self.kind.accepts}][]"
        yield from ((name, value) for value in self.values)
        if self.has_empty:
            yield from ((name, ""), (name, ""))  # one empty item alone would be no filter


def filters_of(*, is_staff: bool) -> tuple[FilterKind, ...]:
    """Return the filters that a person has."""
    return tuple(kind for kind in FILTERS if is_staff or not kind.of_staff)


def read_conditions(
    address: PageAddress, kinds: tuple[FilterKind, ...] = FILTERS
) -> tuple[tuple[Condition, ...], list[str]]:
    """Return the filters of an address, and a sentence for each that it cannot have.

    kinds: the filters of the person.
    """
    faults = []
    by_name = {kind.name: kind for kind in kinds}
    for name in dict.fromkeys(name for name, _ in address.pairs):
        start, dot, kind = name.partition(".")
        if not dot or start not in ("f", "not"):
            continue
        if kind not in by_name:
            faults.append(gettext("A filter by %(kind)s does not exist: it is left out.", kind=kind[:60]))
        elif start == "not" and not by_name[kind].excludes:
            faults.append(
                gettext(
                    "Values of %(label)s cannot be left out: choose the values to show instead.",
                    label=by_name[kind].label,
                )
            )
    for each in kinds:
        if not all(each.takes(value) for value in address.all(f"f.{each.name}")):
            faults.append(gettext("A value of %(label)s does not exist: it is left out.", label=each.label))
    conditions = (condition for kind in kinds for condition in _conditions_of(kind, address))
    return tuple(conditions), faults


def _conditions_of(kind: FilterKind, address: PageAddress) -> Iterator[Condition]:
    accepted = tuple(each for each in dict.fromkeys(address.all(f"f.{kind.name}")) if kind.takes(each))[:MOST_VALUES]
    has_empty = kind.is_text and kind.name in address.all(EMPTY)
    if accepted or has_empty:
        yield Condition(kind, accepted, has_empty=has_empty)
    left_out = tuple(dict.fromkeys(address.all(f"not.{kind.name}")))[:MOST_VALUES]
    if left_out and kind.excludes:
        yield Condition(kind, left_out, without=True)


def with_only(address: PageAddress, kind: FilterKind, value: str) -> PageAddress:
    """Return the address with a filter that accepts one value; "" = the empty one."""
    address = address.drop(EMPTY, kind.name)
    return address.set(f"f.{kind.name}", value) if value else address.without(f"f.{kind.name}").add(EMPTY, kind.name)


def without_condition(address: PageAddress, condition: Condition) -> PageAddress:
    """Return the address without a filter."""
    address = address.without(condition.name)
    return address if condition.without else address.drop(EMPTY, condition.kind.name)
