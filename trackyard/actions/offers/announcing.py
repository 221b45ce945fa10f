"""Events of changes of offers and connections (docs/spec/events.md#changes-of-offers).

Every act that changes an offer, or connects an affiliate, calls this module in its transaction.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from trackyard.actions.events.publishing import new_event
from trackyard.domain.events.events import Concerned, Event
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.offers.edits import is_visible_change
from trackyard.domain.offers.offers import Offer
from trackyard.domain.offers.payout_changes import compare_payouts, find_own_changes
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailedOffer, MailList, MailPayoutChanges, PayoutChange
from trackyard.store.engine.database import Connection
from trackyard.store.events import events
from trackyard.store.offers import expiry, offers


def announce_changes(conn: Connection, changed: Iterable[tuple[Offer, Offer]], now_ms: int) -> None:
    """Publish what affiliates see of changes: the states before and after of each offer.

    Affiliates get a mail if the offer is set to send e-mails.
    """
    new = [event for before, after in changed for event in _each_event(before, after, now_ms)]
    events.add_events(conn, new)


def announce_removals(conn: Connection, removed: Iterable[Offer], now_ms: int) -> None:
    """Publish that offers are removed."""
    events.add_events(conn, [_event(EventKind.OFFER_REMOVED, each, now_ms) for each in removed])


def stop_ended_offers(conn: Connection, now_ms: int, most: int) -> int:
    """Stop up to `most` offers that are past their end, and publish it; return how many."""
    ended = expiry.claim_ended_offers(conn, now_ms, most)
    if ended:
        before = offers.list_by_id(conn, Scope.everything(), ended)
        expiry.stop_offers(conn, ended, now_ms)
        announce_changes(conn, [(each, replace(each, status=OfferStatus.STOPPED)) for each in before], now_ms)
    return len(ended)


def announce_connections(
    conn: Connection,
    kind: EventKind,
    affiliate_ids: Iterable[int],
    offer_ids: Iterable[int],
    now_ms: int,
    *,
    is_silent: bool = False,
) -> None:
    """Publish that affiliates are connected to offers, or disconnected from them.

    Without offers nothing happens.

    kind: OFFERS_CONNECTED or OFFERS_DISCONNECTED. is_silent: whether no mail is sent.
    """
    titles = offers.existing_titles(conn, offer_ids)
    listed = MailList([MailedOffer(number, title) for number, title in sorted(titles.items())])
    concerned = [Concerned(each, each, is_silent=is_silent) for each in affiliate_ids]
    events.add_events(conn, [new_event(kind, now_ms, each, offers=listed) for each in concerned if titles])


def _each_event(before: Offer, after: Offer, now_ms: int) -> Iterator[Event]:
    takes, took = after.status.rule.takes_clicks, before.status.rule.takes_clicks
    if takes is not took:
        yield _event(EventKind.OFFER_RESUMED if takes else EventKind.OFFER_PAUSED, after, now_ms)
    elif is_visible_change(before, after):
        yield _event(EventKind.OFFER_CHANGED, after, now_ms)
    if before.hide_payments or after.hide_payments:
        return
    if general := compare_payouts(before.payments, after.payments):
        yield _payout_event(after, general, None, now_ms)
    for affiliate_id, own in find_own_changes(before, after):
        yield _payout_event(after, own, affiliate_id, now_ms)


def _payout_event(offer: Offer, changes: tuple[PayoutChange, ...], affiliate_id: int | None, now_ms: int) -> Event:
    concerned = _concerned(offer, affiliate_id)
    offered = MailedOffer(offer.id, offer.title)
    return new_event(EventKind.PAYOUT_CHANGED, now_ms, concerned, offer=offered, changes=MailPayoutChanges(changes))


def _event(kind: EventKind, offer: Offer, now_ms: int) -> Event:
    return new_event(kind, now_ms, _concerned(offer), offer=MailedOffer(offer.id, offer.title))


def _concerned(offer: Offer, affiliate_id: int | None = None) -> Concerned:
    advertiser = offer.advertiser_id or ""
    return Concerned(offer.id, affiliate_id, advertiser, offer.id, is_silent=not offer.send_emails)
