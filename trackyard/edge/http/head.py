"""The head of a request: names of headers, its target, and errors."""

from typing import Final

from trackyard.base.error_codes import ErrorCode
from trackyard.edge.http.answers import error_response
from trackyard.edge.http.request import MAX_URL, Response

MAX_WIRE_BODY: Final = 8 * 1024 * 1024
"""A body with its framing: in chunks of one byte it is six times its size, and trailers follow it."""
MAX_REPEATED: Final = 1024 * 1024
"""Bytes that joining repeated headers may copy: each repeat copies all earlier values."""
MAX_COPIED: Final = 16 * 1024 * 1024
"""Bytes of a head that the parser may copy: each small piece copies what came of a header before."""

_READ_HEADERS: Final = (
    *("Accept-Language", "Connection", "Content-Length", "Content-Type", "Cookie", "Origin", "Referer", "User-Agent"),
    *("X-Forwarded-For", "X-Forwarded-Proto"),
)
_IGNORED_HEADERS: Final = (
    *("Accept", "Accept-Encoding", "Cache-Control", "DNT", "Host", "Pragma", "Priority", "TE"),
    *("Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Upgrade-Insecure-Requests"),
)
"""Headers that are dropped; remove a header from the list before reading it."""
HEADER_NAMES: Final[dict[bytes, bytes]] = {
    spelling: name.lower().encode() if name in _READ_HEADERS else b""
    for name in (*_READ_HEADERS, *_IGNORED_HEADERS)
    for spelling in (name.encode(), name.lower().encode())
}
"""Names of headers in lower case by the spellings of browsers and proxies, b"" = dropped. Others are put into lower
case."""


CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
BAD_REQUEST: Final = error_response(400, ErrorCode.BAD_REQUEST, "Bad Request")
REQUEST_TIMEOUT: Final = error_response(408, ErrorCode.REQUEST_TIMEOUT, "The request did not arrive in time")
_URL_TOO_LONG: Final = error_response(414, ErrorCode.URI_TOO_LONG, "The URL is over the limit of 8 KB")
_HEADERS_TOO_LARGE: Final = error_response(431, ErrorCode.HEADERS_TOO_LARGE, "The headers are over the limit of 64 KB")


def head_error(url: bytes) -> Response:
    """Return the error of a head that is too large."""
    return _URL_TOO_LONG if len(url) > MAX_URL else _HEADERS_TOO_LARGE


def origin_form(url: bytes) -> bytes:
    """Return the path and query of a request target, also of one in absolute form."""
    if url.startswith(b"/"):
        return url
    rest = url.partition(b"://")[2]
    slash = rest.find(b"/")
    return rest[slash:] if slash >= 0 else b"/"
