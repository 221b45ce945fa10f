"""Deliver outbound postbacks: claim what is due, attempt it, record the outcome.

docs/spec/postbacks.md#delivery. The attempts run on one event loop, bounded in all, by host and by affiliate. Outcomes
are recorded and new deliveries claimed in one transaction for as many as there are. Leases are renewed until their
outcomes are recorded; a delivery with an outcome that cannot be recorded is attempted again when its lease ends.
"""

import asyncio
import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from trackyard.actions.tracking.own_hosts import OwnHostsReader
from trackyard.base.clock import Clock
from trackyard.base.metrics import DELIVERIES, DELIVERY_SECONDS
from trackyard.domain.platform.hosts import OWN_HOST_ERROR, OwnHosts
from trackyard.domain.platform.own_requests import DELIVERY_HEADER, ORIGIN_HEADER
from trackyard.domain.tracking.outbound_calls import DEFAULT_RETRY_SECONDS, Delivery
from trackyard.domain.tracking.postbacks import is_json
from trackyard.jobs.delivery.delivery_slots import DeliverySlots, FreeSlots
from trackyard.jobs.delivery.host_concurrency import OutboundLimits
from trackyard.jobs.delivery.outcomes import Attempt, record_attempts, should_send
from trackyard.jobs.failures import JobFailures, is_outage
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import HttpResult, signature, wire_url
from trackyard.store.engine.database import Database
from trackyard.store.engine.watch import CommitWatcher
from trackyard.store.tracking import deliveries
from trackyard.store.tracking.deliveries import DueDelivery

LEASE_MS: Final = 25_000
"""Longer than START_MS, a request of 10 s and clocks that are 10 s apart: nothing is sent after its lease."""
START_MS: Final = 4_000
"""A request starts so long after its claim at most. Later the process was stopped: another worker may send it soon."""
RENEW_MS: Final = 5_000
_BATCH: Final = 128
"""Outcomes, and claims, per transaction. Measured on SQLite: under 20 ms."""
_MAX_PAUSE_S: Final = 5.0

log = logging.getLogger("trackyard.deliveries")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claim:
    """Deliveries that were claimed together.

    at: UTC milliseconds of the claim. monotonic: seconds, at the same moment.
    """

    items: Sequence[Delivery] = ()
    at: int = 0
    monotonic: float = 0.0

    def age_ms(self, now_ms: int, monotonic: float) -> float:
        """Return the age of the claim by the clock that went further: one stops with a virtual machine."""
        return max(now_ms - self.at, (monotonic - self.monotonic) * 1000)


