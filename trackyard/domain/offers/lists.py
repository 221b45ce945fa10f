"""Offers in lists, and the filters and orders of lists (docs/spec/offers.md#lists-of-offers)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from trackyard.domain.offers.offers import Offer

OfferOrder = Sequence[tuple[str, bool]]
"""Names of sort keys, each with whether it descends."""

OfferFilters = Mapping[str, frozenset[Any]]
"""Name of a filter to values, of which any may match. An absent name filters nothing."""


@dataclass(frozen=True, slots=True)
class ListedOffer:
    """An offer with the metrics of its last 30 days: cr in percent, epc in the platform currency."""

    offer: Offer
    cr: Decimal
    epc: Decimal


@dataclass(frozen=True, slots=True)
class OfferPostback:
    """A postback of an affiliate for one offer. status, goal: None = any."""

    id: int
    url: str
    status: str | None
    goal: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class OfferName:
    """The fields of an offer that statistics show. landings: the stored items."""

    id: int
    hash: str
    title: str
    preview_url: str
    url: str
    external_id: str
    landings: list[dict[str, Any]]
