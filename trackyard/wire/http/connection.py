"""One HTTP/1 connection of the API: uvicorn's, with bounds on size and time.

A request that is refused here never reaches the application. Its answer has the form of
docs/spec/api-conventions.md#errors.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from trackyard.base.error_codes import ErrorCode
from trackyard.base.logs.episodes import EPISODE_END_S, EpisodeLog
from trackyard.base.logs.refusals import Refusals
from trackyard.base.metrics import CONNECTIONS_DROPPED
from trackyard.base.sockets import ConnectionLimits
from trackyard.domain.tracking.request_lines import HEAD_END, find_early_reason, mended_head, shown_line
from trackyard.wire.http.answers import JSON, PROTECTION
from trackyard.wire.http.forwarding import FORGIVEN_STATE
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.errors import ErrorBody

MAX_HEAD = 128 * 1024
"""Bytes of a request's first line and headers."""
MAX_URL = 64 * 1024
HEAD_SLICE: Final = 1024
"""Bytes that are parsed at once, so that few pipelined requests are read before the first is answered."""
BODY_SLICE: Final = 64 * 1024
"""The same inside of a body."""
RECEIVE_TIMEOUT_S = 20.0
"""Seconds from the first byte to the end of the headers. A body must bring `RECEIVE_MIN_BYTES` or end in this time."""
RECEIVE_MIN_BYTES = 64 * 1024
READER_TIMEOUT_S = 60.0
READER_MIN_BYTES = 16 * 1024
"""Bytes that a client must read in READER_TIMEOUT_S while an answer waits for it."""
CROWDED_IDLE_S: Final = 5
"""Seconds that a new connection may idle while its network, or all together, have more than half of theirs."""
LINGER_S = 5.0
"""Seconds that a refused client may still send before the connection is cut."""
_PROTECTION = "".join(f"{name}: {value}\r\n" for name, value in ({"Content-Type": JSON} | PROTECTION).items()).encode()
_log = logging.getLogger("trackyard.api")
_refusals: Final = Refusals(_log, "api")
_FRAMING = 8
"""Bytes on the wire for one byte of the body: chunks of a single byte take six."""


class ConnectionGate:
    """The limits of connections of the API's listener.

    network_of: returns the network by which a peer is counted, "" = it is a trusted proxy.
    """

    def __init__(self, limits: ConnectionLimits, network_of: Callable[[str], str]) -> None:
        self.limits = limits
        self.network_of = network_of
        self._log = EpisodeLog(_log, "connections dropped", "connections accepted again")

    def admit(self, network: str, loop: asyncio.AbstractEventLoop) -> bool:
        """Count a connection; False = it must be closed."""
        if self.limits.admit(network):
            return True
        CONNECTIONS_DROPPED.labels("api").inc()
        is_first = not self._log.is_open
        self._log.update(1, time.monotonic())
        if is_first:
            self._look_again(loop)
        return False

    def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        """Log the end once no connection was dropped for a while."""
        self._log.update(0, time.monotonic())
        if self._log.is_open:
            loop.call_later(EPISODE_END_S, self._look_again, loop)


