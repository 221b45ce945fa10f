"""Fetch creatives that offers have by URL, and remove orphaned files (docs/spec/platform.md#files).

A fetch is claimed before it is made, and repeated after its lease when the worker dies. A creative that fails its last
attempt or is not a picture is removed from its offer, with a line in the log.
"""

import asyncio
import logging
import threading
from collections.abc import Sequence
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

from trackyard.actions.platform.files import NewFile, StoredFiles, title_of
from trackyard.base.clock import Clock
from trackyard.base.errors import UnsupportedMediaType
from trackyard.base.fair_work import LOOKED_AT, FairWork
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.files import InvalidFile
from trackyard.domain.platform.hosts import host_of
from trackyard.jobs.failures import JobFailures
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import offers
from trackyard.store.platform import files
from trackyard.store.platform.file_storage import FileStore
from trackyard.store.platform.files import CreativeFetch

MAX_BYTES: Final = 50 * 1024 * 1024
TIMEOUT_SECONDS: Final = 60
LEASE_MS: Final = 180_000
RETRY_SECONDS: Final = (5, 60, 600, 3_600, 21_600)
"""Seconds from each failed attempt to the next; after the last one the creative is dropped."""

ORPHAN_AGE_MS: Final = 3_600_000
"""Stored files of this age without a row were never committed, or were removed."""

_CHUNK: Final = 200
_MAX_MEMORY_BYTES: Final = 1024 * 1024

log = logging.getLogger("trackyard.fetches")


class CreativeFetcher:
    """Fetch creatives until stopped, some at a time, one of each host.

    Several workers may run on one database.
    """

    def __init__(self, database: Database, store: FileStore, clock: Clock, allow: Sequence[Network] = ()) -> None:
        self._database = database
        self._store = store
        self._clock = clock
        self._allow = allow
        self._work = FairWork(self._list_due, lambda item: (host_of(item.url),), self._fetch)

    def run(self, stop: threading.Event, pause_seconds: float = 1, backoff_seconds: float = 30) -> None:
        """Fetch until `stop` is set: every `pause_seconds`, or `backoff_seconds` after a failure."""
        self._work.run(
            stop,
            "fetches",
            pause_seconds,
            lambda: JobFailures(log, "worker", "fetches", first_s=backoff_seconds, most_s=backoff_seconds),
        )

    def fetch_one(self) -> bool:
        """Fetch the creative that is due longest, of a host from which none is fetched now.

        False when there is none.
        """
        return self._work.do_one()

    def _list_due(self) -> list[CreativeFetch]:
        with self._database.read() as conn:
            return files.list_due_fetches(conn, self._clock.now_ms(), LOOKED_AT)

    def _fetch(self, item: CreativeFetch) -> None:
        with self._database.write() as conn:
            if not files.claim_fetch(conn, item, self._clock.now_ms() + LEASE_MS):
                return
        with SpooledTemporaryFile(max_size=_MAX_MEMORY_BYTES) as spool:
            body = cast(BinaryIO, spool)
            answer = asyncio.run(self._download(item.url, body))
            if answer.is_success and not answer.error:
                self._store_creative(item, body)
            else:
                self._record_failure(item, answer)

    async def _download(self, url: str, into: BinaryIO) -> HttpResult:
        async with OutboundClient(self._allow, seconds=TIMEOUT_SECONDS) as client:
            return await client.download(url, into, MAX_BYTES)

    def _store_creative(self, item: CreativeFetch, body: BinaryIO) -> None:
        now = self._clock.now_ms()
        found = StoredFiles(self._store, now)
        try:
            found.add_creative(NewFile(title_of(item.url), body))
            with self._database.write() as conn:
                offer = offers.find_offer(conn, Scope.everything(), item.offer_id, lock=True)
                files.remove_fetch(conn, item.id)
                if offer is None or all(creative.id != item.creative_id for creative in offer.creatives):
                    found.discard()  # removed during the fetch
                else:
                    found.attach_fetched(conn, offer, item.creative_id, now)
        except (UnsupportedMediaType, InvalidFile) as fault:
            found.discard()  # other failures leave this to `remove_orphans`: the transaction may have been committed
            self._give_up(item, str(fault))

    def _record_failure(self, item: CreativeFetch, answer: HttpResult) -> None:
        if not answer.is_retryable or item.attempts >= len(RETRY_SECONDS):
            self._give_up(item, answer.error)
            return
        log.warning("creative not fetched", extra=_log_fields(item, answer.error))
        with self._database.write() as conn:
            files.retry_fetch(conn, item.id, self._clock.now_ms() + RETRY_SECONDS[item.attempts] * 1000)

    def _give_up(self, item: CreativeFetch, reason: str) -> None:
        log.error("creative abandoned", extra=_log_fields(item, reason))
        with self._database.write() as conn:
            files.remove_fetch(conn, item.id)
            _detach_creative(conn, item, self._clock.now_ms())


def remove_orphans(database: Database, store: FileStore, now_ms: int) -> int:
    """Remove stored files that no row refers to; return their number."""
    removed = 0
    waiting = list(store.each_before(now_ms - ORPHAN_AGE_MS))
    while waiting:
        chunk, waiting = waiting[:_CHUNK], waiting[_CHUNK:]
        with database.read() as conn:
            referenced = files.existing_files(conn, chunk)
        orphans = [file_id for file_id in chunk if file_id not in referenced]
        store.remove(orphans)
        removed += len(orphans)
    return removed


def _detach_creative(conn: Connection, item: CreativeFetch, now_ms: int) -> None:
    offer = offers.find_offer(conn, Scope.everything(), item.offer_id, lock=True)
    if offer is not None:
        remaining = tuple(creative for creative in offer.creatives if creative.id != item.creative_id)
        if remaining != offer.creatives:
            offers.edit_offer(conn, offer, {"creatives": remaining, "updated_at": now_ms})


def _log_fields(item: CreativeFetch, reason: str) -> dict[str, object]:
    return {"offer": item.offer_id, "creative": item.creative_id, "attempts": item.attempts + 1, "reason": reason}
