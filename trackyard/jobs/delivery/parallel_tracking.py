"""Report loaded clicks to parallel_tracking_url: best effort, counted.

docs/spec/postbacks.md#urls-of-offers. The projector queues requests (`ParallelTrackingQueuer`), the worker makes them
(`ParallelTrackingSender`). Nothing is repeated: a request without room in the queue or at its host is dropped.
"""

import asyncio
import logging
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import closing
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.tracking.own_hosts import OwnHostsReader
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.base.metrics import PARALLEL_REQUESTS
from trackyard.domain.platform.hosts import delivery_host
from trackyard.domain.platform.own_requests import DELIVERY_HEADER, ORIGIN_HEADER
from trackyard.domain.tracking.parallel_tracking import parallel_url
from trackyard.domain.tracking.subs import with_encrypted_subs
from trackyard.jobs.delivery.host_concurrency import HostConcurrency, OutboundLimits
from trackyard.jobs.failures import JobFailures
from trackyard.journal.reader import OffsetRange
from trackyard.journal.records import RecordKind, decode_click
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import wire_url
from trackyard.store.engine.database import Connection, Database
from trackyard.store.engine.watch import MAX_CLOSED_SECONDS, ChangeGate, CommitWatcher
from trackyard.store.people import affiliates
from trackyard.store.tracking import offer_urls, parallel_tracking
from trackyard.store.tracking.parallel_tracking import ParallelRequest

MAX_PER_RANGE: Final = 1_000
"""Requests queued per range of a journal: they are written in the transaction of its progress."""

MAX_WAITING_PER_HOST: Final = 200
"""Requests of one host that a worker keeps waiting."""

_MAX_WAITING: Final = 4_000
_BATCH: Final = 200
_MAX_PAUSE_S: Final = 5.0
_REFRESH_SECONDS: Final = 1.0

# The beginning of an accepted click's record: time, id, reason "", detail, offer. Decoding each record would slow
# every load as soon as one offer has a parallel_tracking_url.
_match_offer = re.compile(rb'\[\d+,"[0-9a-f]{24}","","(?:[^"\\]|\\.)*",(\d+),').match

log = logging.getLogger("trackyard.parallel")


def _is_readable(payload: bytes) -> bool:
    """Return whether a record can be read; the load quarantines others."""
    try:
        decode_click(payload)
    except msgspec.MsgspecError:
        return False
    return True


