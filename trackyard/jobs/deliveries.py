"""Calls to affiliates: claims what is due, attempts it, records what came of it (behaviour.md §6).

The attempts run on one event loop, bounded in all and by host. Outcomes are recorded in groups, each with its log
row in one transaction; a delivery whose outcome cannot be recorded is attempted again when its lease ends.
"""

import asyncio
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

from trackyard.actions.changes import log_row
from trackyard.base.clock import Clock
from trackyard.base.metrics import DELIVERIES, DELIVERY_SECONDS
from trackyard.outbound.client import Answer, StrangerClient, signature, wire_url
from trackyard.outbound.guard import Network
from trackyard.store import deliveries, outbox
from trackyard.store.deliveries import Delivery
from trackyard.store.engine import Connection, Database
from trackyard.store.watch import Watch

RETRY_SECONDS: Final = (5, 60, 600, 3_600, 21_600)
"""How long after a failed attempt the next one comes; after the last of them the delivery is dead."""

LEASE_MS: Final = 60_000
_GROUP: Final = 20
"""Outcomes a transaction."""

log = logging.getLogger("trackyard.deliveries")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many calls are made at once, in all and to one host, and how long one may take."""

    total: int = 64
    per_host: int = 4
    seconds: float = 10


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that was made. at: UTC ms of its end."""

    item: Delivery
    answer: Answer
    at: int


def next_attempt(failed: int, at: int, jitter: float) -> int | None:
    """When a delivery that failed `failed` times is tried again (UTC ms); None = it is dead. jitter: 0..1, adds up to
    a tenth of the pause."""
    if failed > len(RETRY_SECONDS):
        return None
    return at + int(RETRY_SECONDS[failed - 1] * 1000 * (1 + jitter / 10))


