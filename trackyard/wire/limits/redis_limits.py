"""Rates and report turns that the APIs of all machines count together in Redis.

docs/spec/api-conventions.md#rate-limits. A rate is a bucket of tokens by Redis's clock. A report turn is a lease, which
its API renews while the report runs: an API that is killed gives its turns back within a minute. A request waits at
most 100 ms for Redis, and while Redis is away none does: each API then counts by itself.
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import TooManyRequests
from trackyard.base.logs.outages import Component
from trackyard.base.metrics import API_REDIS_UP
from trackyard.base.rate_limits import RateLimit, RateLimitStatus

TIMEOUT_S: Final = 0.1
"""A request waits no longer for Redis."""
RETRY_S: Final = 1.0
"""Between two attempts to reach Redis while it is away."""
TURN_S: Final = 60
"""Seconds after which the report turn of an API that does not renew it is free."""
_RENEW_S: Final = 20.0
_FAULTS: Final = (RedisError, OSError, TimeoutError, asyncio.IncompleteReadError)

_TAKE: Final = """
local now = redis.call('TIME')
local at = tonumber(now[1]) + tonumber(now[2]) / 1000000
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = burst
if held[1] then tokens = math.min(burst, tonumber(held[1]) + math.max(0, at - tonumber(held[2])) * rate) end
local passes = tokens >= 1
if passes then tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.6f', at))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) + 1)
return {passes and 1 or 0, math.floor(tokens * 1000)}
"""
"""Take a token. KEYS: the bucket. ARGV: tokens a second, size. Returns 1 when there was one, and thousandths left."""

_BEGIN: Final = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""
"""Begin a turn unless all are taken. KEYS: the turns of a caller. ARGV: turn, how many there are, seconds of it."""

_RENEW: Final = """
redis.call('ZADD', KEYS[1], tonumber(redis.call('TIME')[1]) + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""


class RedisLimits:
    """The limits in one Redis or Valkey.

    Everything runs in the event loop of one API. url: as TRACKYARD_REDIS_URL.
    """

    def __init__(self, url: str) -> None:
        self._redis: Redis = Redis.from_url(
            url,
            socket_timeout=None,
            socket_connect_timeout=TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
            max_connections=64,
        )
        self._component = Component("Redis of rate limits")
        self._is_away = False
        self._turns: dict[str, str] = {}
        """By turn, the key of its caller's turns."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._renewal: asyncio.Task[None] | None = None
        self._return: asyncio.Task[None] | None = None
        API_REDIS_UP.set(1)

    async def take(self, group: str, rate: RateLimit, name: str) -> RateLimitStatus | None:
        """Return the state of a name after it acted once more, on any machine; None = Redis is away."""
        answer = await self._run(_TAKE, f"trackyard:rate:{group}:{name}", rate.per_second, rate.burst)
        if answer is None:
            return None
        passes, tokens = bool(answer[0]), answer[1] / 1000
        wait = 0 if passes else ceil((1 - tokens) / rate.per_second)
        return RateLimitStatus(rate.burst, int(tokens), ceil((rate.burst - tokens) / rate.per_second), wait)

    async def begin_report(self, name: str, most: int) -> Callable[[], None] | None:
        """Begin a report of a caller; return what ends it, None when Redis is away. Raises TooManyRequests."""
        key, turn = f"trackyard:reports:{name}", secrets.token_hex(8)
        began = await self._run(_BEGIN, key, turn, most, TURN_S)
        if began is None:
            return None
        if not began:
            raise TooManyRequests(1, code=ErrorCode.TOO_MANY_REPORTS)
        self._turns[turn] = key
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(self._renew())
        return lambda: self._end(turn)

    async def close(self) -> None:
        """Close the connections."""
        for task in (self._renewal, self._return):
            if task is not None:
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(*_FAULTS):
            await self._redis.aclose()

    def _end(self, turn: str) -> None:
        task = asyncio.create_task(self._remove(self._turns.pop(turn), turn))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _remove(self, key: str, turn: str) -> None:
        with suppress(*_FAULTS):  # the lease ends by itself
            async with asyncio.timeout(TIMEOUT_S):
                await self._redis.zrem(key, turn)

    async def _renew(self) -> None:
        """Renew the turns of reports that run, as long as there are any."""
        while self._turns:
            await asyncio.sleep(_RENEW_S)
            for turn, key in list(self._turns.items()):
                await self._run(_RENEW, key, turn, TURN_S)

    async def _run(self, script: str, key: str, *arguments: str | int) -> Any:
        """Return the answer of a script; None when Redis is away."""
        if self._is_away:
            return None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await self._redis.eval(script, 1, key, *map(str, arguments))
        except _FAULTS as fault:
            self._lose(fault)
            return None
        self._component.worked()
        return answer

    def _lose(self, fault: Exception) -> None:
        self._component.failed(fault)
        if not self._is_away:  # other requests may have met the same fault
            self._is_away = True
            API_REDIS_UP.set(0)
            self._return = asyncio.create_task(self._await_return())

    async def _await_return(self) -> None:
        """Look for Redis until it answers, also when no request comes."""
        while self._is_away:
            await asyncio.sleep(RETRY_S)
            with suppress(*_FAULTS):
                async with asyncio.timeout(TIMEOUT_S):
                    await self._redis.ping()
                self._is_away = False
        self._component.worked()
        API_REDIS_UP.set(1)
