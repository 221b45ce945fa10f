"""Parameters and answer fields of the plain fields of an offer (domain/offers/fields.py).

A class that declares one of them itself keeps its own declaration.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from trackyard.api.plain_fields import add_answer_fields, add_parameters
from trackyard.domain.offers.fields import DECLARED, Viewers
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import View

P = TypeVar("P", bound=Params)
V = TypeVar("V", bound=View)

_SEES: Final[Mapping[Viewers, frozenset[Viewers]]] = {
    Viewers.STAFF: frozenset(Viewers),
    Viewers.CARD: frozenset({Viewers.CARD, Viewers.LISTS}),
    Viewers.LISTS: frozenset({Viewers.LISTS}),
}
"""Callers to the fields that they see, by `OfferField.viewers`."""


def with_declared_parameters(model: type[P]) -> type[P]:
    """Return a model of parameters with the plain fields, each after the field in its declaration."""
    return add_parameters(model, DECLARED)


def with_declared_fields(viewers: Viewers) -> Callable[[type[V]], type[V]]:
    """Return a decorator that adds the plain fields that viewers see to a view.

    In the view of staff each is after the field that its declaration states.
    """

    def decorate(view: type[V]) -> type[V]:
        seen = {name: field for name, field in DECLARED.items() if field.options.viewers in _SEES[viewers]}
        return add_answer_fields(view, seen, is_placed=viewers is Viewers.STAFF)

    return decorate
