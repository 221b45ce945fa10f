"""What pages need of the API: its methods, as they are declared there."""

from dataclasses import dataclass
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.wire.endpoint import Endpoint

Method = Endpoint[Deps, Any]
"""A method of the API."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """Methods of which one is enough."""

    methods: tuple[Method, ...]


Needs = tuple[Method | OneOf, ...]
"""The methods that a page cannot do without."""


def methods_of(need: Method | OneOf) -> tuple[Method, ...]:
    """Return the methods of which a person needs one."""
    return need.methods if isinstance(need, OneOf) else (need,)
