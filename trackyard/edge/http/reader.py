"""Reads the requests of one HTTP/1 connection, within bounds.

A head that the parser refused is taken where its address can mean one thing only
(docs/spec/tracking.md#what-is-forgiven).
"""

import asyncio
from typing import Final

import httptools

from trackyard.base.logs.refusals import Refusals
from trackyard.domain.tracking.request_lines import HEAD_END, find_early_reason, mended_head, shown_line
from trackyard.edge.http import head
from trackyard.edge.http.answers import BODY_TOO_LARGE
from trackyard.edge.http.bounds import MAX_BODY, MAX_HEADERS
from trackyard.edge.http.head import HEADER_NAMES
from trackyard.edge.http.request import Response

BEHIND_ANOTHER: Final = b"\0"
"""The kept head of a request behind another in the same bytes: its begin is unknown, so that it is not mended."""


class RequestReader(asyncio.Protocol):
    """The parser of a connection, and what it has of a request.

    refusals: counts and logs what cannot be read
    """

    def __init__(self, refusals: Refusals) -> None:
        self._refusals = refusals
        self._parser = httptools.HttpRequestParser(self)
        self._peer = ""
        self._url = b""
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._body_size = 0
        self._in_request = False
        self._in_headers = False
        self._head = b""
        self._is_mending = False
        self._forgiven = 0
        self._header_bytes = self._copied_bytes = self._wire_bytes = self._repeated_bytes = 0
        self._completed = False
        self._closing = False

    def _close_with_error(self, response: Response) -> None:
        """Answer an invalid request and read no further; the client may finish sending."""
        raise NotImplementedError

    def _read(self, data: bytes) -> None:
        """Parse what came."""
        self._completed = False
        if self._is_mending:
            self._mend(data)
        else:
            self._feed(data)
        if self._in_request and not self._completed and not self._closing:
            if self._in_headers and not self._is_mending:
                self._head += data
            self._count(len(data))

    def _feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Answered like any request; the following bytes are not HTTP.
            self._closing = True
        except httptools.HttpParserError:
            if self._closing:
                return
            if self._in_headers and not self._headers and not self._forgiven:
                self._mend(data)
            else:
                self._refuse("invalid request", self._url or data)

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
        self._parser = httptools.HttpRequestParser(self)
        self._forgiven = mended.forgiven
        self._feed(mended.head if mended.closes else mended.head + rest)

    def _refuse(self, reason: str, sent: bytes) -> None:
        """Answer a request that cannot be read with a 400. sent: its begin."""
        self._refusals.add(400, reason, self._peer, shown_line(sent))
        self._close_with_error(head.BAD_REQUEST)

    def _count(self, size: int) -> None:
        """Bound what the parser keeps of an incomplete request."""
        if self._in_headers:
            self._header_bytes += size
            self._copied_bytes += self._header_bytes
            if self._header_bytes > MAX_HEADERS or self._copied_bytes > head.MAX_COPIED:
                self._close_with_error(head.head_error(self._url))
            return
        self._wire_bytes += size
        if self._wire_bytes > head.MAX_WIRE_BODY:
            self._close_with_error(BODY_TOO_LARGE)

    def on_url(self, url: bytes) -> None:
        self._url = self._url + url if self._url else url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_headers:
            return  # trailers are not read
        known = HEADER_NAMES.get(name)
        if known is None:
            name = name.lower()
        elif known:
            name = known
        else:
            return
        headers = self._headers
        if name in headers:
            value = headers[name] + (b"; " if name == b"cookie" else b", ") + value
            self._repeated_bytes += len(value)
            if self._repeated_bytes > head.MAX_REPEATED:
                self._in_headers = False
                self._close_with_error(head.head_error(self._url))
                return
        headers[name] = value

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        if self._body_size > MAX_BODY:
            self._body = []
            if not self._closing:
                self._close_with_error(BODY_TOO_LARGE)
            return
        self._body.append(body)
