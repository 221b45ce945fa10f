"""Answers made of entities."""

from typing import Any, TypeVar

from trackyard.wire.response.envelope import View

V = TypeVar("V", bound=View)


def view_of(kind: type[V], entity: object, **values: Any) -> V:
    """Return a view of `values`, and for other fields of the attributes of equal name.

    A field that is in neither has its default.
    """
    names = (name for name in kind.__struct_fields__ if name not in values and hasattr(entity, name))
    return kind(**{name: getattr(entity, name) for name in names}, **values)
