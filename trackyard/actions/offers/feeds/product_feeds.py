"""Use cases of product feeds (docs/spec/offers.md#product-feeds).

All staff see every feed; a manager may write feeds that no offer out of its scope uses.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.feeds.sources import asked_for, edited_source, new_source
from trackyard.actions.offers.lists import RelatedRecords, get_for_affiliate
from trackyard.actions.people.scope import scope_of
from trackyard.actions.platform.spreadsheets import read_grid
from trackyard.base.errors import AccessDenied, BadInput, Conflict, required
from trackyard.base.ids import new_id
from trackyard.decision.target.deep_links import may_lead_to
from trackyard.domain.offers.feeds.product_feeds import (
    FORM,
    FeedFault,
    ProductFeed,
    ProductItem,
    StoredItem,
    read_items,
)
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.callers import Access, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.tables.grids import TableFault
from trackyard.store.engine.database import Connection
from trackyard.store.offers import lists as offer_lists
from trackyard.store.offers import offers
from trackyard.store.offers.feeds import product_feeds

_FILE_AND_URL: Final = "Send a file or a URL, not both."
_IS_READ: Final = "The products of this feed are read from its URL. Send an empty url with the file to replace them."
_HAS_NO_URL: Final = "The feed has no URL: send its file, or edit it and set url."
_OF_OTHERS: Final = "Offers outside your scope use this product feed. Ask an administrator to change it."


@dataclass(frozen=True, slots=True)
class FeedRecord:
    """A feed and the number of offers that use it."""

    feed: ProductFeed
    offers: int


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A page of the products of a feed, for an affiliate that may run an offer with the feed."""

    offer: Offer
    related: RelatedRecords
    items: list[StoredItem]
    total: int


@dataclass(frozen=True, slots=True)
class FeedEdit:
    """Changes of a feed; None = it stays. url: "" = staff send the file from now on."""

    name: str | None = None
    items: list[ProductItem] | None = None
    url: str | None = None
    refresh_hours: int | None = None


def read_products(content: bytes) -> tuple[list[ProductItem], list[str]]:
    """Return the products of a file, and sentences about how it was read. Raises FeedFault."""
    try:
        grid = read_grid(content, FORM.limits)
    except TableFault as fault:
        raise FeedFault(str(fault)) from None
    return read_items(grid)


def read_file(content: bytes) -> tuple[list[ProductItem], list[str]]:
    """Return the products of a file, and sentences about how it was read.

    Raises BadInput with the rows and columns.
    """
    try:
        return read_products(content)
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

    An affiliate sees the feeds of the offers that it sees.
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


def add_read_feed(deps: Deps, name: str, url: str, refresh_hours: int) -> FeedRecord:
    """Make a feed that is read from a URL; it has no products before the first reading. Raises BadInput."""
    new = new_source(name, url, refresh_hours, deps.clock.now_ms())
    with deps.database.write() as conn:
        product_feeds.add_feed(conn, new)
    return FeedRecord(new, 0)


def read_now(deps: Deps, access: Access, feed_id: str) -> FeedRecord:
    """Ask a worker to read a feed now, at the earliest a minute after the last reading.

    Raises NotFound, AccessDenied, and Conflict for a feed without a URL.
    """
    with deps.database.write() as conn:
        found = _find_writable(conn, access, feed_id)
        if not found.url:
            raise Conflict({"id": [_HAS_NO_URL]})
        after = asked_for(found, deps.clock.now_ms())
        store_feed(conn, found, after)
        return _record(conn, after)


def edit_feed(deps: Deps, access: Access, feed_id: str, edit: FeedEdit) -> FeedRecord:
    """Change a feed.

    Raises NotFound, AccessDenied, and BadInput for a file of a feed that is read from a URL.

    A product keeps its id where the feed had its sku.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _find_writable(conn, access, feed_id)
        after = edited_source(found, edit.url, edit.refresh_hours, now)
        after = replace(after, name=found.name if edit.name is None else edit.name, updated_at=now)
        if edit.items is not None:
            if after.url:
                raise BadInput({"url": [_FILE_AND_URL]} if edit.url else {"file": [_IS_READ]})
            after = replace_products(conn, after, edit.items, now)
        store_feed(conn, found, after)
        return _record(conn, after)


def replace_products(conn: Connection, feed: ProductFeed, items: Iterable[ProductItem], now: int) -> ProductFeed:
    """Replace the products of a feed; return the feed with their number and time, which the caller stores."""
    known = product_feeds.item_ids(conn, feed.id)
    stored = [StoredItem(known.get(each.sku) or new_id(now), each) for each in items]
    product_feeds.replace_items(conn, feed.id, stored)
    return replace(feed, items=len(stored), items_at=now, updated_at=now)


def store_feed(conn: Connection, before: ProductFeed, after: ProductFeed) -> None:
    """Store what changed of a feed."""
    names = [each.name for each in fields(ProductFeed)]
    changed = {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}
    if changed:
        product_feeds.edit_feed(conn, after.id, changed)


def remove_feed(deps: Deps, access: Access, feed_id: str) -> None:
    """Remove a feed and its products. Raises NotFound, AccessDenied, and Conflict while offers name it."""
    with deps.database.write() as conn:
        found = _record(conn, _find_writable(conn, access, feed_id))
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


def is_writable(deps: Deps, caller: StaffCaller, feed_id: str) -> bool:
    """Return whether a staff user may change a feed."""
    access = Access(caller, Permission.OFFERS_WRITE)
    with deps.database.read() as conn:
        return caller.may(access.permission) and _has_offers_of(conn, access, feed_id)


def _find_writable(conn: Connection, access: Access, feed_id: str) -> ProductFeed:
    """Return a feed to change. Raises NotFound, AccessDenied."""
    found = required(product_feeds.find_feed(conn, feed_id, lock=True))
    if not _has_offers_of(conn, access, feed_id):
        raise AccessDenied(_OF_OTHERS)
    return found


def _has_offers_of(conn: Connection, access: Access, feed_id: str) -> bool:
    """Return whether a caller has every offer that uses a feed in scope."""
    return all(map(scope_of(conn, access).has_advertiser, product_feeds.advertisers_naming(conn, feed_id)))


def _record(conn: Connection, found: ProductFeed) -> FeedRecord:
    [record] = _records(conn, [found])
    return record


def _records(conn: Connection, found: list[ProductFeed]) -> list[FeedRecord]:
    named = product_feeds.offers_with(conn, [each.id for each in found])
    return [FeedRecord(each, named.get(each.id, 0)) for each in found]
