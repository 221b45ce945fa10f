"""Every method of the API, listed by hand: registration by import hides what exists."""

from trackyard.actions.deps import Deps
from trackyard.api import (
    advertisers,
    affiliates,
    categories,
    clicks,
    connections,
    conversions,
    creatives,
    domains,
    edits,
    logs,
    offer_lists,
    offers,
    postbacks,
    reference,
    smartlinks,
    sources,
    statistics,
    tickets,
)
from trackyard.wire.endpoint import Endpoint

CATALOGUE: tuple[Endpoint[Deps], ...] = (
    *advertisers.ENDPOINTS,
    *affiliates.ENDPOINTS,
    *offers.ENDPOINTS,
    *offer_lists.ENDPOINTS,
    *creatives.ENDPOINTS,
    *connections.ENDPOINTS,
    *tickets.ENDPOINTS,
    *sources.ENDPOINTS,
    *categories.ENDPOINTS,
    *smartlinks.ENDPOINTS,
    *domains.ENDPOINTS,
    *reference.ENDPOINTS,
    *postbacks.ENDPOINTS,
    *statistics.ENDPOINTS,
    *conversions.ENDPOINTS,
    *clicks.ENDPOINTS,
    *edits.ENDPOINTS,
    *logs.ENDPOINTS,
)
