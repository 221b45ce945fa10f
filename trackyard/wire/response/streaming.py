"""The answer that is a file, sent while it is read.

An error while rows are read ends the connection early, so that a partial file is not taken for a whole one. When the
client disconnects, the reading ends.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import Final

import anyio
import anyio.to_thread
from anyio import CancelScope, CapacityLimiter
from anyio.lowlevel import RunVar
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trackyard.analytics.cancellation import current_cancellation
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import RequestCancelled, RequestError, TooManyRequests
from trackyard.wire.response.csv_columns import csv_of
from trackyard.wire.response.exports import BYTE_ORDER_MARK, COMMA, CSV, PARQUET, ColumnBlock, ExportTable
from trackyard.wire.response.parquet import parquet_of

log = logging.getLogger("trackyard.api")

TOTAL_COUNT_HEADER: Final = "X-Total-Count"
MAX_EXPORTS: Final = 6
"""Exports at a time."""
MAX_EXPORTS_PER_STAFF_USER: Final = 2
MAX_EXPORTS_PER_AFFILIATE: Final = 1
MAX_EXPORTS_OF_AFFILIATES: Final = 2
"""Exports of all affiliates at a time: the others are for staff."""
RETRY_S: Final = 5
Write = Callable[[ExportTable, Iterable[ColumnBlock]], Iterator[bytes]]

_reader_limiter: Final = RunVar[CapacityLimiter]("reading")
READER_THREADS: Final = 4
"""Files that are read at a time, in threads of their own."""
_MEDIA_TYPES: Final = {"csv": f"{CSV}; charset=utf-8", "parquet": PARQUET}


class TooManyExports(TooManyRequests):
    """A caller runs its maximum of exports."""

    def __init__(self, most: int) -> None:
        text = f"Too Many Requests: your exports that run are {most}, the maximum: ask again when one has ended"
        super().__init__(RETRY_S, text, code=ErrorCode.TOO_MANY_EXPORTS)


class ExportsBusy(RequestError):
    """The maximum of exports is running; another one would slow other requests."""

    status, code, text = 503, ErrorCode.EXPORTS_BUSY, f"{MAX_EXPORTS} exports are running: ask again when one has ended"
    retry_after = RETRY_S


class ExportSlots:
    """The files that are being sent, by caller. Safe to use from several threads."""

    def __init__(self) -> None:
        self._staff, self._affiliates = Counter[str](), Counter[str]()
        self._lock = threading.Lock()

    def slot(self, name: str, *, affiliate: bool) -> ExitStack:
        """Return a slot for one more file of a caller, released when it is closed.

        Raises TooManyExports, ExportsBusy.
        """
        running = self._affiliates if affiliate else self._staff
        most = MAX_EXPORTS_PER_AFFILIATE if affiliate else MAX_EXPORTS_PER_STAFF_USER
        with self._lock:
            if running[name] >= most:
                raise TooManyExports(most)
            if affiliate and running.total() >= MAX_EXPORTS_OF_AFFILIATES:
                raise ExportsBusy(f"{MAX_EXPORTS_OF_AFFILIATES} exports of affiliates are running: ask again later")
            if self._staff.total() + self._affiliates.total() >= MAX_EXPORTS:
                raise ExportsBusy
            running[name] += 1
        slot = ExitStack()
        slot.callback(self._release, running, name)
        return slot

    def _release(self, running: Counter[str], name: str) -> None:
        with self._lock:
            running[name] -= 1
            running += Counter()  # names that have none are forgotten


class ExportResponse(Response):
    """An answer that is a file.

    has_mark: whether a CSV file begins with a byte order mark. separator: the character between its cells.
    cleanup: closed in a thread before the last byte is sent, or once the file failed.
    loop_cleanup: closed then in the event loop.
    """

    def __init__(
        self,
        name: str,
        form: str,
        table: ExportTable,
        cleanup: ExitStack,
        *,
        has_mark: bool = False,
        separator: str = COMMA,
    ) -> None:
        self._write: Write = partial(csv_of, separator=separator) if form == "csv" else parquet_of
        self._start = BYTE_ORDER_MARK.encode() if has_mark and form == "csv" else b""
        period = f"_{table.period}" if table.period else ""
        headers = {
            "Content-Disposition": f'attachment; filename="{name}{period}.{form}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        super().__init__(media_type=_MEDIA_TYPES[form], headers=headers)
        del self.headers["Content-Length"]
        self._table = table
        self._rows: Iterable[ColumnBlock] = table.pieces
        self._fault: Exception | None = None
        self._cancellation = current_cancellation.get()
        self._cleanup = cleanup
        self._cleanup.callback(table.pieces.close)
        self.loop_cleanup = ExitStack()

    def read_first(self) -> None:
        """Read the first rows, so that their errors are sent as errors."""
        first = next(self._table.pieces, None)
        if first is not None:
            self._rows = chain([first], self._table.pieces)
        if self._table.count is not None:
            self.headers[TOTAL_COUNT_HEADER] = str(self._table.count())

    def read_all(self, most: int) -> bytes | None:
        """Return the file at once; None where it has more than `most` bytes."""
        pieces, length = list[bytes](), 0
        with self._cleanup:
            for piece in self._pieces():
                pieces.append(piece)
                length += len(piece)
                if length > most:
                    return None
        return b"".join(pieces)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            if scope["method"] == "HEAD":
                await self._give_places_back()
                await send({"type": "http.response.body", "body": b""})
                return
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._send_all, send, tasks.cancel_scope)
                await _wait_for_disconnect(receive)
                if self._cancellation is not None:
                    self._cancellation.cancel()  # the thread may wait for its turn
                tasks.cancel_scope.cancel()
        finally:
            await self._give_places_back()
        if self._fault is not None:
            raise self._fault

    async def _send_all(self, send: Send, scope: CancelScope) -> None:
        lines = self._pieces()
        try:
            while (piece := await anyio.to_thread.run_sync(self._next, lines, limiter=_readers())) is not None:
                if piece:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await self._give_places_back()
            await send({"type": "http.response.body", "body": b""})
        except RequestCancelled:
            log.info("export cancelled")
        except Exception as fault:  # raised by __call__, outside of the task group
            log.exception("export cut short")
            self._fault = fault
        scope.cancel()

    async def _give_places_back(self) -> None:
        """Release what the file held. A client that has the last byte may ask for the next file at once."""
        with CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._cleanup.close, limiter=_readers())
            self.loop_cleanup.close()

    def _pieces(self) -> Iterator[bytes]:
        """Yield the file in pieces."""
        if self._start:
            yield self._start
        yield from self._write(self._table, self._rows)

    def _next(self, lines: Iterator[bytes]) -> bytes | None:
        """Return the next piece, read under the cancellation token of the request; None at the end."""
        before = current_cancellation.set(self._cancellation)
        try:
            return next(lines, None)
        finally:
            current_cancellation.reset(before)


async def _wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _readers() -> CapacityLimiter:
    """Return the limiter of reading threads of this event loop."""
    try:
        return _reader_limiter.get()
    except LookupError:
        _reader_limiter.set(found := CapacityLimiter(READER_THREADS))
        return found