class ParallelTrackingQueuer:
    """Find the clicks to report. Belongs to one thread."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._hosts: dict[int, str] = {}
        self._refreshed_at: float | None = None

    def find_clicks_to_report(self, found: OffsetRange) -> list[ParallelRequest]:
        """Return the accepted clicks of a range to report, as many as may be queued."""
        self._refresh()
        if not self._hosts:
            return []
        calls = []
        for _, kind, payload in found.frames:
            begin = _match_offer(payload) if kind is RecordKind.CLICK else None
            if begin is not None and int(begin[1]) in self._hosts and _is_readable(payload):
                offer_id = int(begin[1])
                calls.append(ParallelRequest(offer_id, self._hosts[offer_id], payload))
        PARALLEL_REQUESTS.labels("dropped").inc(max(0, len(calls) - MAX_PER_RANGE))
        return calls[:MAX_PER_RANGE]

    def queue(self, conn: Connection, calls: Sequence[ParallelRequest]) -> None:
        """Queue requests in the transaction that marks their range as loaded."""
        added = parallel_tracking.add(conn, calls, self._clock.now_ms())
        PARALLEL_REQUESTS.labels("dropped").inc(len(calls) - added)

    def _refresh(self) -> None:
        if self._refreshed_at is None or time.monotonic() - self._refreshed_at > _REFRESH_SECONDS:
            with self._database.read() as conn:
                self._hosts = {key: delivery_host(url) for key, url in offer_urls.parallel_urls(conn).items()}
            self._refreshed_at = time.monotonic()


class ParallelTrackingSender:
    """Make requests until stopped; waiting ones are then queued again.

    own_urls, origin: see Deliverer.
    """

    def __init__(
        self,
        database: Database,
        zone: ZoneInfo,
        clock: Clock,
        *,
        allow: Sequence[Network] = (),
        limits: OutboundLimits | None = None,
        own_urls: Sequence[str] = (),
        origin: str = "",
    ) -> None:
        self._database = database
        self._zone = zone
        self._clock = clock
        self._allow = allow
        self._limits = limits or OutboundLimits(total=128, most=32)
        self._host_slots = HostConcurrency[str](self._limits)
        self._own_hosts_reader = OwnHostsReader(own_urls)
        self._origin = origin
        self._waiting: deque[tuple[ParallelRequest, str]] = deque()
        self._running: set[asyncio.Task[None]] = set()

    def run(self, stop: threading.Event, pause_seconds: float = 0.2) -> None:
        """Make requests until `stop` is set, then end within a second: unfinished ones are cancelled."""
        asyncio.run(self._run(stop, pause_seconds))

    async def _run(self, stop: threading.Event, pause: float) -> None:
        with closing(CommitWatcher(self._database)) as watch:
            await self._work(watch, stop, pause)

    async def _work(self, watch: CommitWatcher, stop: threading.Event, pause: float) -> None:
        gate = ChangeGate(watch.state)
        failures = JobFailures(log, "worker", "parallel", most_s=_MAX_PAUSE_S)
        async with OutboundClient(self._allow, seconds=self._limits.seconds) as client:
            while not stop.is_set():
                looks = gate.is_open()
                try:
                    taken = await asyncio.to_thread(self._take) if looks else 0
                    failures.worked()
                except Exception as error:
                    taken, looks = 0, False
                    await asyncio.to_thread(stop.wait, failures.failed(error))
                started = self._start(client)
                if not taken and not started:
                    if looks and not self._waiting:
                        gate.set_idle()
                    await self._wait(watch, stop, pause)
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        if self._waiting:
            await asyncio.to_thread(self._requeue)

    async def _wait(self, watch: CommitWatcher, stop: threading.Event, pause: float) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        elif self._waiting:
            await asyncio.sleep(pause)
        else:
            await asyncio.to_thread(watch.wait, stop, pause, MAX_CLOSED_SECONDS)

    def _take(self) -> int:
        """Take requests from the queue and fill their URLs; return how many."""
        if len(self._waiting) >= _MAX_WAITING:
            return 0
        with self._database.read() as conn:
            if not parallel_tracking.has_any(conn):
                return 0
        with self._database.write() as conn:
            calls = parallel_tracking.take(conn, _BATCH)
        with self._database.read() as conn:
            filled = self._filled(conn, calls)
        PARALLEL_REQUESTS.labels("dropped").inc(len(calls) - len(filled))  # without a URL by now, or an own one
        waiting = Counter(call.host for call, _ in self._waiting)
        for call, url in filled:
            if waiting[call.host] < MAX_WAITING_PER_HOST:
                waiting[call.host] += 1
                self._waiting.append((call, url))
            else:
                PARALLEL_REQUESTS.labels("dropped").inc()
        return len(calls)

    def _filled(self, conn: Connection, calls: Sequence[ParallelRequest]) -> list[tuple[ParallelRequest, str]]:
        clicks = [(call, msgspec.structs.asdict(decode_click(call.click))) for call in calls]
        offers = offer_urls.parallel_offers(conn, {call.offer_id for call in calls})
        names = affiliates.names_of(conn, {click["affiliate"] for _, click in clicks})
        own, filled = self._own_hosts_reader.current(conn), []
        for call, click in clicks:
            offer, affiliate = offers.get(call.offer_id), names.get(click["affiliate"])
            if offer is not None:
                name = "" if affiliate is None else affiliate.name
                seen = with_encrypted_subs(click, offer.subs_key, click["affiliate"])
                url = parallel_url(offer.url, seen, self._zone, offer_title=offer.title, affiliate_name=name)
                if not own.includes(wire_url(url)):
                    filled.append((call, url))
        return filled

    def _start(self, client: OutboundClient) -> int:
        """Start requests that have a slot at their host; return how many."""
        started, remaining = 0, deque[tuple[ParallelRequest, str]]()
        full = set(self._host_slots.full)
        for call, url in self._waiting:
            if call.host in full or not self._host_slots.take(call.host):
                full.add(call.host)
                remaining.append((call, url))
                continue
            task = asyncio.create_task(self._call(client, call.host, url))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            started += 1
        self._waiting = remaining
        self._host_slots.shrink_idle_windows({call.host for call, _ in remaining})
        return started

    async def _call(self, client: OutboundClient, host: str, url: str) -> None:
        begin = time.perf_counter()
        answer = await client.get(url, {DELIVERY_HEADER: new_id(self._clock.now_ms()), ORIGIN_HEADER: self._origin})
        self._host_slots.record_answer(host, time.perf_counter() - begin, well=not answer.is_retryable)
        PARALLEL_REQUESTS.labels("sent" if answer.is_success else "failed").inc()

    def _requeue(self) -> None:
        try:
            with self._database.write() as conn:
                parallel_tracking.add(conn, [call for call, _ in self._waiting], self._clock.now_ms())
        except Exception:
            log.exception("parallel tracking requests lost", extra={"count": len(self._waiting)})
