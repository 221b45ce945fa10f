"""The connection of an edge to Redis, which all machines share (docs/spec/engine.md#several-machines).

Questions of one turn of the event loop go out together, and while one batch is answered the next one gathers. A count
is a hash of edge slot to clicks: each edge sets its own part again from its own state, which the journal restores
exactly.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from redis import Redis as SyncRedis
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from trackyard.base import metrics
from trackyard.base.logs.outages import Component
from trackyard.edge.state.shared_claims import Decide, OwnCount, SharedAnswer, SharedClaim

TIMEOUT_S: Final = 0.25
"""A click waits no longer for an answer; then its edge decides by itself."""
CONNECT_TIMEOUT_S: Final = 2.0
RETRY_S: Final = 1.0
"""Between two attempts to reach Redis while it is away."""
PUBLISH_S: Final = 60.0
"""Between two times at which an edge writes its own counts: a Redis that lost its data gets them back."""
PING_S: Final = 5.0
"""Between two looks at a Redis that no click needs, so that its loss is known before one does."""
MAX_WAITING: Final = 10_000
"""Clicks that wait for Redis; further ones are decided by their edge."""
MAX_KEPT: Final = 200_000
"""Visitors of an outage that are written once Redis is back."""
_MAX_BATCH: Final = 500

_RESERVE: Final = """
local visitor = ARGV[3] ~= '0'
if visitor then
  local click = redis.call('GET', KEYS[1])
  if click and click ~= ARGV[2] then return {0, -1} end
end
local answer = {1, -1}
for i = 2, #KEYS do
  local total = 0
  for _, clicks in ipairs(redis.call('HVALS', KEYS[i])) do total = total + clicks end
  answer[i + 1] = total
  if answer[2] < 0 and total >= tonumber(ARGV[2 * i]) then answer[2] = i - 2 end
end
if answer[2] >= 0 then return answer end
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[i], ARGV[1], 1)
  if ARGV[2 * i + 1] ~= '0' then redis.call('EXPIREAT', KEYS[i], ARGV[2 * i + 1]) end
end
if visitor then redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return answer
"""
"""Reserve the visitor and a place in each count, or nothing.

KEYS: the visitor, then each count.
ARGV: edge slot, click, seconds for which the visitor is kept (0 = any visitor passes); then for each count its limit
and the second at which it expires (0 = never).
Returns 1 for a visitor that was not seen, the index of the first full count (-1 = none, reserved), and the clicks of
each count before this one.
"""

_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
for i = 2, #KEYS do
  if tonumber(redis.call('HGET', KEYS[i], ARGV[1]) or '0') > 0 then redis.call('HINCRBY', KEYS[i], ARGV[1], -1) end
end
return 1
"""
"""Release what _RESERVE reserved for a click. KEYS as there; ARGV: edge slot, click."""


def ping(url: str) -> None:
    """Ask Redis once. Raises RedisError, OSError."""
    with SyncRedis.from_url(url, socket_timeout=CONNECT_TIMEOUT_S, socket_connect_timeout=CONNECT_TIMEOUT_S) as client:
        client.ping()


def place_of(url: str) -> str:
    """Return where a Redis is, without user and password."""
    parts = urlsplit(url)
    return parts.path if parts.scheme == "unix" else f"{parts.hostname}:{parts.port or 6379}"


