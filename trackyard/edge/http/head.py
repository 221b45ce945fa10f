"""The head of a request: names of headers, and the target."""

from typing import Final

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


def origin_form(url: bytes) -> bytes:
    """Return the path and query of a request target, also of one in absolute form."""
    if url.startswith(b"/"):
        return url
    rest = url.partition(b"://")[2]
    slash = rest.find(b"/")
    return rest[slash:] if slash >= 0 else b"/"