class Deliverer:
    """Deliver until it is stopped.

    owner: the name of this worker, unique among the workers of a database: a start releases the claims of that name.
    own_urls: the addresses of the platform, which is never called; origin: identifies the platform in the requests.
    monotonic: returns seconds, for pauses of hosts.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        owner: str,
        *,
        allow: Sequence[Network] = (),
        limits: OutboundLimits | None = None,
        draw_jitter: Callable[[], float] = random.random,
        retry_seconds: Sequence[int] = DEFAULT_RETRY_SECONDS,
        own_urls: Sequence[str] = (),
        origin: str = "",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._clock = clock
        self._owner = owner
        self._allow = allow
        self._limits = limits or OutboundLimits()
        self._draw_jitter = draw_jitter
        self._retry_seconds = retry_seconds
        self._slots = DeliverySlots(self._limits, monotonic)
        self._own_hosts_reader = OwnHostsReader(own_urls)
        self._own_hosts = OwnHosts(own_urls)
        self._origin = origin
        self._failures = JobFailures(log, "worker", "deliveries", most_s=_MAX_PAUSE_S)
        self._running: set[asyncio.Task[None]] = set()
        self._sending: set[str] = set()
        self._renewed_at = 0.0
        self._monotonic = monotonic
        self._finished: list[Attempt] = []
        self._sql_thread = ThreadPoolExecutor(1, thread_name_prefix="deliveries-sql")

    def run(self, stop: threading.Event, pause_seconds: float = 0.1) -> None:
        """Deliver until `stop` is set, then end within a second: unfinished claims are released."""
        try:
            asyncio.run(self._run(stop, pause_seconds))
        finally:
            self._sql_thread.shutdown()

    async def _run(self, stop: threading.Event, pause: float) -> None:
        await self._release_stale(stop)
        with closing(CommitWatcher(self._database)) as watch:
            await self._deliver(watch, stop, pause)
            await self._shut_down()

    async def _deliver(self, watch: CommitWatcher, stop: threading.Event, pause: float) -> None:
        async with OutboundClient(self._allow, seconds=self._limits.seconds) as client:
            while not stop.is_set():
                try:
                    progressed = await self._round(client)
                except Exception as error:
                    await asyncio.to_thread(stop.wait, self._failures.failed(error))
                    continue
                self._failures.worked()
                if not progressed and not self._finished:
                    await self._wait_for_work(stop, watch, pause)
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _round(self, client: OutboundClient) -> int:
        """Record outcomes and start due deliveries with a free slot; return how many of both.

        On failure nothing is lost: outcomes stay to be recorded later, claims were not made.
        """
        await self._renew()
        group, free = self._finished[:_BATCH], self._slots.find_free(_BATCH)
        due = await self._run_sql(lambda: self._list_due(free))
        taken = [item for item in due if self._slots.take(item)]
        if free.free > 0:
            self._slots.forget_idle(due, free)
        claim = Claim()
        try:
            if group or taken:
                claim = await self._run_sql(lambda: self._record_and_claim(group, [item.id for item in taken]))
        finally:
            claimed = {item.id for item in claim.items}
            for due_item in taken:
                if due_item.id not in claimed:  # another worker has it, or nothing was written
                    self._slots.free_slot(due_item)
        del self._finished[: len(group)]
        for item in claim.items:
            self._start(client, item, claim)
        return len(group) + len(claim.items)

    async def _renew(self) -> None:
        """Renew the leases of deliveries without a recorded outcome, every few seconds."""
        now = self._monotonic()
        held = [*self._sending, *(attempt.item.id for attempt in self._finished)]
        if held and now - self._renewed_at >= RENEW_MS / 1000:
            await self._run_sql(lambda: self._write_leases(held))
            self._renewed_at = now

    def _write_leases(self, held: Sequence[str]) -> None:
        with self._database.write() as conn:
            deliveries.renew(conn, held, self._owner, self._clock.now_ms() + LEASE_MS)

    def _list_due(self, free: FreeSlots) -> list[DueDelivery]:
        now, start = self._clock.now_ms(), self._limits.start
        if free.free <= 0:
            return []
        with self._database.read() as conn:
            if not deliveries.has_due(conn, now):
                return []
            list_due = partial(
                deliveries.list_due,
                conn,
                now,
                limit=free.free,
                full_affiliates=free.full_affiliates,
                full_hosts=free.full_hosts,
            )
            due = list_due(start, without=[*free.without, *free.expanded])
            if free.expanded:
                due += list_due(max(free.expanded.values()), only=list(free.expanded))
        return due

    def _record_and_claim(self, group: Sequence[Attempt], ids: Sequence[str]) -> Claim:
        with self._database.write() as conn:
            outcomes = record_attempts(conn, group, self._draw_jitter, self._retry_seconds)
            self._own_hosts = self._own_hosts_reader.current(conn)
            at, monotonic_at = self._clock.now_ms(), self._monotonic()
            items = deliveries.claim(conn, ids, self._owner, at, LEASE_MS) if ids else []
        for outcome in outcomes:
            DELIVERIES.labels(outcome).inc()
        return Claim(items, at, monotonic_at)

    def _start(self, client: OutboundClient, item: Delivery, claim: Claim) -> None:
        if not should_send(item):
            self._slots.free_slot(item)
            self._finished.append(Attempt(item, None, self._clock.now_ms()))
            return
        task = asyncio.create_task(self._attempt(client, item, claim))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _attempt(self, client: OutboundClient, item: Delivery, claim: Claim) -> None:
        if claim.age_ms(self._clock.now_ms(), self._monotonic()) > START_MS:
            self._slots.free_slot(item)  # its lease ends by itself; another worker may have it by now
            return
        self._sending.add(item.id)
        try:
            self._finished.append(await self._send(client, item))
        finally:
            self._sending.discard(item.id)

    async def _send(self, client: OutboundClient, item: Delivery) -> Attempt:
        started_at, begin = self._clock.now_ms(), time.perf_counter()
        url, allowed = wire_url(item.url), self._slots.time_for(item)
        headers = {
            "X-Trackyard-Signature": signature(item.secret, started_at // 1000, url),
            DELIVERY_HEADER: item.job_id,
            ORIGIN_HEADER: self._origin,
        }
        if self._own_hosts.includes(url):
            answer = HttpResult(0, error=OWN_HOST_ERROR, is_refused=True)
        else:
            answer = await _call(client, url, headers, item.body, allowed)
        seconds = time.perf_counter() - begin
        DELIVERY_SECONDS.observe(seconds)
        self._slots.record_answer(item, answer, seconds, allowed)
        return Attempt(item, answer, self._clock.now_ms(), started_at, round(seconds * 1000))

    async def _wait_for_work(self, stop: threading.Event, watch: CommitWatcher, pause: float) -> None:
        """Wait until an attempt ends or something is committed."""
        if self._running:
            await asyncio.wait(self._running, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        else:
            await self._run_sql(lambda: watch.wait(stop, pause))

    async def _shut_down(self) -> None:
        """Record finished attempts and release the rest."""
        try:
            while self._finished:
                group = self._finished[:_BATCH]
                await self._run_sql(lambda group=group: self._record_and_claim(group, []))  # type: ignore[misc]
                del self._finished[: len(group)]
            await self._run_sql(self._release)
        except Exception as error:
            unexpected = None if is_outage(error) else error
            log.warning("deliveries are released at the next start", exc_info=unexpected)

    def _release(self) -> int:
        with self._database.write() as conn:
            return deliveries.release(conn, self._owner)

    async def _release_stale(self, stop: threading.Event) -> None:
        """Release the claims of an earlier worker of this name, retried until it succeeds."""
        while not stop.is_set():
            try:
                released = await self._run_sql(self._release)
            except Exception as error:
                await asyncio.to_thread(stop.wait, self._failures.failed(error))
                continue
            self._failures.worked()
            if released:
                log.info("stale deliveries released", extra={"count": released})
            return

    async def _run_sql(self, work: Callable[[], T]) -> T:
        """Run SQL in the one thread for it, so that waiting for the writer's lock stops no request."""
        return await asyncio.get_running_loop().run_in_executor(self._sql_thread, work)


async def _call(
    client: OutboundClient, url: str, headers: dict[str, str], body: str | None, seconds: float | None
) -> HttpResult:
    """Return the result of a request: with a body by POST, else by GET."""
    if body is None:
        return await client.get(url, headers, seconds=seconds)
    kind = "application/json" if is_json(body) else "application/x-www-form-urlencoded"
    return await client.post(url, {**headers, "Content-Type": kind}, body.encode("utf-8", "replace"), seconds=seconds)
