"""Find the object of the id in a path (docs/spec/api-conventions.md#identifiers)."""

from collections.abc import Callable
from typing import Any, TypeVar

from trackyard.actions.deps import Deps
from trackyard.base.errors import NotFound
from trackyard.base.ids import is_hex24
from trackyard.domain.people.callers import Access
from trackyard.wire.endpoint import ApiRequest

T = TypeVar("T")
Lookup = Callable[[ApiRequest[Deps]], T]


def path_number(request: ApiRequest[Any], name: str = "id") -> int:
    """Return the integer id in the path. Raises NotFound."""
    text = request.path[name]
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotFound
    return int(text)


def path_hex(request: ApiRequest[Any]) -> str:
    """Return the id of 24 hex digits in the path. Raises NotFound."""
    text = request.path["id"].lower()
    if not is_hex24(text):
        raise NotFound
    return text


def in_scope_by_reference(get: Callable[[Deps, Access, str], T]) -> Lookup[T]:
    """Look up by the text of the path in the caller's scope."""
    return lambda request: get(request.deps, request.access, request.path["id"])


def by_number(get: Callable[[Deps, int], T]) -> Lookup[T]:
    """Look up by an integer id."""
    return lambda request: get(request.deps, path_number(request))


def by_hex(get: Callable[[Deps, str], T]) -> Lookup[T]:
    """Look up by an id of 24 hex digits."""
    return lambda request: get(request.deps, path_hex(request))


def in_scope_by_number(get: Callable[[Deps, Access, int], T], name: str = "id") -> Lookup[T]:
    """Look up by an integer id in the caller's scope."""
    return lambda request: get(request.deps, request.access, path_number(request, name))


def in_scope_by_hex(get: Callable[[Deps, Access, str], T]) -> Lookup[T]:
    """Look up by an id of 24 hex digits in the caller's scope."""
    return lambda request: get(request.deps, request.access, path_hex(request))
