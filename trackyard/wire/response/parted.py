"""A page of which the first part is sent while the rest is made."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Final

import anyio
import anyio.to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trackyard.analytics.cancellation import current_cancellation
from trackyard.base.errors import RequestCancelled

PROGRESS_S: Final = 2.0
"""The time between two pieces that say how far the rest is."""


class PartedResponse(Response):
    """A page that is sent in pieces. When the client disconnects, the reports of the rest end.

    head: is sent at once. rest: what follows, once it is made.
    progress: returns what is sent meanwhile, every two seconds; it runs in a thread. None = nothing is sent.
    """

    def __init__(
        self,
        head: str,
        rest: "Future[str]",
        headers: Mapping[str, str],
        status: int = 200,
        progress: Callable[[], str] | None = None,
    ) -> None:
        super().__init__(status_code=status, media_type="text/html", headers=headers)
        del self.headers["Content-Length"]
        self._head, self._rest, self._progress = head, rest, progress
        self._cancellation = current_cancellation.get()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] == "HEAD":
            self._cancel()
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.body", "body": self._head.encode(), "more_body": True})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_rest, send, tasks.cancel_scope)
            while (await receive())["type"] != "http.disconnect":
                pass
            self._cancel()
            tasks.cancel_scope.cancel()

    async def _send_rest(self, send: Send, scope: anyio.CancelScope) -> None:
        try:
            made = asyncio.wrap_future(self._rest)
            while self._progress is not None and not (await asyncio.wait((made,), timeout=PROGRESS_S))[0]:
                text = await anyio.to_thread.run_sync(self._progress)
                await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
            rest = await made
            await send({"type": "http.response.body", "body": rest.encode()})
        except RequestCancelled:
            pass  # no client is left to read it
        scope.cancel()

    def _cancel(self) -> None:
        if self._cancellation is not None:
            self._cancellation.cancel()
        self._rest.cancel()