class Deliverer:
    """Delivers until it is stopped. `owner` names this worker: what one of that name held at its death is given
    back at the start, so no two workers of one database may share a name."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        owner: str,
        *,
        allow: Sequence[Network] = (),
        limits: Limits | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._clock = clock
        self._owner = owner
        self._allow = allow
        self._limits = limits or Limits()
        self._draw = draw
        self._running: dict[asyncio.Task[None], str] = {}
        self._done: list[Attempt] = []
        self._sql = ThreadPoolExecutor(1, thread_name_prefix="deliveries-sql")

    def run(self, stop: threading.Event, pause_seconds: float = 0.1) -> None:
        """Delivers until `stop` is set, then ends within a second: what is under way is given back."""
        try:
            asyncio.run(self._run(stop, pause_seconds))
        finally:
            self._sql.shutdown()

    async def _run(self, stop: threading.Event, pause: float) -> None:
        await self._patiently(lambda conn: deliveries.release(conn, self._owner), stop)
        watch = Watch(self._database)
        async with StrangerClient(self._allow, seconds=self._limits.seconds) as client:
            while not stop.is_set():
                try:
                    started = await self._start_due(client)
                    recorded = await self._record_done()
                except Exception:
                    log.exception("deliveries stand still")
                    await asyncio.sleep(1)
                    continue
                if not started and not recorded:
                    await self._rest(stop, watch, pause)
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        await self._end()
        watch.close()

    async def _start_due(self, client: StrangerClient) -> int:
        """Claims and starts what is due and has a place; how many."""
        free = self._limits.total - len(self._running) - len(self._done)
        if free <= 0:
            return 0
        items = await self._in_sql(lambda: self._claim(free))
        for item in items:
            task = asyncio.create_task(self._attempt(client, item))
            self._running[task] = item.host
            task.add_done_callback(lambda done: self._running.pop(done))
        return len(items)

    def _claim(self, free: int) -> list[Delivery]:
        now = self._clock.now_ms()
        per_host = self._limits.per_host
        busy = Counter(self._running.values())
        full = [host for host, calls in busy.items() if calls >= per_host]
        with self._database.read() as conn:
            if not deliveries.has_due(conn, now):
                return []
            due = deliveries.list_due(conn, now, per_host, free, full)
        chosen = []
        for delivery_id, host in due:
            if busy[host] < per_host:
                busy[host] += 1
                chosen.append(delivery_id)
        if not chosen:
            return []
        with self._database.write() as conn:
            return deliveries.claim(conn, chosen, self._owner, now, LEASE_MS)

    async def _attempt(self, client: StrangerClient, item: Delivery) -> None:
        if item.attempts and item.superseded:
            self._done.append(Attempt(item, Answer(0), self._clock.now_ms()))
            return
        begin = time.perf_counter()
        url = wire_url(item.url)
        headers = {
            "X-Trackyard-Signature": signature(item.secret, self._clock.now_ms() // 1000, url),
            "X-Trackyard-Delivery": item.id,
        }
        answer = await client.get(url, headers)
        DELIVERY_SECONDS.observe(time.perf_counter() - begin)
        self._done.append(Attempt(item, answer, self._clock.now_ms()))

    async def _record_done(self) -> int:
        """Records the outcomes there are; on failure they stay, to be recorded later."""
        group = self._done[:_GROUP]
        if group:
            outcomes = await self._in_sql(lambda: self._write(group))
            del self._done[: len(group)]
            for outcome in outcomes:
                DELIVERIES.labels(outcome).inc()
        return len(group)

    def _write(self, group: Sequence[Attempt]) -> list[str]:
        with self._database.write() as conn:
            return [record_attempt(conn, attempt, self._draw()) for attempt in group]

    async def _rest(self, stop: threading.Event, watch: Watch, pause: float) -> None:
        """Sleeps until something is worth doing: an attempt ends, or something was committed."""
        if self._running:
            await asyncio.wait(self._running, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        else:
            await self._in_sql(lambda: watch.wait(stop, pause))

    async def _end(self) -> None:
        """Records what is done and gives back the rest."""
        try:
            while await self._record_done():
                pass
            await self._in_sql(self._release)
        except Exception:
            log.exception("deliveries under way are given back at the next start")

    def _release(self) -> None:
        with self._database.write() as conn:
            deliveries.release(conn, self._owner)

    async def _patiently(self, work: Callable[[Connection], int], stop: threading.Event) -> None:
        """Does `work` in a transaction, however often it takes."""

        def transact() -> int:
            with self._database.write() as conn:
                return work(conn)

        while not stop.is_set():
            try:
                released = await self._in_sql(transact)
            except Exception:
                log.exception("deliveries cannot begin")
                await asyncio.sleep(1)
                continue
            if released:
                log.info("deliveries of a worker that died are repeated", extra={"count": released})
            return

    async def _in_sql(self, work: Callable[[], T]) -> T:
        """Runs SQL in the one thread for it, so that a wait for the writer's lock stops no call."""
        return await asyncio.get_running_loop().run_in_executor(self._sql, work)


def record_attempt(conn: Connection, attempt: Attempt, jitter: float) -> str:
    """Records one attempt and what follows from it: sent, failed (comes again), dead, superseded."""
    item, answer = attempt.item, attempt.answer
    skipped = bool(item.attempts and item.superseded)
    number = item.attempts if skipped else item.attempts + 1
    next_at = next_attempt(number, attempt.at, jitter) if answer.is_worth_retrying else None
    if answer.is_sent:
        outcome = "sent"
    elif skipped or (next_at is not None and deliveries.has_later(conn, item)):
        outcome = "superseded"
    else:
        outcome = "dead" if next_at is None else "failed"
    if outcome == "failed" and next_at is not None:
        deliveries.retry(conn, item, next_at)
    else:
        deliveries.remove(conn, [item.id])
    row = log_row(item, attempt.at, attempt=number, http_code=answer.http_code, outcome=outcome, error=answer.error)
    outbox.add(conn, [row], attempt.at)
    return outcome
