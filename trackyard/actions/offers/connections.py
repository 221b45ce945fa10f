"""Connect affiliates to offers and disconnect them (docs/api/connections.md).

A disconnection by hand lasts until staff connect the affiliate again, though the offer be public or connects affiliates
by itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.offers.announcing import announce_connections
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, NotFound, required
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.choices import Privacy
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.offers import connections, offers
from trackyard.store.people import affiliates
from trackyard.store.tracking import rulesets


@dataclass(frozen=True, slots=True)
class AffiliateWithOffers:
    """An affiliate and offers (title by id) in the caller's scope."""

    affiliate: Affiliate
    titles: dict[int, str]


def connect_affiliate(deps: Deps, access: Access, affiliate_id: int, offer_ids: Iterable[int], *, notice: bool) -> None:
    """Connect an affiliate to offers, all or none, and mail it the new ones if `notice` is set.

    Raises BadInput for what does not exist or is out of scope.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        pair = _get_affiliate_with_offers(conn, access, affiliate_id, offer_ids)
        before = connections.connection_states(conn, affiliate_id, pair.titles)
        connections.connect(conn, affiliate_id, pair.titles, now)
        rulesets.touch_all(conn, "connections", pair.titles)
        newly_connected = [number for number in pair.titles if not before.get(number)]
        announce_connections(
            conn, EventKind.OFFERS_CONNECTED, [affiliate_id], newly_connected, now, is_silent=not notice
        )


def disconnect_affiliate(
    deps: Deps, access: Access, affiliate_id: int, offer_ids: Iterable[int], *, notice: bool
) -> None:
    """Disconnect an affiliate from offers, all or none, and mail it about lost ones on request.

    notice: a mail lists the offers that it could use. Raises BadInput as connect_affiliate.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        pair = _get_affiliate_with_offers(conn, access, affiliate_id, offer_ids)
        before = connections.connection_states(conn, affiliate_id, pair.titles)
        public_offers = connections.public_offers_among(conn, pair.titles)
        connections.disconnect(conn, affiliate_id, pair.titles, now)
        rulesets.touch_all(conn, "connections", pair.titles)
        newly_disconnected = [number for number in pair.titles if before.get(number, number in public_offers)]
        announce_connections(
            conn, EventKind.OFFERS_DISCONNECTED, [affiliate_id], newly_disconnected, now, is_silent=not notice
        )


def auto_connect(deps: Deps, affiliate_id: int, offer_ids: Iterable[int]) -> list[int]:
    """Connect an affiliate to the offers that it has no connection with; return their ids.

    Offers that staff disconnected it from stay disconnected. offer_ids: offers that connect affiliates by themselves.
    """
    wanted = list(offer_ids)
    if not wanted:
        return []
    with deps.database.write() as conn:
        made = connections.connect_new(conn, affiliate_id, wanted, deps.clock.now_ms())
        rulesets.touch_all(conn, "connections", made)
    return made


def get_offer(deps: Deps, access: Access, reference: str) -> Offer:
    """Return the offer with this id or hash. Raises NotFound."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        return required(offers.find_offer(conn, scope, reference))


def get_affiliate(deps: Deps, access: Access, affiliate_id: int) -> Affiliate:
    """Return the affiliate with this id. Raises NotFound."""
    with deps.database.read() as conn:
        return required(affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id))


def disconnect_affiliates(deps: Deps, access: Access, offer_id: int) -> int:
    """Disconnect all affiliates in scope from a nonpublic offer; return how many were connected.

    Raises NotFound, and BadInput for a public offer.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        found = required(offers.find_offer(conn, scope, offer_id, lock=True))
        if found.privacy == Privacy.PUBLIC:
            raise BadInput({"id": [f"The offer {found.id} is public: only single affiliates can be taken off it."]})
        disconnected = connections.disconnect_all(conn, found.id, scope.affiliate_ids, now)
        if disconnected:
            rulesets.touch(conn, "connections", found.id)
        announce_connections(conn, EventKind.OFFERS_DISCONNECTED, disconnected, [found.id], now, is_silent=True)
        return len(disconnected)


def disconnect_offers(deps: Deps, access: Access, affiliate_id: int) -> int:
    """Disconnect an affiliate from every nonpublic offer; return from how many. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise NotFound
        disconnected = connections.connected_nonpublic_offers(conn, affiliate_id)
        connections.disconnect(conn, affiliate_id, disconnected, now)
        rulesets.touch_all(conn, "connections", disconnected)
        announce_connections(conn, EventKind.OFFERS_DISCONNECTED, [affiliate_id], disconnected, now, is_silent=True)
        return len(disconnected)


def list_states(deps: Deps, access: Access, offer_id: int) -> dict[int, bool]:
    """Return for each decided affiliate in scope whether it is connected to an offer."""
    with deps.database.read() as conn:
        return connections.states_of_offer(conn, offer_id, scope_of(conn, access).affiliate_ids)


def count_affiliates(deps: Deps, access: Access, offer_ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return how many affiliates in scope are connected and disconnected, by offer in scope."""
    with deps.database.read() as conn:
        return connections.count_by_offer(conn, offer_ids, scope_of(conn, access))


def _get_affiliate_with_offers(
    conn: Connection, access: Access, affiliate_id: int, offer_ids: Iterable[int]
) -> AffiliateWithOffers:
    scope: Scope = scope_of(conn, access)
    wanted = sorted(set(offer_ids))
    titles = offers.existing_titles(conn, wanted)
    faults: dict[str, list[str]] = {}
    if len(titles) < len(wanted):
        faults["offer_id"] = [f"An offer {number} does not exist." for number in wanted if number not in titles]
    found = affiliates.find_affiliate(conn, scope, affiliate_id, lock=True)  # concurrent requests notify once
    if found is None:
        faults["pid"] = [f"An affiliate {affiliate_id} does not exist."]
    if faults or found is None:
        raise BadInput(faults)
    return AffiliateWithOffers(found, titles)
