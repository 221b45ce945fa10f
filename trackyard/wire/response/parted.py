"""A page of which the first part is sent while the rest is made."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trackyard.analytics.cancellation import current_cancellation
from trackyard.base.errors import RequestCancelled


class PartedResponse(Response):
    """A page that is sent in two pieces. When the client disconnects, the reports of the rest end.

    head: is sent at once. rest: what follows, once it is made.
    """

    def __init__(self, head: str, rest: "Future[str]", headers: Mapping[str, str], status: int = 200) -> None:
        super().__init__(status_code=status, media_type="text/html", headers=headers)
        del self.headers["Content-Length"]
        self._head, self._rest = head, rest
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
            rest = await asyncio.wrap_future(self._rest)
            await send({"type": "http.response.body", "body": rest.encode()})
        except RequestCancelled:
            pass  # no client is left to read it
        scope.cancel()

    def _cancel(self) -> None:
        if self._cancellation is not None:
            self._cancellation.cancel()
        self._rest.cancel()
