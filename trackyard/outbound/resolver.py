"""Look-ups of hosts, each in its own thread, so that a slow name server delays no other host.

A thread lives until the system answers, even when the request is over, so that their number is bounded.
"""

import asyncio
import concurrent.futures
import socket
import threading
from collections.abc import Callable
from typing import Any, Final

from aiohttp.abc import AbstractResolver, ResolveResult

from trackyard.domain.platform.hosts import registrable_domain

GetAddrInfo = Callable[..., list[Any]]
"""The signature of socket.getaddrinfo."""


MAX_LOOKUPS: Final = 600
"""Threads of look-ups in a process, more than it has requests."""
MAX_LOOKUPS_OF_DOMAIN: Final = 32
"""The same for the names below one registered domain, so that no name server takes them all."""


class LookupThreads:
    """Counts the threads of look-ups, by registered domain and in all. Safe to use from several threads."""

    def __init__(self, most: int = MAX_LOOKUPS, most_of_domain: int = MAX_LOOKUPS_OF_DOMAIN) -> None:
        self._most, self._most_of_domain = most, most_of_domain
        self._by_domain: dict[str, int] = {}
        self._lock = threading.Lock()

    def begin(self, host: str) -> None:
        """Count a look-up. Raises OSError when too many run."""
        domain = registrable_domain(host)
        with self._lock:
            running = self._by_domain.get(domain, 0)
            if running >= self._most_of_domain or sum(self._by_domain.values()) >= self._most:
                raise OSError(f"too many look-ups of names of {domain} are running")
            self._by_domain[domain] = running + 1

    def end(self, host: str) -> None:
        """Count a look-up no more."""
        domain = registrable_domain(host)
        with self._lock:
            self._by_domain[domain] -= 1
            if not self._by_domain[domain]:
                del self._by_domain[domain]


_THREADS: Final = LookupThreads()


class ThreadResolver(AbstractResolver):
    """Resolves hosts through the system, in daemon threads, which do not delay the exit.

    Simultaneous requests for one host share a look-up.
    """

    def __init__(self, lookup: GetAddrInfo = socket.getaddrinfo, threads: LookupThreads = _THREADS) -> None:
        self._lookup = lookup
        self._threads = threads
        self._running: dict[tuple[str, int, int], asyncio.Future[list[Any]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return every address of `host`. Raises OSError."""
        key = host, port, int(family)
        found = self._running.get(key)
        if found is None:
            found = self._running[key] = asyncio.wrap_future(self._start(host, port, family))
            found.add_done_callback(lambda done: self._forget(key, done))
        return [_result(host, item) for item in await asyncio.shield(found)]

    async def close(self) -> None:
        """Wait for no look-up any more."""
        for running in list(self._running.values()):
            running.cancel()

    def _forget(self, key: tuple[str, int, int], done: asyncio.Future[list[Any]]) -> None:
        self._running.pop(key, None)
        if not done.cancelled():
            done.exception()  # the waiting callers, if any are left, know it

    def _start(self, host: str, port: int, family: socket.AddressFamily) -> concurrent.futures.Future[list[Any]]:
        self._threads.begin(host)
        answer: concurrent.futures.Future[list[Any]] = concurrent.futures.Future()
        answer.set_running_or_notify_cancel()  # a look-up cannot be cancelled

        def look_up() -> None:
            try:
                found = self._lookup(host, port, family=family, type=socket.SOCK_STREAM)
            except OSError as error:
                self._threads.end(host)
                answer.set_exception(error)
            except UnicodeError as error:
                self._threads.end(host)
                answer.set_exception(OSError(f"{host!r} is not a host name: {error}"))
            else:
                self._threads.end(host)
                answer.set_result(found)

        threading.Thread(target=look_up, name="resolve", daemon=True).start()
        return answer


def _result(host: str, item: Any) -> ResolveResult:
    family, _kind, protocol, _name, socket_address = item
    return ResolveResult(
        hostname=host,
        host=socket_address[0],
        port=socket_address[1],
        family=family,
        proto=protocol,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )
