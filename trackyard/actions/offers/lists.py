"""Read offers: one, a page, the total, and the offers an affiliate may promote.

docs/api/offer-lists.md, docs/spec/offers.md#lists-of-offers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from trackyard.actions.deps import Deps
from trackyard.actions.offers.connections import auto_connect
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, required
from trackyard.domain.offers.choices import Privacy
from trackyard.domain.offers.lists import ListedOffer, OfferFilters, OfferOrder, OfferPostback
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.domains import Domain
from trackyard.store.engine.database import Connection
from trackyard.store.offers import connections, tickets
from trackyard.store.offers import lists as offer_lists
from trackyard.store.people import affiliates, blacklist


@dataclass(frozen=True, slots=True)
class RelatedRecords:
    """The records that views of offers mention, by id.

    sources: titles by language.
    connected, postbacks: the affiliate's, by offer; undecided connections are absent.
    blocked_by: the advertisers that reject the affiliate.
    requested: the offers in the affiliate's open tickets.
    """

    categories: dict[str, str]
    sources: dict[str, dict[str, str]]
    domains: dict[int, Domain]
    connected: dict[int, bool] = field(default_factory=dict)
    postbacks: dict[int, list[OfferPostback]] = field(default_factory=dict)
    blocked_by: frozenset[str] = frozenset()
    requested: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class OfferPage:
    """Offers in order, the number on all pages, and the records that they mention."""

    offers: list[ListedOffer]
    total: int
    related: RelatedRecords


def get_and_auto_connect(deps: Deps, access: Access, reference: str) -> OfferPage:
    """Return the offer of an integer id or a hash, as a page of one.

    An affiliate is connected to it when the offer connects at first sight. Raises NotFound.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found = required(offer_lists.find_listed(conn, scope, reference))
        page = OfferPage([found], 1, _related_records(conn, scope, [found]))
    return _auto_connected(deps, access, page)


def get_visible_offer(deps: Deps, access: Access, reference: str) -> ListedOffer:
    """Return the offer of an integer id or a hash that a caller sees. Raises NotFound."""
    with deps.database.read() as conn:
        return required(offer_lists.find_listed(conn, scope_of(conn, access), reference))


def get_for_affiliate(deps: Deps, access: Access, offer: Offer, affiliate_id: int) -> OfferPage:
    """Return an offer as an affiliate in scope sees it, as a page of one. Raises BadInput."""
    with deps.database.read() as conn:
        if affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id) is None:
            raise BadInput({"affiliate_id": [f"An affiliate {affiliate_id} does not exist."]})
        found = offer_lists.list_by_ids(conn, [offer.id])
        return OfferPage(found, 1, _related_records(conn, Scope.of_affiliate(affiliate_id), found))


def page_of_written(conn: Connection, offer: Offer, *, is_new: bool = False) -> OfferPage:
    """Return an offer that this transaction has written, as a page of one.

    A new offer has no clicks yet; the metrics of another one are in no field of it and are read.
    """
    cr, epc = (Decimal(0), Decimal(0)) if is_new else offer_lists.get_metrics(conn, offer.id)
    found = [ListedOffer(offer, cr, epc)]
    return OfferPage(found, 1, shared_related_records(conn, found))


def list_and_auto_connect(
    deps: Deps, access: Access, filters: OfferFilters, order: OfferOrder, *, page: int, limit: int
) -> OfferPage:
    """Return a page of the offers that a caller sees.

    An affiliate is connected to the offers of the page that connect at first sight.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found, total = offer_lists.list_offers(
            conn, scope, offer_lists.filter_conditions(filters), order, page=page, limit=limit
        )
        result = OfferPage(found, total, _related_records(conn, scope, found))
    return _auto_connected(deps, access, result)


def list_titles(
    deps: Deps, access: Access, filters: OfferFilters, order: OfferOrder, *, page: int, limit: int
) -> tuple[dict[int, str], int]:
    """Return the titles of a page of offers by id, and the total."""
    with deps.database.read() as conn:
        conditions = offer_lists.filter_conditions(filters)
        return offer_lists.list_titles(conn, scope_of(conn, access), conditions, order, page=page, limit=limit)


def count_offers(deps: Deps, access: Access) -> int:
    """Return the number of active offers that a caller sees."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        return offer_lists.count_offers(conn, scope, offer_lists.filter_conditions({}))


