"""URLs of product feeds, and when each is read (docs/spec/offers.md#product-feeds)."""

from dataclasses import replace
from typing import Final

from trackyard.base.errors import BadInput
from trackyard.base.ids import new_id
from trackyard.domain.offers.feeds.product_feeds import ProductFeed, url_fault

HOUR_MS: Final = 3_600_000
PAUSE_MS: Final = 60_000
"""Between two readings, however often staff ask for one."""


def new_source(name: str, url: str, refresh_hours: int, now: int) -> ProductFeed:
    """Return a new feed that is read from a URL, at once for the first time. Raises BadInput."""
    _check(url)
    return ProductFeed(
        id=new_id(now),
        name=name,
        items=0,
        items_at=0,
        created_at=now,
        updated_at=now,
        url=url,
        refresh_hours=refresh_hours,
        next_read_at=now,
    )


def edited_source(feed: ProductFeed, url: str | None, refresh_hours: int | None, now: int) -> ProductFeed:
    """Return a feed with another URL or period; None = it stays, url "" = it has none. Raises BadInput."""
    after = replace(feed, refresh_hours=refresh_hours or feed.refresh_hours)
    if url is not None and url != feed.url:
        if url:
            _check(url)
        return replace(after, url=url, next_read_at=now if url else None, last_error="", etag="", modified="")
    if feed.next_read_at is not None and after.refresh_hours < feed.refresh_hours:
        return replace(after, next_read_at=min(feed.next_read_at, now + after.refresh_hours * HOUR_MS))
    return after


def asked_for(feed: ProductFeed, now: int) -> ProductFeed:
    """Return a feed that is due now, or a minute after its last reading."""
    return replace(feed, next_read_at=max(now, (feed.last_read_at or 0) + PAUSE_MS))


def _check(url: str) -> None:
    if fault := url_fault(url):
        raise BadInput({"url": [fault]})
