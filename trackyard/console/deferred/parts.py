"""Makes a page and its late part at once, and sends the page first when the part takes long."""

import asyncio
import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Final

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.responses import Response

from trackyard.base.errors import RequestCancelled, RequestError, Unavailable
from trackyard.base.logs.origin import request_origin
from trackyard.console.frame.answers import HEADERS, Html, html_response
from trackyard.console.turns import PagesBusy, TooManyPages, Turns
from trackyard.domain.people.callers import Caller
from trackyard.wire.response.parted import PartedResponse

log = logging.getLogger("trackyard.api")

DEFERRED_MARK: Final = "<!--late-->"
"""The place of the late part in its page."""
DEFERRED_END: Final = "<!--late-end-->"
"""The place of a part that the rest of its page does not wait for (`deferred_end.html`), else DEFERRED_MARK is."""
_THREADS: Final = 8
_WAITING: Final = Html("deferred_waiting.html", {"seconds": 0})


@dataclass(frozen=True, slots=True)
class MadePart:
    """A late part as text, and the status of a page with it."""

    content: str
    status: int


class DeferredParts:
    """Makes late parts in threads of its own, each in a turn of its person.

    refusal_of: the error that a failure of a store is to people; None = a defect.
    grace_s: how long a page waits for its late part before it is sent without it.
    rows_read: the rows that reports of the request in this context have read, and about how many they will.
    """

    def __init__(
        self,
        refusal_of: Callable[[Exception], RequestError | None],
        grace_s: float,
        rows_read: Callable[[], tuple[int, int]],
    ) -> None:
        self._threads, self._turns = CapacityLimiter(_THREADS), Turns(_THREADS)
        self._refusal_of, self._grace_s, self._rows_read = refusal_of, grace_s, rows_read

    def respond(
        self,
        caller: Caller,
        loop: asyncio.AbstractEventLoop,
        make: Callable[[], Html],
        show: Callable[[Html], str],
        page: Callable[[], str],
        status: int = 200,
    ) -> Response:
        """Return the response of a page. Call it in a page's thread.

        caller: the person with the turn. loop: the console's event loop.
        make: returns the late part. show: renders it as text.
        page: returns the page around it, with DEFERRED_MARK once.
        status: the page's status; 200 = the status of the late part, if that is ready in time.
        """
        part = asyncio.run_coroutine_threadsafe(self._made_in_turn(caller, make, show), loop)
        head, tail = page().split(DEFERRED_MARK)
        wait([part], self._grace_s)
        if part.done():
            made = part.result()
            return html_response(head + made.content + tail, made.status if status == 200 else status)
        before, mark, after = tail.partition(DEFERRED_END)
        rest: Future[str] = Future()
        progress = None
        if mark:
            head, frame = head + show(_WAITING) + before, ('<div class="late">', f"</div>{after}")
        else:
            head, frame, progress = head + show(_WAITING), ("", tail), self._progress(show)
        part.add_done_callback(lambda done: _pass_on(done, rest, *frame))
        return PartedResponse(head, rest, HEADERS, status, progress)

    def _progress(self, show: Callable[[Html], str]) -> Callable[[], str]:
        """Return a function that renders the next waiting card, which replaces the card before it."""
        context, began = copy_context(), time.monotonic()
        return lambda: context.run(self._waiting, show, began)

    def _waiting(self, show: Callable[[Html], str], began: float) -> str:
        try:
            read, rows = self._rows_read()
        except Unavailable:  # the report itself says so
            read = rows = 0
        seconds = math.ceil(time.monotonic() - began)
        return show(Html("deferred_waiting.html", {"seconds": seconds, "read": read, "rows": rows}))

    async def _made_in_turn(self, caller: Caller, make: Callable[[], Html], show: Callable[[Html], str]) -> MadePart:
        try:
            async with self._turns.turn(caller):
                return await anyio.to_thread.run_sync(self._made, make, show, limiter=self._threads)
        except (TooManyPages, PagesBusy) as refusal:
            return await anyio.to_thread.run_sync(self._made, partial(_raise, refusal), show)

    def _made(self, make: Callable[[], Html], show: Callable[[Html], str]) -> MadePart:
        try:
            part = make()
        except RequestCancelled:
            raise
        except Exception as fault:
            part = self._failed(fault)
        return MadePart(show(part), part.status)

    def _failed(self, fault: Exception) -> Html:
        refusal = fault if isinstance(fault, RequestError) else self._refusal_of(fault)
        if refusal is None:
            log.error("part of a page failed", exc_info=fault)
        values = {"refusal": refusal, "request_id": request_origin.get().shown_id}
        return Html("deferred_failed.html", values, 500 if refusal is None else refusal.status)


def _raise(refusal: RequestError) -> Html:
    raise refusal


def _pass_on(done: "Future[MadePart]", rest: "Future[str]", before: str, after: str) -> None:
    fault = None if done.cancelled() else done.exception()
    if not rest.set_running_or_notify_cancel():
        return  # no client is left to read it
    if done.cancelled() or fault is not None:
        rest.set_exception(fault or RequestCancelled())
    else:
        rest.set_result(before + done.result().content + after)
