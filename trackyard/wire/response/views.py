"""Makes views from domain structs by the names of their fields."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

from trackyard.wire.response.envelope import View, number

V = TypeVar("V", bound=View)


def view_of(view: type[V], source: msgspec.Struct, **given: Any) -> V:
    """Return a view with the fields of `source`, except those that are given."""
    return view(**fields_from(view, source, given))


def fields_from(view: type[View], source: msgspec.Struct, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given fields and the other fields that a view shares with `source`.

    An amount has no trailing zeros, text that is not set is "", a flag in a number field is 0 or 1.
    """
    conversions = _conversions(view, type(source))
    shared = {name: convert(getattr(source, name)) for name, convert in conversions if name not in given}
    return {**shared, **given}


@cache
def _conversions(view: type[View], source: type[msgspec.Struct]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    types = get_type_hints(view)
    shared = [name for name in view.__struct_fields__ if name in source.__struct_fields__]
    return tuple((name, _CONVERSIONS.get(types[name], lambda value: value)) for name in shared)


_CONVERSIONS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    Decimal: number,
    int: lambda value: int(value or 0),
    str: lambda text: text or "",
}
