"""Connecting affiliates to offers and taking them off (docs/api/connections.md).

Taking off is by hand and lasts: the affiliate may not use the offer, though it be public or connects at first sight,
until staff connect it again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.platform import notices
from trackyard.actions.platform.notices import Notice, Recipient
from trackyard.base.errors import BadInput, NotFound
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
    """An affiliate and offers (id → title), both there and in the caller's scope."""

    affiliate: Affiliate
    titles: dict[int, str]


def connect_affiliate(deps: Deps, access: Access, affiliate_id: int, offer_ids: Iterable[int], *, notice: bool) -> None:
    """Connects an affiliate to offers, all or none, and mails it what is new unless `notice` is off. Raises BadInput
    for what does not exist or is out of scope."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        pair = _get_affiliate_with_offers(conn, access, affiliate_id, offer_ids)
        before = connections.connection_states(conn, affiliate_id, pair.titles)
        connections.connect(conn, affiliate_id, pair.titles, now)
        rulesets.touch_all(conn, "connections", pair.titles)
        newly_connected = {number: title for number, title in pair.titles.items() if not before.get(number)}
        if notice:
            _notify(conn, notices.ENABLED, pair.affiliate, newly_connected, now)


def disconnect_affiliate(
    deps: Deps, access: Access, affiliate_id: int, offer_ids: Iterable[int], *, notice: bool
) -> None:
    """Takes an affiliate off offers, all or none, and mails it unless `notice` is off or it could not use them
    anyway. Raises BadInput as connect_affiliate."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        pair = _get_affiliate_with_offers(conn, access, affiliate_id, offer_ids)
        before = connections.connection_states(conn, affiliate_id, pair.titles)
        public_offers = connections.public_offers_among(conn, pair.titles)
        connections.disconnect(conn, affiliate_id, pair.titles, now)
        rulesets.touch_all(conn, "connections", pair.titles)
        newly_disconnected = {
            number: title for number, title in pair.titles.items() if before.get(number, number in public_offers)
        }
        if notice:
            _notify(conn, notices.DISABLED, pair.affiliate, newly_disconnected, now)


def auto_connect(deps: Deps, affiliate_id: int, offer_ids: Iterable[int]) -> list[int]:
    """Connects an affiliate to offers that it sees for the first time and that connect whoever sees them; which.
    Whom staff took off an offer stays off."""
    wanted = list(offer_ids)
    if not wanted:
        return []
    with deps.database.write() as conn:
        made = connections.connect_new(conn, affiliate_id, wanted, deps.clock.now_ms())
        rulesets.touch_all(conn, "connections", made)
    return made


def get_offer(deps: Deps, access: Access, reference: str) -> Offer:
    """The offer that a path names to a caller who may connect affiliates. Raises NotFound."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found = offers.find_offer(conn, scope, reference)
    if found is None:
        raise NotFound
    return found


def get_affiliate(deps: Deps, access: Access, affiliate_id: int) -> Affiliate:
    """The affiliate that a path names to a caller who may connect it. Raises NotFound."""
    with deps.database.read() as conn:
        found = affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id)
    if found is None:
        raise NotFound
    return found


def disconnect_affiliates(deps: Deps, access: Access, offer_id: int) -> int:
    """Takes every affiliate in the caller's scope off a private or protected offer; how many were connected. Raises
    NotFound, and BadInput for a public offer."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        found = offers.find_offer(conn, scope, offer_id, lock=True)
        if found is None:
            raise NotFound
        if found.privacy == Privacy.PUBLIC:
            raise BadInput({"id": [f"The offer {found.id} is public: only single affiliates can be taken off it."]})
        disconnected = connections.disconnect_all(conn, found.id, scope.affiliate_ids, now)
        if disconnected:
            rulesets.touch(conn, "connections", found.id)
        return len(disconnected)


def disconnect_offers(deps: Deps, access: Access, affiliate_id: int) -> int:
    """Takes an affiliate off every private or protected offer; off how many. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise NotFound
        disconnected = connections.connected_nonpublic_offers(conn, affiliate_id)
        connections.disconnect(conn, affiliate_id, disconnected, now)
        rulesets.touch_all(conn, "connections", disconnected)
        return len(disconnected)


def recipient_of(affiliate: Affiliate) -> Recipient:
    """An affiliate as mail addresses it."""
    return Recipient(affiliate.email, affiliate.name or affiliate.login)


def _get_affiliate_with_offers(
    conn: Connection, access: Access, affiliate_id: int, offer_ids: Iterable[int]
) -> AffiliateWithOffers:
    scope: Scope = scope_of(conn, access)
    wanted = sorted(set(offer_ids))
    titles = offers.existing_titles(conn, wanted)
    faults: dict[str, list[str]] = {}
    if len(titles) < len(wanted):
        faults["offer_id"] = [f"An offer {number} does not exist." for number in wanted if number not in titles]
    found = affiliates.find_affiliate(conn, scope, affiliate_id, lock=True)  # two at once tell it once
    if found is None:
        faults["pid"] = [f"An affiliate {affiliate_id} does not exist."]
    if faults or found is None:
        raise BadInput(faults)
    return AffiliateWithOffers(found, titles)


def _notify(conn: Connection, notice: Notice, affiliate: Affiliate, titles: dict[int, str], now: int) -> None:
    if titles:
        notices.send_notice(conn, notice, [recipient_of(affiliate)], now, **notices.offer_list_values(titles))
