"""Read product feeds from their URLs (docs/spec/offers.md#product-feeds)."""

import asyncio
import io
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trackyard.actions.offers.feeds.product_feeds import read_products, replace_products, store_feed
from trackyard.actions.offers.feeds.sources import HOUR_MS
from trackyard.base.clock import Clock
from trackyard.base.fair_work import LOOKED_AT, FairWork
from trackyard.base.metrics.watching import FEED_READS
from trackyard.domain.offers.feeds.product_feeds import MOST_BYTES, FeedFault, ProductFeed, ProductItem
from trackyard.domain.statistics.url_checks import MOST_HOPS, host_of, next_hop
from trackyard.jobs.failures import JobFailures
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Database
from trackyard.store.offers.feeds import product_feeds

PAUSE_S: Final = 5.0
TIMEOUT_SECONDS: Final = 60
"""How long one request may take."""
LEASE_MS: Final = (MOST_HOPS + 1) * TIMEOUT_SECONDS * 1000
"""A feed is read again after this time when the worker that claimed it died."""
RETRY_HOURS: Final = 1
"""Hours after a failed reading, unless the period of the feed is shorter."""
_MOST_ERROR: Final = 2000
_MOST_HEADER: Final = 300
_NOT_MODIFIED: Final = 304

log = logging.getLogger("trackyard.feeds")


@dataclass(frozen=True, slots=True)
class FeedReading:
    """What a reading found. error: "" = it succeeded. items: None = they stay."""

    error: str = ""
    items: Sequence[ProductItem] | None = None
    etag: str = ""
    modified: str = ""


class FeedReader:
    """Read feeds until stopped, some at a time, one of each host.

    Several workers may run on one database.
    """

    def __init__(self, database: Database, clock: Clock, allow: Sequence[Network] = ()) -> None:
        self._database = database
        self._clock = clock
        self._allow = allow
        self._work = FairWork(self._list_due, lambda feed: (host_of(feed.url),), self._read_due)

    def run(self, stop: threading.Event, pause_seconds: float = PAUSE_S) -> None:
        """Read what is due until `stop` is set. Failures of the database are logged and retried."""
        self._work.run(stop, "feeds", pause_seconds, lambda: JobFailures(log, "worker", "feeds"))

    def read_one(self) -> bool:
        """Read the feed that is due longest; return False without one.

        From its host none is read now.
        """
        return self._work.do_one()

    def _list_due(self) -> list[ProductFeed]:
        with self._database.read() as conn:
            return product_feeds.list_due(conn, self._clock.now_ms(), LOOKED_AT)

    def _read_due(self, due: ProductFeed) -> None:
        now = self._clock.now_ms()
        with self._database.write() as conn:
            feed = product_feeds.claim_due(conn, due.id, now, now + LEASE_MS)
        if feed is None:  # another worker has it
            return
        reading = asyncio.run(self._read(feed))
        if self._store(feed, reading):
            _report(feed, reading)

    async def _read(self, feed: ProductFeed) -> FeedReading:
        """Read the URL of a feed, and follow its redirects."""
        url, sent = feed.url, _conditions(feed)
        async with OutboundClient(self._allow, seconds=TIMEOUT_SECONDS) as client:
            for _ in range(MOST_HOPS):
                body = io.BytesIO()
                answer = await client.download(url, body, MOST_BYTES, sent)
                target = next_hop(url, answer.http_code, answer.headers.get("Location", ""))
                if not target:
                    return _reading_of(url, answer, body.getvalue(), is_conditional=bool(sent))
                url = target
        return FeedReading(f"The URL redirects more than {MOST_HOPS - 1} times.")

    def _store(self, feed: ProductFeed, reading: FeedReading) -> bool:
        """Store a reading, unless the feed was removed, got another URL or was claimed again; return whether."""
        now = self._clock.now_ms()
        with self._database.write() as conn:
            found = product_feeds.find_feed(conn, feed.id, lock=True)
            if found is None or found.claimed_until != feed.claimed_until:
                return False
            after = replace(found, claimed_until=None)
            is_wanted = found.url == feed.url
            if is_wanted:
                after = _after_reading(after, reading, now)
                if reading.items is not None:
                    after = replace_products(conn, after, reading.items, now)
            store_feed(conn, found, after)
        return is_wanted


def _after_reading(feed: ProductFeed, reading: FeedReading, now: int) -> ProductFeed:
    hours = min(feed.refresh_hours, RETRY_HOURS) if reading.error else feed.refresh_hours
    after = replace(feed, last_read_at=now, last_error=reading.error[:_MOST_ERROR], next_read_at=now + hours * HOUR_MS)
    return after if reading.items is None else replace(after, etag=reading.etag, modified=reading.modified)


def _conditions(feed: ProductFeed) -> Mapping[str, str]:
    """Return the headers that ask for the file only when it changed."""
    given = {"If-None-Match": feed.etag, "If-Modified-Since": feed.modified}
    return {name: value for name, value in given.items() if value}


def _reading_of(url: str, answer: HttpResult, content: bytes, *, is_conditional: bool) -> FeedReading:
    if is_conditional and answer.http_code == _NOT_MODIFIED:
        return FeedReading()
    if answer.error or not answer.is_success:
        return FeedReading(_error_of(url, answer))
    try:
        items, _ = read_products(content)
    except FeedFault as fault:
        return FeedReading(str(fault))
    return FeedReading("", items, _kept(answer, "ETag"), _kept(answer, "Last-Modified"))


def _error_of(url: str, answer: HttpResult) -> str:
    if answer.is_success:  # a whole answer has an error only for its length
        return f"The file has more than {MOST_BYTES // 1024 // 1024} MB. Make several feeds of it."
    if answer.http_code:
        return f"{host_of(url)} answered {answer.http_code}. Open the URL, and correct it."
    return f"The file could not be read: {answer.error}."


def _kept(answer: HttpResult, name: str) -> str:
    """Return a header that can be sent back; "" when it is missing, long or strange."""
    value = answer.headers.get(name, "")
    return value if len(value) <= _MOST_HEADER and value.isascii() and value.isprintable() else ""


def _report(feed: ProductFeed, reading: FeedReading) -> None:
    FEED_READS.labels("failed" if reading.error else "unchanged" if reading.items is None else "replaced").inc()
    if reading.error:
        log.warning(
            "product feed not read", extra={"feed": feed.id, "host": host_of(feed.url), "reason": reading.error[:300]}
        )
