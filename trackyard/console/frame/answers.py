"""What a page answers, and its headers (docs/spec/console.md#headers)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import Response

_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_IN_A_FRAME: Final = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' {images}; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every page: no cache keeps the data of its person, and it runs the scripts of this host alone."""


@dataclass(frozen=True, slots=True)
class Html:
    """A page made by a template.

    values: the values of the template.
    has_frames: whether it shows other pages of this host in frames.
    late: makes the part of the page that waits for reports; its place is where the template includes
    `deferred_mark.html`. The rest of the template waits with it. Where the template includes `deferred_end.html`, the
    text before that is sent at once, and a slow part is put there.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    late: "Callable[[], Html] | None" = None
    has_frames: bool = False


@dataclass(frozen=True, slots=True)
class Redirect:
    """Leads to another page. message: what that page shows once, "" = nothing."""

    to: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Starts a session with a key, and leads to a page. page: is shown instead."""

    key: str
    to: str
    page: Html | None = None


@dataclass(frozen=True, slots=True)
class SignedOut:
    """Removes the session's key from the browser, and leads to a page."""

    to: str


@dataclass(frozen=True, slots=True)
class Looks:
    """Starts or ends a look at a portal, and leads to a page.

    sealed: as `seal_look` makes it, "" = ends it.
    """

    to: str
    sealed: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Download:
    """A file of the API, which is read while it is sent."""

    response: Response


@dataclass(frozen=True, slots=True)
class FramedDocument:
    """A document of HTML in a frame of a page. It runs no script, sends no form and opens no page.

    images: the origin of its pictures besides this host, "" = none.
    """

    content: str
    images: str = ""
    status: int = 200


PageAnswer = Html | Redirect | SignedIn | SignedOut | Looks | Download | FramedDocument


def html_response(content: str, status: int = 200, *, has_frames: bool = False) -> Response:
    """Return a page with the headers of every page. has_frames: as of Html."""
    frames = {"Content-Security-Policy": f"{_POLICY}; frame-src 'self'"} if has_frames else {}
    return Response(content, status_code=status, media_type="text/html", headers=HEADERS | frames)


def framed_response(document: FramedDocument) -> Response:
    """Return a document that a page of this host shows in a frame."""
    policy = _IN_A_FRAME.format(images=document.images).replace("  ", " ").replace(" ;", ";")
    headers = HEADERS | {"Content-Security-Policy": policy}
    return Response(document.content, status_code=document.status, media_type="text/html", headers=headers)


def redirect_response(to: str) -> Response:
    """Return an answer that leads to another page of this host, asked for with GET."""
    return Response(status_code=303, headers=HEADERS | {"Location": to})
