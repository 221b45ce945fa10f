"""Look-ups of host names, each in its own thread, so that a slow name server delays no other host."""

import asyncio
import concurrent.futures
import socket
import threading
from collections.abc import Callable
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

GetAddrInfo = Callable[..., list[Any]]
"""The signature of socket.getaddrinfo."""


class ThreadResolver(AbstractResolver):
    """Resolves names by the system, in daemon threads, which do not delay the exit."""

    def __init__(self, lookup: GetAddrInfo = socket.getaddrinfo) -> None:
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return every address of `host`. Raises OSError."""
        answer: concurrent.futures.Future[list[Any]] = concurrent.futures.Future()
        answer.set_running_or_notify_cancel()  # a look-up cannot be cancelled

        def look_up() -> None:
            try:
                answer.set_result(self._lookup(host, port, family=family, type=socket.SOCK_STREAM))
            except OSError as error:
                answer.set_exception(error)
            except UnicodeError as error:
                answer.set_exception(OSError(f"{host!r} is no host name: {error}"))

        threading.Thread(target=look_up, name="resolve", daemon=True).start()
        return [_result(host, item) for item in await asyncio.wrap_future(answer)]

    async def close(self) -> None:
        """Do nothing, since nothing is held."""


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
