"""Names to addresses, each look-up in a thread of its own: a slow name server delays no other host."""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

GetAddrInfo = Callable[..., list[Any]]
"""As socket.getaddrinfo."""


class ThreadResolver(AbstractResolver):
    """Asks the system. Its threads are daemons: one that waits for a name server does not hold the process."""

    def __init__(self, lookup: GetAddrInfo = socket.getaddrinfo) -> None:
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Every address of `host`. Raises OSError."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[Any]] = loop.create_future()

        def deliver(found: list[Any] | None, error: OSError | None) -> None:
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(found or [])

        def look_up() -> None:
            found, error = None, None
            try:
                found = self._lookup(host, port, family=family, type=socket.SOCK_STREAM)
            except OSError as raised:
                error = raised
            except UnicodeError as raised:  # a name that cannot be one
                error = OSError(f"{host!r} is no host name: {raised}")
            if not loop.is_closed():
                loop.call_soon_threadsafe(deliver, found, error)

        threading.Thread(target=look_up, name="resolve", daemon=True).start()
        return [_result(host, item) for item in await answer]

    async def close(self) -> None:
        """Nothing is held."""


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
