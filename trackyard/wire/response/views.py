"""Makes views from entities by field name."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from inspect import get_annotations
from typing import Any, Final, TypeVar, get_type_hints

from trackyard.wire.response.envelope import View, number

V = TypeVar("V", bound=View)


def view_of(view: type[V], *entities: Any, **given: Any) -> V:
    """Return a view of the entities' attributes and of what is given."""
    return view(**fields_from(view, *entities, **given))


def fields_from(view: type[View], *entities: Any, **given: Any) -> dict[str, Any]:
    """Return the fields of a view: what is given, and attributes of entities.

    The first entity with an attribute counts; a field that none has keeps its default.
    An amount loses trailing zeros, text that is not set becomes "", a flag in a number field 0 or 1.
    """
    shared: dict[str, Any] = {}
    for entity in reversed(entities):
        for name, convert in _conversions(view, entity.__class__):
            if name not in given:
                value = getattr(entity, name)
                shared[name] = value if convert is None else convert(value)
    return shared | given


@cache
def _conversions(view: type[View], kind: type[Any]) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    """Return the fields of a view that entities of a kind have too, each with its conversion."""
    types = get_type_hints(view)
    names = {*dir(kind), *(name for base in kind.__mro__ for name in get_annotations(base))}
    return tuple((name, _CONVERSIONS.get(types[name])) for name in view.__struct_fields__ if name in names)


_CONVERSIONS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    Decimal: number,
    int: lambda value: int(value or 0),
    str: lambda text: text or "",
}
