"""One HTTP/1 connection: answers keep the order of the requests."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from email.utils import formatdate
from typing import Protocol, cast

from trackyard.base.logs.refusals import Refusals
from trackyard.base.sockets import ConnectionLimits
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.domain.tracking.request_lines import shown_line
from trackyard.edge.click_timer import ClickTimer
from trackyard.edge.http import head
from trackyard.edge.http.answers import BODY_TOO_LARGE, JOURNAL_UNWRITABLE, SERVER_ERROR
from trackyard.edge.http.bounds import (
    CROWDED_IDLE_S,
    IDLE_S,
    LARGEST_SLICE,
    LINGER_S,
    MAX_BODY,
    REQUEST_S,
    SLICE_SIZE,
    TURN_REQUESTS,
)
from trackyard.edge.http.client_address import TrustedNetworks, peer_address
from trackyard.edge.http.head import origin_form
from trackyard.edge.http.reader import BEHIND_ANOTHER, RequestReader
from trackyard.edge.http.request import DeferredResponse, HeldResponse, Request, RequestHandler, Response, serialize

_log = logging.getLogger("trackyard.edge")


class JournalSyncer(Protocol):
    """Makes the journal durable for waiting connections."""

    def wait(self, waiter: "Connection") -> None:
        """Call `waiter.synced(ok)` when the present journal is on disk, or cannot be."""

    def sync_soon(self) -> None:
        """Sync soon what may have been written."""


class ConnectionContext:
    """The context that the connections of one edge share.

    now: coarse seconds of the clock of the event loop, set by the tick of the server
    date: the Date header, set by the tick too
    limits: limits on connections
    pending: connections with answers to send at the end of this turn
    """

    def __init__(
        self,
        edge: RequestHandler,
        syncer: JournalSyncer,
        trusted: TrustedNetworks,
        call_soon: Callable[[Callable[[], None]], object],
        limits: ConnectionLimits | None = None,
    ) -> None:
        self.edge = edge
        self.handle = edge.handle
        self.call_soon = call_soon
        self.pending: list[Connection] = []
        self.syncer = syncer
        self.trusted = trusted
        self.connections: set[Connection] = set()
        self.limits = ConnectionLimits() if limits is None else limits
        self.timer = ClickTimer()
        self.refusals = Refusals(_log, "tracking")
        self.stopping = False
        self.now = 0.0
        self.date = b""
        self.set_date(0)

    def deliver_later(self, connection: "Connection") -> None:
        """Send a connection's answers together with other connections': their records are one write."""
        self.pending.append(connection)
        if len(self.pending) == 1:
            self.call_soon(self._deliver)

    def _deliver(self) -> None:
        pending, self.pending = self.pending, []
        committed = self.edge.commit()
        clicks = 0
        for connection in pending:
            clicks += connection.deliver(committed)
        self.timer.end(clicks)
        self.syncer.sync_soon()

    def network_of(self, peer: str) -> str:
        """Return the network by which the connections of a peer are counted; "" = it is a trusted proxy."""
        return "" if self.trusted.trusts_text(peer) else wide_network_of(peer)

    def set_date(self, epoch_s: int) -> None:
        """Set the Date header."""
        self.date = f"Date: {formatdate(epoch_s, usegmt=True)}\r\n".encode()


class Connection(RequestReader):
    """One client; a request that waits for the disk holds back later pipelined ones.

    network: by which it was counted when it was accepted; None = it is counted once it is made
    """

    def __init__(self, shared: ConnectionContext, network: str | None = None) -> None:
        super().__init__(shared.refusals)
        self._network: str | None = network
        self._shared = shared
        self._transport: asyncio.Transport | None = None
        self._trusted = self._tls = False
        self._out: list[bytes] = []
        self._pending_delivery = False
        self._recorded = 0
        self._queue: deque[tuple[Request, bool]] = deque()
        self._unread = b""
        self._turn_count = 0
        self._turn_scheduled = False
        self._waiting: tuple[Request, bool, Response] | None = None
        self._error: Response | None = None
        self._paused = False
        self.deadline = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._peer = peer_address(transport.get_extra_info("peername"))
        network = self._shared.network_of(self._peer)
        if self._network is None:
            if not self._shared.limits.admit(network):
                self._closing = True
                self._transport.abort()
                return
            self._network = network
        self._trusted = network == ""
        self._tls = transport.get_extra_info("sslcontext") is not None
        self._shared.connections.add(self)
        self.deadline = self._shared.now + REQUEST_S

    def connection_lost(self, exc: Exception | None) -> None:
        self._shared.connections.discard(self)
        self.release()
        self._transport = None
        self._closing = True
        self._drop_unanswered()

    def release(self) -> None:
        """Count the connection no more; once."""
        network, self._network = self._network, None
        if network is not None:
            self._shared.limits.release(network)

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        if self._unread or self._queue:
            self._unread += data  # reading is paused: the rest of what was on its way
            return
        self._turn_count = 0
        if len(data) <= SLICE_SIZE:
            self._parse(data)
        else:
            self._unread = data
            self._parse_unread()
        self._finish_turn()

    def _parse(self, data: bytes) -> None:
        self._read(data)
        if not self._in_request and not self._closing:
            self.deadline = self._shared.now + IDLE_S

    def _parse_unread(self) -> None:
        """Parse what came until the turn ends."""
        unread, start, size = self._unread, 0, SLICE_SIZE
        while start < len(unread) and not self._closing and self._waiting is None and self._turn_count < TURN_REQUESTS:
            self._parse(unread[start : start + size])
            start += size
            # The parser copies what it has of a request with every slice.
            size = SLICE_SIZE if self._completed or self._in_headers else min(2 * size, LARGEST_SLICE)
        self._unread = b"" if self._closing else unread[start:]

    def _take_turn(self) -> None:
        """Answer what earlier turns left; a client that went gets nothing more."""
        self._turn_scheduled = False
        if self._transport is None or self._transport.is_closing():
            self._drop_unanswered()
        elif self._waiting is None and not self._paused:
            self._turn_count = 0
            self._answer_queue()
            if not self._queue:
                self._parse_unread()
            self._finish_turn()
            self._update_reading()

    def _answer_queue(self) -> None:
        while self._queue and self._waiting is None and self._turn_count < TURN_REQUESTS:
            request, keep_alive = self._queue.popleft()
            self._answer(request, keep_alive)
        self._send_error()

    def _finish_turn(self) -> None:
        """Send the answers of a turn, and let others have theirs before the next."""
        if self._out:
            self._deliver_later()
        if (self._queue or self._unread) and self._waiting is None and not self._turn_scheduled:
            self._turn_scheduled = True
            self._update_reading()
            self._shared.call_soon(self._take_turn)

    def _drop_unanswered(self) -> None:
        self._queue.clear()
        self._unread = b""
        self._error = None

    def eof_received(self) -> bool:
        # A half-closed client still gets the answers it waits for.
        if self._waiting is None and not self._out and not self._queue:
            return False
        self._closing = True
        return True

    def pause_writing(self) -> None:
        self._paused = True
        self._update_reading()
        self.deadline = self._shared.now + REQUEST_S

    def resume_writing(self) -> None:
        self._paused = False
        self._update_reading()
        self.deadline = self._shared.now + IDLE_S
        self._finish_turn()

    def on_message_begin(self) -> None:
        self._url = b""
        self._head = BEHIND_ANOTHER if self._completed else b""
        self._headers = {}
        if self._body:
            self._body = []
        self._body_size = 0
        self._in_request = self._in_headers = True
        self._header_bytes = self._copied_bytes = self._wire_bytes = self._repeated_bytes = 0
        self.deadline = self._shared.now + REQUEST_S

    def on_headers_complete(self) -> None:
        self._in_headers = False
        if self._closing:
            return
        headers = self._headers
        length = headers.get(b"content-length")
        if length is not None and int(length) > MAX_BODY:
            self._close_with_error(BODY_TOO_LARGE)
        elif self._waiting is None and not self._queue and headers.get(b"expect", b"").lower() == b"100-continue":
            # Behind an unsent answer it would be out of order.
            self._out.append(head.CONTINUE)

    def on_message_complete(self) -> None:
        self._in_request = False
        self._completed = True
        if self._closing:
            return
        path, _, query = origin_form(self._url).partition(b"?")
        request = Request(
            self._parser.get_method().decode("ascii"),
            path.decode("latin-1"),
            query,
            self._headers,
            self._peer,
            self._trusted,
            b"".join(self._body) if self._body else b"",
            self._tls,
            self._forgiven,
        )
        self._forgiven = 0
        keep_alive: bool = self._parser.should_keep_alive()
        if (not keep_alive or b"connection" in self._headers) and self._parser.get_http_version() == "0.9":
            self._refuse("request line without a version", self._url)
            return
        if self._waiting is None and self._turn_count < TURN_REQUESTS:
            self._answer(request, keep_alive)
        else:
            self._queue.append((request, keep_alive))

    def synced(self, ok: bool) -> None:
        """Send the answer that waited for the journal; `ok`: the journal is durable."""
        waiting = self._waiting
        if ok and waiting is not None and self._transport is not None:
            deferred = waiting[2]
            if isinstance(deferred, DeferredResponse) and not deferred.ready:
                deferred.waiter = self._send_deferred
                return
        self._stop_waiting()
        if waiting is None or self._transport is None:
            return
        request, keep_alive, response = waiting
        if response.recorded:
            self._recorded += 1
        self._send(request, keep_alive, response if ok else JOURNAL_UNWRITABLE)
        self._turn_count = 0
        self._answer_queue()
        self._finish_turn()
        self._update_reading()
        if self._waiting is None and self._closing and not self._out and not self._queue:
            self._transport.close()

    def _send_held(self) -> None:
        """Send the answer of a request that waited for a decision; a recorded one once it is durable."""
        waiting = self._waiting
        if waiting is None:
            return  # the client went; what it reported is recorded
        request, keep_alive, held = waiting
        if not isinstance(held, HeldResponse) or held.decided is None:
            return
        self._waiting = (request, keep_alive, held.decided)
        if held.decided.durable:
            self._shared.syncer.wait(self)
        else:
            self.synced(True)

    def _send_deferred(self) -> None:
        """Send the durable answer with its body."""
        self.synced(True)

    def _stop_waiting(self) -> None:
        # A function of its own: mypyc would take `_waiting` for None in the rest of `synced`.
        self._waiting = None

    def deliver(self, committed: bool) -> int:
        """Send the answers; return to how many clicks. `committed`: their records are in the journal."""
        self._pending_delivery = False
        if self._recorded and not committed:
            # One answer for all pipelined requests: the close shows that the others have none.
            self._out = [serialize(JOURNAL_UNWRITABLE, self._shared.date, b"Connection: close\r\n", head=False)]
            self._closing = True
            self._drop_unanswered()
        clicks, self._recorded = self._recorded, 0
        out, self._out = self._out, []
        transport = self._transport
        if transport is None or not out:
            return 0
        transport.write(out[0] if len(out) == 1 else b"".join(out))
        if self._closing and self._waiting is None and not self._queue:
            self._linger(transport)
        return clicks

    def finish(self) -> None:
        """Close an idle connection now, and a busy one behind its answer: the edge stops."""
        if self._transport is None:
            return
        if self._waiting is None and not self._out and not self._queue and (self._closing or not self._in_request):
            self._transport.close()

    def expire(self, now: float) -> None:
        """Disconnect a client that timed out."""
        if self._transport is None or self._waiting is not None:
            return
        if now < self.deadline and not self._is_in_the_way(now):
            return
        if self._in_request and not self._closing:
            self._close_with_error(head.REQUEST_TIMEOUT)
            self._deliver_later()
        else:
            self._transport.abort()

    def _is_in_the_way(self, now: float) -> bool:
        """Return whether an idle client holds a connection that others of its network may need."""
        if self._in_request or self._closing or self._paused or not self._network:
            return False
        idle = now - self.deadline + (IDLE_S if self._url else REQUEST_S)
        return idle >= CROWDED_IDLE_S and self._shared.limits.is_crowded(self._network)

    def _answer(self, request: Request, keep_alive: bool) -> None:
        self._turn_count += 1
        self._shared.timer.begin()
        try:
            response = self._shared.handle(request)
        except Exception:
            _log.exception("request failed", extra={"path": request.path})
            response = SERVER_ERROR
        if response.durable:
            self._waiting = (request, keep_alive, response)
            if not self._out and not self._shared.pending:
                self._shared.timer.began = 0.0  # it waits for the disk, and the turn has no other
            if isinstance(response, HeldResponse):
                response.waiter = self._send_held
            else:
                self._shared.syncer.wait(self)
            self._update_reading()
        else:
            if response.recorded:
                self._recorded += 1
            self._send(request, keep_alive, response)

    def _send(self, request: Request, keep_alive: bool, response: Response) -> None:
        keep_open = keep_alive and not self._shared.stopping
        connection_header = b""
        if not keep_open:
            connection_header = b"Connection: close\r\n"
            self._closing = True
            self._drop_unanswered()
        elif b"connection" in request.headers:
            connection_header = b"Connection: keep-alive\r\n"
        self._out.append(serialize(response, self._shared.date, connection_header, head=request.method == "HEAD"))

    def _close_with_error(self, response: Response) -> None:
        """Answer an invalid request and read no further; the client may finish sending."""
        self._closing = True
        if response is not head.BAD_REQUEST:  # which is counted with its reason
            self._refusals.add(response.status, "over a limit", self._peer, shown_line(self._url))
        if self._transport is not None and self._error is None:
            self._error = response
            self._send_error()

    def _send_error(self) -> None:
        """Send the error of an invalid request, behind the answers to earlier requests."""
        error = self._error
        if error is not None and self._waiting is None and not self._queue:
            self._error = None
            self._out.append(serialize(error, self._shared.date, b"Connection: close\r\n", head=False))

    def _deliver_later(self) -> None:
        if not self._pending_delivery:
            self._pending_delivery = True
            self._shared.deliver_later(self)

    def _linger(self, transport: asyncio.Transport) -> None:
        """Close. A client that is still sending must not lose its answer to a reset."""
        if self._in_request and transport.can_write_eof():
            transport.write_eof()
            self.deadline = self._shared.now + LINGER_S
        else:
            transport.close()

    def _update_reading(self) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        if self._paused or self._waiting is not None or self._queue or self._unread:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()
