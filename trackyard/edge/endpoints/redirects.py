"""Redirects of visitors to a URL (docs/spec/tracking.md#redirects)."""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final, assert_never

from trackyard.base.error_codes import ErrorCode
from trackyard.decision.click.hit import Hit
from trackyard.domain.offers.choices import RedirectType
from trackyard.edge.endpoints.pages import HTML, NOT_AVAILABLE
from trackyard.edge.http.answers import NO_STORE, encode_json, error_response
from trackyard.edge.http.request import Request, Response

HTTP_302: Final = RedirectType.HTTP_302  # its look-up is slow
_NOT_AVAILABLE: Final = ErrorCode.NOT_AVAILABLE
_NO_REFERRER: Final = NO_STORE + b"Referrer-Policy: no-referrer\r\n"

_SCRIPT: Final = b"location.replace(document.documentElement.dataset.url)"
"""The same for every click: the page says the hash of the one script that may run."""
_JS_PAGE: Final = (
    b'<!doctype html><html lang=en data-url="%(url)s"><meta charset=utf-8><meta name=referrer content=no-referrer>'
    b"<title>Redirect</title><script>" + _SCRIPT + b"</script>"
    b'<noscript><meta http-equiv=refresh content="0;url=%(url)s"></noscript></html>\n'
)
"""A redirect by a script. url: the URL as an attribute."""

_META_PAGE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer><title>Redirect</title>"
    b'<meta http-equiv=refresh content="0;url=%(url)s"></html>\n'
)

_CLOSED_PAGE: Final = (
    _NO_REFERRER + b"X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
    b"Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_META_HEADERS: Final = _CLOSED_PAGE + b"\r\n"
_JS_HEADERS: Final = _CLOSED_PAGE + b"; script-src 'sha256-%b'\r\n" % b64encode(sha256(_SCRIPT).digest())

_is_origin = re.compile(rb"(?:https?://[A-Za-z0-9.:\[\]_-]{1,255}|null)\Z").match
_is_header_list = re.compile(rb"[A-Za-z0-9_, -]{1,500}\Z").match


def redirect(url: str, kind: RedirectType, cookies: bytes, *, recorded: bool) -> Response:
    """Return the answer that leads to `url` (plain ASCII) by a redirect type."""
    if kind is HTTP_302:
        return Response(302, b"", b"", url.encode("ascii"), cookies + NO_STORE if cookies else NO_STORE, recorded)
    match kind:
        case RedirectType.HTTP_302_HIDDEN:
            return Response(302, b"", b"", url.encode("ascii"), cookies + _NO_REFERRER, recorded)
        case RedirectType.JS:
            page, headers = _JS_PAGE, _JS_HEADERS
        case RedirectType.META:
            page, headers = _META_PAGE, _META_HEADERS
        case _:
            assert_never(kind)
    # The URL is percent-encoded and escaped, so that it ends no attribute.
    body = page % {b"url": escape(url).encode("ascii")}
    return Response(200, body, HTML, headers=cookies + headers, recorded=recorded)


def not_available(page_headers: bytes, *, recorded: bool) -> Response:
    """Return the page of a rejected click without a target."""
    return Response(404, NOT_AVAILABLE, HTML, headers=page_headers + NO_STORE, recorded=recorded)


def json_redirect(request: Request, hit: Hit, url: str | None, cookies: bytes, *, recorded: bool) -> Response:
    """Return the target of a click and its id as JSON for a script (`format=json`)."""
    headers = cookies + cors(request)
    if url is None:
        answer = error_response(404, _NOT_AVAILABLE, "This offer is not available", headers)
        answer.recorded = recorded
        return answer
    body = encode_json({"status": 1, "clickid": hit.click_id, "url": url})
    return Response(200, body, headers=headers + NO_STORE, recorded=recorded)


def cors(request: Request) -> bytes:
    """Return the header lines that let the asking page read the answer, with cookies."""
    origin = request.headers.get(b"origin")
    if origin is None or not _is_origin(origin):
        return b"Vary: Origin\r\n"
    return b"Access-Control-Allow-Origin: %s\r\nAccess-Control-Allow-Credentials: true\r\nVary: Origin\r\n" % origin


def preflight(request: Request, methods: tuple[str, ...]) -> Response:
    """Return the answer to OPTIONS: what a page of another site may ask."""
    allowed = ", ".join((*methods, "OPTIONS")).encode("ascii")
    headers = b"Allow: %s\r\n" % allowed + cors(request)
    if b"origin" in request.headers:
        headers += b"Access-Control-Allow-Methods: %s\r\nAccess-Control-Max-Age: 86400\r\n" % allowed
        wanted = request.headers.get(b"access-control-request-headers", b"")
        if _is_header_list(wanted):
            headers += b"Access-Control-Allow-Headers: %s\r\n" % wanted
    return Response(200, b"", b"text/plain; charset=utf-8", headers=headers)