class BoundedHttp(HttpToolsProtocol):
    """Limits headers, URLs, chunks and trailers, and drops clients that send or read nothing.

    gate: bounds connections; None = they are not bounded.
    """

    def __init__(self, *args: Any, gate: ConnectionGate | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._gate = gate
        self._network: str | None = None
        self._in_head = False
        self._is_complete = True
        self._head_bytes = self._wire_bytes = self._body_bytes = self._body_before = 0
        self._unread = self._head = b""
        self._completed = self._is_mending = self._ends = False
        self._forgiven = 0
        self._unwritten = 0
        self._rejected = False
        self._receive_timer: asyncio.TimerHandle | None = None
        self._reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        first_byte_s = RECEIVE_TIMEOUT_S
        if self._gate is not None:
            network = self._gate.network_of(self.client[0] if self.client else "")
            if not self._gate.admit(network, self.loop):
                self._rejected = True
                transport.abort()
                return
            self._network = network
            if self._gate.limits.is_crowded(network):
                first_byte_s = self.timeout_keep_alive = CROWDED_IDLE_S
        self._restart_receive_timer(first_byte_s)

    def connection_lost(self, exc: Exception | None) -> None:
        network, self._network = self._network, None
        if self._gate is not None and network is not None:
            self._gate.limits.release(network)
        self._cancel_receive_timer()
        self._cancel_reader_timer()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        is_behind = bool(self._unread)
        self._unread += data
        if is_behind:
            self.flow.pause_reading()
        else:
            self._parse_unread()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._unread:
            self.flow.pause_reading()
            if not self.pipeline:
                self.loop.call_soon(self._parse_unread)

    def _parse_unread(self) -> None:
        """Parse what came up to the end of a request that is not answered yet.

        Pipelined requests behind it wait as they came: thousands of them fit in one read.
        """
        unread, start = self._unread, 0
        while start < len(unread) and not self._rejected:
            in_body = not self._in_head and not self._is_complete
            if self._is_answering() and not in_body:
                break
            size = BODY_SLICE if in_body else HEAD_SLICE
            self._parse(unread[start : start + size])
            start += size
        self._unread = b"" if self._rejected else unread[start:]
        if self.transport.is_closing():
            return
        if self._unread:
            self.flow.pause_reading()
        elif not self._is_answering():
            self.flow.resume_reading()

    def _parse(self, data: bytes) -> None:
        if self._ends:
            return
        self._completed = False
        if self._is_mending:
            self._mend(data)
        else:
            self._feed(data)
        if self._is_complete or self._rejected:
            return
        if self._in_head:
            if not self._is_mending:
                self._head += data
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD:
                self._reject_head()
        else:
            self._wire_bytes += len(data)
            if self._wire_bytes > MAX_HEAD + _FRAMING * self._body_bytes:
                self._reject(413, ErrorCode.TOO_LARGE, "The body is over the limit")

    def _feed(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._unsupported_upgrade_warning()
        except httptools.HttpParserError:
            if self._rejected:
                return
            if self._in_head and not self.headers and not self._forgiven:
                self._mend(data)
            else:
                self._refuse("invalid request", self.url if self.scope else data)

    def _mend(self, data: bytes) -> None:
        """Take a head that the parser refused, once it is complete, where its address can mean one thing only.

        See docs/spec/tracking.md#what-is-forgiven.
        """
        self._head += data
        end = self._head.find(HEAD_END)
        self._is_mending = end < 0
        if self._is_mending:
            reason = find_early_reason(self._head)
            if reason:
                self._refuse(reason, self._head)
            return
        end += len(HEAD_END)
        sent, rest = self._head[:end], self._head[end:]
        mended = mended_head(sent)
        if not mended.head:
            self._refuse(mended.reason, sent)
            return
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._forgiven = mended.forgiven
        self._feed(mended.head if mended.closes else mended.head + rest)
        self._ends = mended.closes

    def _refuse(self, reason: str, sent: bytes) -> None:
        """Answer a request that cannot be read with a 400. sent: its begin."""
        _refusals.add(400, reason, self.client[0] if self.client else "", shown_line(sent))
        self._reject(400, ErrorCode.BAD_REQUEST, "Bad Request")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        # Behind another request in the same bytes its begin is unknown, so that it is not mended.
        self._head = b"\0" if self._completed else b""
        self._in_head, self._is_complete = True, False
        self._head_bytes = self._wire_bytes = self._body_bytes = self._body_before = 0
        self._restart_receive_timer()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # else a trailer, which says nothing we ask for
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self.parser.get_http_version() == "0.9":  # a request line without a version
            self._refuse("request line without a version", self.url)
        elif len(self.url) > MAX_URL or sum(len(n) + len(v) for n, v in self.headers) > MAX_HEAD:
            self._reject_head()
        if not self._rejected:
            if self._forgiven:
                self.scope["state"][FORGIVEN_STATE], self._forgiven = self._forgiven, 0
            super().on_headers_complete()
            self._restart_receive_timer()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        if not self._rejected:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_complete = self._completed = True
        self._cancel_receive_timer()
        if not self._rejected:
            super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        # Answered like any request; what follows is not HTTP.
        self._rejected = True
        if self._is_answering():
            self.cycle.keep_alive = False
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._restart_reader_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_reader_timer()

    def _restart_reader_timer(self) -> None:
        self._cancel_reader_timer()
        unread = self.transport.get_write_buffer_size()
        self._reader_timer = self.loop.call_later(READER_TIMEOUT_S, self._check_reader, unread)

    def _check_reader(self, unread: int) -> None:
        if unread - self.transport.get_write_buffer_size() < READER_MIN_BYTES:
            self.transport.abort()  # an answer that is made as it is sent must not wait for ever
        else:
            self._restart_reader_timer()

    def _cancel_reader_timer(self) -> None:
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None

    def timeout_keep_alive_handler(self) -> None:
        unread = self.transport.get_write_buffer_size()
        if not unread or unread == self._unwritten:
            self.transport.abort()  # closing would wait for a client that reads nothing
            return
        self._unwritten = unread
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _restart_receive_timer(self, seconds: float | None = None) -> None:
        self._cancel_receive_timer()
        self._receive_timer = self.loop.call_later(seconds or RECEIVE_TIMEOUT_S, self._on_receive_timeout)

    def _cancel_receive_timer(self) -> None:
        if self._receive_timer is not None:
            self._receive_timer.cancel()
            self._receive_timer = None

    def _on_receive_timeout(self) -> None:
        if self._in_head and self._is_answering():
            self._restart_receive_timer()  # we do not read on before the request ahead of it is answered
        elif not self._in_head and self._body_bytes - self._body_before >= RECEIVE_MIN_BYTES:
            self._body_before = self._body_bytes
            self._restart_receive_timer()
        elif self._is_complete or self.transport.is_closing():
            self.transport.abort()
        else:
            self._reject(408, ErrorCode.REQUEST_TIMEOUT, "The request did not arrive in time")

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _reject_head(self) -> None:
        if len(self.url) > MAX_URL:
            self._reject(414, ErrorCode.URI_TOO_LONG, "The URL is over the limit of 64 KB")
        else:
            self._reject(431, ErrorCode.HEADERS_TOO_LARGE, "The headers are over the limit of 128 KB")

    def _reject(self, status: int, code: str, text: str) -> None:
        """Answer with an error and stop reading.

        While an earlier request is being answered, its answer is sent instead.
        """
        if self._rejected:
            return
        self._rejected = True
        if status != 400:  # which is counted with its reason
            _refusals.add(
                status, code, self.client[0] if self.client else "", shown_line(self.url if self.scope else b"")
            )
        self._cancel_receive_timer()
        in_body = not (self._in_head or self._is_complete)
        if not in_body and self._is_answering():
            self.cycle.keep_alive = False
            return
        self.loop.call_later(LINGER_S, self.transport.abort)
        if in_body and self.cycle is not None:
            if self.cycle.response_started:
                return
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        body = encoded(ErrorBody(error=text, message=text, code=code))
        head = _PROTECTION + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[status] + head + body)
        if self.transport.can_write_eof():
            self.transport.write_eof()
