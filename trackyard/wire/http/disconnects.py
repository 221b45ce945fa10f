"""Work in a thread for a client that may disconnect."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.types import Receive

from trackyard.analytics.cancellation import CancellationToken, current_cancellation

T = TypeVar("T")


async def run_cancellable(
    receive: Receive, token: CancellationToken, work: Callable[[], T], threads: CapacityLimiter
) -> T:
    """Return the result of `work`. The body must have been read.

    When the client disconnects, `token` is cancelled, which ends the queries of `work`.
    """
    watcher = asyncio.ensure_future(_cancel_on_disconnect(receive, token))
    try:
        return await anyio.to_thread.run_sync(work, limiter=threads)
    finally:
        watcher.cancel()


async def run_for_client(receive: Receive, name: str, work: Callable[[], T], threads: CapacityLimiter) -> T:
    """Return the result of `work` for a caller of this name. When the client disconnects, its queries end."""
    token = CancellationToken(name)
    current = current_cancellation.set(token)
    try:
        return await run_cancellable(receive, token, work, threads)
    finally:
        current_cancellation.reset(current)


async def _cancel_on_disconnect(receive: Receive, token: CancellationToken) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    token.cancel()
