"""Use cases of product feeds, which all staff share (docs/spec/offers.md#product-feeds)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import RelatedRecords, get_for_affiliate
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_id
from trackyard.decision.target.deep_links import may_lead_to
from trackyard.domain.offers.feeds.product_feeds import FeedFault, ProductFeed, ProductItem, StoredItem, read_items
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.callers import Access
from trackyard.store.engine.database import Connection
from trackyard.store.offers import lists as offer_lists
from trackyard.store.offers import offers
from trackyard.store.offers.feeds import product_feeds


@dataclass(frozen=True, slots=True)
class FeedRecord:
    """A feed and the number of offers that name it."""

    feed: ProductFeed
    offers: int


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A page of the products of a feed, for an affiliate that may run an offer with the feed."""

    offer: Offer
    related: RelatedRecords
    items: list[StoredItem]
    total: int


def read_file(content: bytes) -> list[ProductItem]:
    """Return the products of a file. Raises BadInput, which names rows and columns."""
    try:
        return read_items(content)
    except FeedFault as fault:
        raise BadInput({"file": list(fault.faults)}) from None


def list_feeds(deps: Deps, *, page: int, limit: int) -> tuple[list[FeedRecord], int]:
    """Return a page of the feeds, by name, and the total."""
    with deps.database.read() as conn:
        found, total = product_feeds.list_feeds(conn, page=page, limit=limit)
        return _records(conn, found), total


def get_feed(deps: Deps, feed_id: str) -> FeedRecord:
    """Return the feed of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _record(conn, required(product_feeds.find_feed(conn, feed_id)))


def get_visible_feed(deps: Deps, access: Access, feed_id: str) -> ProductFeed:
    """Return the feed of an id. Raises NotFound.

    An affiliate sees the feeds that offers name which it sees.
    """
    with deps.database.read() as conn:
        found = product_feeds.find_feed(conn, feed_id)
        seen = access.affiliate_id is None or bool(
            offers.visible_among(conn, product_feeds.offers_naming(conn, feed_id), access.affiliate_id)
        )
        return required(found if seen else None)


def list_items(deps: Deps, feed_id: str, *, page: int, limit: int) -> tuple[list[StoredItem], int]:
    """Return a page of the products of a feed in the order of its file, and the total."""
    with deps.database.read() as conn:
        return product_feeds.list_items(conn, feed_id, page=page, limit=limit)


def add_feed(deps: Deps, name: str, items: Iterable[ProductItem]) -> FeedRecord:
    """Make a feed with its products."""
    now = deps.clock.now_ms()
    stored = [StoredItem(new_id(now), each) for each in items]
    new = ProductFeed(id=new_id(now), name=name, items=len(stored), items_at=now, created_at=now, updated_at=now)
    with deps.database.write() as conn:
        product_feeds.add_feed(conn, new)
        product_feeds.replace_items(conn, new.id, stored)
    return FeedRecord(new, 0)


def edit_feed(deps: Deps, feed_id: str, name: str | None, items: list[ProductItem] | None) -> FeedRecord:
    """Rename a feed, replace its products, or both; None = it stays. Raises NotFound.

    A product keeps its id where the feed had its sku.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(product_feeds.find_feed(conn, feed_id, lock=True))
        after = replace(found, name=found.name if name is None else name, updated_at=now)
        if items is not None:
            known = product_feeds.item_ids(conn, feed_id)
            stored = [StoredItem(known.get(each.sku) or new_id(now), each) for each in items]
            product_feeds.replace_items(conn, feed_id, stored)
            after = replace(after, items=len(stored), items_at=now)
        changed = ("name", "items", "items_at", "updated_at")
        product_feeds.edit_feed(conn, feed_id, {each: getattr(after, each) for each in changed})
        return _record(conn, after)


def remove_feed(deps: Deps, feed_id: str) -> None:
    """Remove a feed and its products. Raises NotFound, and Conflict while offers name it."""
    with deps.database.write() as conn:
        found = _record(conn, required(product_feeds.find_feed(conn, feed_id, lock=True)))
        if found.offers:
            noun = "offer names" if found.offers == 1 else "offers name"
            raise Conflict({"id": [f"{found.offers} {noun} the feed {feed_id}: empty their product_feed_id first."]})
        product_feeds.remove_feed(conn, feed_id)


def list_for_affiliate(
    deps: Deps, access: Access, feed: ProductFeed, offer_id: int, affiliate_id: int, *, page: int, limit: int
) -> FeedPage:
    """Return a page of the products of a feed for an affiliate and an offer, both in scope.

    Raises BadInput for an affiliate or offer out of scope, and for an offer that does not name the feed.
    """
    with deps.database.read() as conn:
        found = offer_lists.find_listed(conn, scope_of(conn, access), str(offer_id))
    if found is None:
        raise BadInput({"offer_id": [f"An offer {offer_id} does not exist."]})
    seen = get_for_affiliate(deps, access, found.offer, affiliate_id)
    if found.offer.product_feed_id != feed.id:
        raise BadInput({"offer_id": [f"The offer {offer_id} has another product feed: see its product_feed_id."]})
    with deps.database.read() as conn:
        items, total = product_feeds.list_items(conn, feed.id, page=page, limit=limit)
    return FeedPage(found.offer, seen.related, items, total)


def leads_to_page(offer: Offer, url: str) -> bool:
    """Return whether a tracking link of an offer may name a page as its deep link."""
    own = (offer.url, offer.url_preview or "", *(landing.url for landing in offer.landings))
    return offer.allow_deeplink and may_lead_to(url, own)


def _record(conn: Connection, found: ProductFeed) -> FeedRecord:
    [record] = _records(conn, [found])
    return record


def _records(conn: Connection, found: list[ProductFeed]) -> list[FeedRecord]:
    named = product_feeds.offers_with(conn, [each.id for each in found])
    return [FeedRecord(each, named.get(each.id, 0)) for each in found]
