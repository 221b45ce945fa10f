"""Parameters and answer fields of the plain fields of advertisers and affiliates (domain/people)."""

from typing import TypeVar

from trackyard.api.plain_fields import add_answer_fields, add_parameters
from trackyard.domain.people.advertiser_fields import ADVERTISER_FIELDS
from trackyard.domain.people.affiliate_fields import AFFILIATE_FIELDS, OWN_AFFILIATE_FIELDS
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import View

P = TypeVar("P", bound=Params)
V = TypeVar("V", bound=View)


def with_advertiser_parameters(model: type[P]) -> type[P]:
    """Return a model of parameters with the plain fields of an advertiser."""
    return add_parameters(model, ADVERTISER_FIELDS)


def with_advertiser_fields(view: type[V]) -> type[V]:
    """Return a view of staff with the plain fields of an advertiser."""
    return add_answer_fields(view, ADVERTISER_FIELDS, is_placed=True)


def with_affiliate_parameters(model: type[P]) -> type[P]:
    """Return a model of parameters with the plain fields of an affiliate."""
    return add_parameters(model, AFFILIATE_FIELDS)


def with_own_parameters(model: type[P]) -> type[P]:
    """Return a model of parameters with the plain fields that an affiliate states itself."""
    return add_parameters(model, OWN_AFFILIATE_FIELDS)


def with_affiliate_fields(view: type[V]) -> type[V]:
    """Return a view of staff with the plain fields of an affiliate."""
    return add_answer_fields(view, AFFILIATE_FIELDS, is_placed=True)
