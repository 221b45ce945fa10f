"""Figures inside records, which follow the permission of the figures.

docs/spec/callers.md#levels-of-staff
A view declares them once, in `guarded`. A caller that may not call the methods for such figures gets an empty value of
their type, in each answer that the view is a part of.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import UNSET

from trackyard.domain.people.callers import AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.roles import Permission


@dataclass(frozen=True, slots=True)
class Guard:
    """The rights that a caller needs to see a figure.

    permission: the permission of the methods for such figures; NONE requires features alone.
    features: the caller is denied none of them.
    of_staff: whether affiliates see the figure whatever they are denied, except in a look.
    """

    permission: Permission = Permission.NONE
    features: tuple[str, ...] = ()
    of_staff: bool = False

    def admits(self, caller: Caller) -> bool:
        """Return whether a caller sees the figure."""
        if self.of_staff and isinstance(caller, AffiliateCaller) and not caller.is_look:
            return True
        if self.permission in caller.withheld or not caller.denied.isdisjoint(self.features):
            return False
        return not isinstance(caller, StaffCaller) or self.permission is Permission.NONE or caller.may(self.permission)


BALANCES: Final = Guard(Permission.BALANCES_READ, ("general.billing",))
CONVERSIONS: Final = Guard(Permission.STATS_CONVERSION, ("stats.conversions-list",))
DELIVERIES: Final = Guard(Permission.STATS_PARTNER_POSTBACK, ("stats.affiliate-postback",))
INBOUND_POSTBACKS: Final = Guard(Permission.STATS_SERVER_POSTBACK, ("stats.server-postback",))
OFFER_RESULTS: Final = Guard(features=("stats.slice-offer_id",), of_staff=True)
REJECTIONS: Final = Guard(features=("stats.slice-trafficback_reason",))
SUBS: Final = Guard(features=("stats.slice-sub1", "stats.slice-sub2"))


def hide_figures(answer: msgspec.Struct, caller: Caller | None) -> None:
    """Empty the figures of an answer that its caller may not see."""
    if caller is None:
        return
    hidden = frozenset(guard for guard in guards_of(type(answer)) if not guard.admits(caller))
    if hidden:
        _hide(answer, hidden)


@cache
def guards_of(view: Any) -> frozenset[Guard]:
    """Return the guards of the figures in a view and in the views inside it."""
    return frozenset(guard for each in _views_in(view, set()) for guard in _guarded(each).values())


def _guarded(view: type[msgspec.Struct]) -> Mapping[str, Guard]:
    found: Mapping[str, Guard] = getattr(view, "guarded", {})
    return found


def _views_in(hint: Any, seen: set[Any]) -> set[Any]:
    """Return the views that a type holds, itself among them."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        if hint not in seen:
            seen.add(hint)
            for inner in get_type_hints(hint).values():
                _views_in(inner, seen)
    else:
        for inner in get_args(hint):
            _views_in(inner, seen)
    return seen


@cache
def _leading(view: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the fields of a view that hold views with figures."""
    hints = get_type_hints(view)
    return tuple(name for name in view.__struct_fields__ if guards_of(hints[name]))


def _hide(value: Any, hidden: frozenset[Guard]) -> None:
    if isinstance(value, msgspec.Struct):
        for name, guard in _guarded(type(value)).items():
            if guard in hidden:
                setattr(value, name, UNSET if _may_lack(type(value), name) else _emptied(getattr(value, name)))
        for name in _leading(type(value)):
            _hide(getattr(value, name), hidden)
    elif isinstance(value, Mapping | list | tuple):
        inner: Iterable[Any] = value.values() if isinstance(value, Mapping) else value
        for each in inner:
            _hide(each, hidden)


@cache
def _may_lack(view: type[msgspec.Struct], name: str) -> bool:
    """Return whether a view may be sent without a field."""
    return any(field.name == name and field.default is UNSET for field in msgspec.structs.fields(view))


def _emptied(value: Any) -> Any:
    """Return the empty value of the type of a figure: 0, "", [] or {}."""
    return None if value is None else type(value)()
