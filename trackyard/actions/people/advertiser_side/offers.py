"""The offers of an advertiser, for itself (docs/spec/callers.md#advertisers-as-callers)."""

from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import OfferPage, shared_related_records
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import required
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.offers.lists import ListedOffer, OfferFilters
from trackyard.domain.people.callers import Access
from trackyard.store.offers import lists

_ALL: Final[OfferFilters] = {"status": frozenset(OfferStatus)}


def list_own_offers(deps: Deps, access: Access, filters: OfferFilters, *, page: int, limit: int) -> OfferPage:
    """Return a page of the offers in the caller's scope, of every status."""
    with deps.database.read() as conn:
        scope, conditions = scope_of(conn, access), lists.filter_conditions({**_ALL, **filters})
        found, total = lists.list_offers(conn, scope, conditions, [("id", False)], page=page, limit=limit)
        return OfferPage(found, total, shared_related_records(conn, found))


def get_own_offer(deps: Deps, access: Access, reference: str) -> ListedOffer:
    """Return an offer in the caller's scope. Raises NotFound."""
    with deps.database.read() as conn:
        return required(lists.find_listed(conn, scope_of(conn, access), reference))


def page_of_one(deps: Deps, found: ListedOffer) -> OfferPage:
    """Return an offer with the records that it mentions."""
    with deps.database.read() as conn:
        return OfferPage([found], 1, shared_related_records(conn, [found]))
