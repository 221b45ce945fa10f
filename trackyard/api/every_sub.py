"""Parameters for every sub of a click (domain/tracking/subs.py)."""

from copy import copy
from inspect import get_annotations
from typing import Any, TypeVar

from trackyard.api.plain_fields import insert_parameters
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.request.params import Params

P = TypeVar("P", bound=Params)


def with_every_sub(model: type[P]) -> type[P]:
    """Return a model that states sub1 with the other subs, alike and in their order."""
    stated, first = get_annotations(model), model.model_fields[SUBS[0]]
    added: dict[str, Any] = {name: (first.annotation, copy(first)) for name in SUBS if name not in stated}
    before = dict(zip(SUBS[1:], SUBS, strict=False))
    return insert_parameters(model, added, before)
