"""Header lines of pages that depend on how the visitor came (docs/spec/tracking.md#redirects)."""

from trackyard.edge.http.cookies import is_https
from trackyard.edge.http.request import Request


class PageHeaders:
    """The header lines of pages.

    hsts_seconds: how long browsers that came by https keep to it; 0 = not at all.
    """

    def __init__(self, hsts_seconds: int = 0) -> None:
        self._hsts = b"Strict-Transport-Security: max-age=%d\r\n" % hsts_seconds if hsts_seconds else b""

    def of(self, request: Request) -> bytes:
        """Return the lines of a page."""
        return self._hsts if self._hsts and is_https(request) else b""
