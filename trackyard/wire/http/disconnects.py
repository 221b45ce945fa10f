"""Work in a thread for a client that may go before it is done."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.types import Receive

from trackyard.analytics.cancellation import Asking

T = TypeVar("T")


async def watched(receive: Receive, who: Asking, work: Callable[[], T], threads: CapacityLimiter) -> T:
    """What `work` answers. When the client goes meanwhile, `who` gives up what it asks. The body has been read."""
    watch = asyncio.ensure_future(_give_up_with(receive, who))
    try:
        return await anyio.to_thread.run_sync(work, limiter=threads)
    finally:
        watch.cancel()


async def _give_up_with(receive: Receive, who: Asking) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    who.give_up()