class RedisStore:
    """Asks Redis in the event loop of one edge.

    url: redis://, rediss:// or unix://
    slot: the permanent name of this edge: its data directory and its slot there
    edge: its number, for metrics
    own_counts: returns the counts of this edge that are in use
    is_away: Redis does not answer; true until it did
    """

    def __init__(self, url: str, slot: str, edge: int, own_counts: Callable[[], Iterable[OwnCount]]) -> None:
        self._redis: Redis = Redis.from_url(
            url,
            socket_timeout=None,
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
            single_connection_client=False,
            max_connections=2,
        )
        self._slot = slot
        self._label = str(edge)
        self._own_counts = own_counts
        self.is_away = True
        self._component = Component("Redis")
        self._questions: deque[tuple[SharedClaim, Decide]] = deque()
        self._releases: deque[SharedClaim] = deque()
        self._kept: deque[tuple[str, str, float]] = deque(maxlen=MAX_KEPT)
        """Visitors that were decided without Redis: key, click, and when they end (UTC seconds)."""
        self._wake = asyncio.Event()
        self._reserve = self._release = ""
        self._published_at = 0.0

    def ask(self, claim: SharedClaim, decide: Decide) -> bool:
        """Reserve a claim; `decide` is called once, later. False = it is not, because Redis is away or busy."""
        if self.is_away or len(self._questions) >= MAX_WAITING:
            return False
        self._questions.append((claim, decide))
        self._wake.set()
        return True

    def release(self, claim: SharedClaim) -> None:
        """Release a reserved claim, at once or when Redis is back."""
        self._releases.append(claim)
        self._wake.set()

    def keep_visitor(self, claim: SharedClaim) -> None:
        """Write the visitor of a click that was decided without Redis when it is back."""
        if claim.visitor_s:
            self._kept.append((claim.visitor, claim.click_id, time.time() + claim.visitor_s))

    async def run(self) -> None:
        """Answer claims until cancelled. While Redis is away, all are left to their edge."""
        try:
            while True:
                try:
                    await self._connect()
                    while True:
                        await self._serve()
                except (RedisError, OSError, TimeoutError, asyncio.IncompleteReadError) as fault:
                    await self._lose(fault)
                await asyncio.sleep(RETRY_S)
        finally:
            self._decide_alone()
            with suppress(RedisError, OSError):
                await self._redis.aclose()

    async def _connect(self) -> None:
        """Reach Redis and bring it up to date with what this edge did without it."""
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            self._reserve = await self._redis.script_load(_RESERVE)
            self._release = await self._redis.script_load(_RELEASE)
        await self._publish()
        while self._kept:
            batch = [self._kept.popleft() for _ in range(min(_MAX_BATCH, len(self._kept)))]
            try:
                await self._write_visitors(batch)
            except BaseException:
                self._kept.extendleft(reversed(batch))
                raise
        self.is_away = False
        self._component.worked()
        metrics.REDIS_UP.labels(self._label).set(1)

    async def _lose(self, fault: Exception) -> None:
        self.is_away = True
        self._component.failed(fault)
        metrics.REDIS_UP.labels(self._label).set(0)
        # The counts are written as this edge has them; of these claims only the visitors are left.
        self._releases = deque(replace(claim, counts=()) for claim in self._releases)
        self._decide_alone()
        with suppress(RedisError, OSError):
            await self._redis.connection_pool.disconnect()

    def _decide_alone(self) -> None:
        waiting, self._questions = self._questions, deque()
        for _, decide in waiting:
            decide(None)

    async def _serve(self) -> None:
        """Send what waits, or wait for it; publish the own counts when it is time to."""
        if not self._questions and not self._releases:
            self._wake.clear()
            await self._wait_or_ping()
        if self._releases:
            await self._send_releases()
        if time.monotonic() - self._published_at >= PUBLISH_S:
            await self._publish()
        if self._questions:
            await self._send_questions()

    async def _wait_or_ping(self) -> None:
        """Wait for work; look whether Redis is still there when none comes."""
        left = self._published_at + PUBLISH_S - time.monotonic()
        if left <= 0:
            return
        try:
            await asyncio.wait_for(self._wake.wait(), min(left, PING_S))
        except TimeoutError:
            async with asyncio.timeout(TIMEOUT_S):
                await self._redis.ping()

    async def _send_questions(self) -> None:
        batch = [self._questions.popleft() for _ in range(min(_MAX_BATCH, len(self._questions)))]
        began = time.perf_counter()
        try:
            results = await self._execute([self._reserve_command(claim) for claim, _ in batch])
        except BaseException:
            for _, decide in batch:
                decide(None)
            raise
        metrics.REDIS_SECONDS.observe(time.perf_counter() - began)
        for (_, decide), result in zip(batch, results, strict=True):
            decide(SharedAnswer(bool(result[0]), result[1], tuple(result[2:])))

    async def _send_releases(self) -> None:
        batch = [self._releases.popleft() for _ in range(min(_MAX_BATCH, len(self._releases)))]
        try:
            await self._execute([self._release_command(claim) for claim in batch])
        except BaseException:
            self._releases.extendleft(reversed(batch))
            raise

    async def _write_visitors(self, batch: Sequence[tuple[str, str, float]]) -> None:
        now = time.time()
        async with asyncio.timeout(CONNECT_TIMEOUT_S), self._redis.pipeline(transaction=False) as pipeline:
            for key, click_id, until in batch:
                if until > now:
                    pipeline.set(key, click_id, nx=True, ex=max(1, int(until - now)))
            await pipeline.execute()

    async def _publish(self) -> None:
        """Set the part of this edge in every count. No claim is under way meanwhile."""
        async with asyncio.timeout(CONNECT_TIMEOUT_S), self._redis.pipeline(transaction=False) as pipeline:
            for count in self._own_counts():
                pipeline.hset(count.key, self._slot, str(count.clicks))
                if count.expires_at:
                    pipeline.expireat(count.key, count.expires_at)
            await pipeline.execute()
        self._published_at = time.monotonic()

    async def _execute(self, commands: Sequence[tuple[object, ...]]) -> list[Any]:
        """Run scripts in one round trip.

        A Redis that does not know them was restarted: the error leads to a new connection, which writes them and what
        this edge knows.
        """
        async with asyncio.timeout(TIMEOUT_S), self._redis.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command("EVALSHA", *command)
            return list(await pipeline.execute())

    def _reserve_command(self, claim: SharedClaim) -> tuple[object, ...]:
        counts = [value for count in claim.counts for value in (count.limit, count.expires_at)]
        keys = claim.keys()
        return (self._reserve, len(keys), *keys, self._slot, claim.click_id, claim.visitor_s, *counts)

    def _release_command(self, claim: SharedClaim) -> tuple[object, ...]:
        keys = claim.keys()
        return (self._release, len(keys), *keys, self._slot, claim.click_id)