def count_by_label(deps: Deps, access: Access, kind: str, values: Iterable[str]) -> dict[str, int]:
    """Return the number of offers that a caller sees with each of these labels, of every status."""
    with deps.database.read() as conn:
        return offer_lists.count_by_label(conn, scope_of(conn, access), kind, values)


def list_for_affiliate_and_auto_connect(
    deps: Deps,
    access: Access,
    pid: int | None,
    filters: OfferFilters,
    order: OfferOrder,
    *,
    live: bool,
    page: int,
    limit: int,
) -> tuple[int, OfferPage]:
    """Return the affiliate and a page of the active offers that it sees.

    pid: the affiliate that staff choose; ignored for an affiliate.
    live: only offers that it may send traffic to now, including offers that connect it by this request.
    Raises BadInput for an affiliate out of scope.
    """
    if live and access.acting_affiliate_id is not None:
        _auto_connect_all(deps, access.acting_affiliate_id)
    with deps.database.read() as conn:
        affiliate_id = _affiliate(conn, access, pid)
        scope = Scope.of_affiliate(affiliate_id)
        conditions = offer_lists.filter_conditions(filters)
        if live:
            conditions += offer_lists.live_conditions(conn, scope, deps.clock.now_ms(), deps.zone)
        found, total = offer_lists.list_offers(conn, scope, conditions, order, page=page, limit=limit)
        result = OfferPage(found, total, _related_records(conn, scope, found))
    return affiliate_id, _auto_connected(deps, access, result)


def _auto_connect_all(deps: Deps, affiliate_id: int) -> None:
    """Connect an affiliate to every offer that connects on first sight."""
    with deps.database.read() as conn:
        joinable = connections.auto_connect_offers(conn, affiliate_id)
    auto_connect(deps, affiliate_id, joinable)


def _auto_connected(deps: Deps, access: Access, page: OfferPage) -> OfferPage:
    """Return a page after connecting its reader to the offers that connect on first sight."""
    affiliate_id = access.acting_affiliate_id
    if affiliate_id is None:
        return page
    shown, decided = [item.offer for item in page.offers], page.related.connected
    joinable = [offer.id for offer in shown if offer.auto_offer_connect and offer.privacy == Privacy.PROTECTED]
    made = auto_connect(deps, affiliate_id, [number for number in joinable if number not in decided])
    return replace(page, related=replace(page.related, connected=decided | dict.fromkeys(made, True)))


def _affiliate(conn: Connection, access: Access, pid: int | None) -> int:
    if access.affiliate_id is not None:
        return access.affiliate_id
    scope = scope_of(conn, access)
    if pid is None or affiliates.find_affiliate(conn, scope, pid) is None:
        raise BadInput({"pid": [f"An affiliate {pid} does not exist."]})
    return pid


def shared_related_records(conn: Connection, found: Sequence[ListedOffer]) -> RelatedRecords:
    """Return the records that views of offers mention for every affiliate alike."""
    shown = [item.offer for item in found]
    return RelatedRecords(
        categories=offer_lists.category_titles(conn, {id_ for offer in shown for id_ in offer.categories}),
        sources=offer_lists.source_titles(conn, {id_ for offer in shown for id_ in offer.sources}),
        domains=offer_lists.tracking_domains(conn, {offer.domain_id for offer in shown if offer.domain_id is not None}),
    )


def _related_records(conn: Connection, scope: Scope, found: Sequence[ListedOffer]) -> RelatedRecords:
    ids = [item.offer.id for item in found]
    general = shared_related_records(conn, found)
    for affiliate_id in scope.affiliate_ids or ():
        return RelatedRecords(
            general.categories,
            general.sources,
            general.domains,
            connected=connections.connection_states(conn, affiliate_id, ids),
            postbacks=connections.postbacks_of(conn, affiliate_id, ids),
            blocked_by=blacklist.advertisers_of(conn, [affiliate_id]).get(affiliate_id, frozenset()),
            requested=tickets.requested_offers(conn, affiliate_id, ids),
        )
    return general
