"""The session of a browser: its cookie, the token of its forms, messages, and its language.

docs/spec/console.md#sessions. The cookie holds the key of a session; SQL has its digest alone.
"""

import base64
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trackyard.base.texts.languages import NAMES
from trackyard.console.seals import SignaturePurpose, is_signed, sign
from trackyard.domain.people.preferences import find_language
from trackyard.domain.people.sessions import BROWSER_KEY

_NAME: Final = "trackyard"
_MESSAGE: Final = "trackyard-message"
MAX_MESSAGE: Final = 2000
"""Bytes of a message that one page leaves for the next: a cookie has at most 4,096."""
_MAX_COOKIE: Final = 200
_LOOK: Final = "trackyard-look"
_MAX_LOOK: Final = 1000
_LANGUAGE: Final = "trackyard-language"
_YEAR: Final = 365 * 86_400


def find_key(request: Request) -> str | None:
    """Return the key of the session in the browser's cookie, or None."""
    value = request.cookies.get(_cookie_name(request, _NAME), "")
    return value if value.startswith(BROWSER_KEY) and len(value) <= _MAX_COOKIE else None


def start(request: Request, response: Response, key: str) -> None:
    """Give the browser the key of a session until it is closed."""
    _set(request, response, _NAME, key)


def end(request: Request, response: Response) -> None:
    """Remove the key of the session from the browser."""
    _remove(request, response, _NAME)


def find_look(request: Request) -> str:
    """Return the encrypted text about the portal that the session looks at; "" for none."""
    return request.cookies.get(_cookie_name(request, _LOOK), "")[:_MAX_LOOK]


def start_look(request: Request, response: Response, sealed: str) -> None:
    """Let the session look at the portal of an affiliate."""
    _set(request, response, _LOOK, sealed)


def end_look(request: Request, response: Response) -> None:
    """Let the session look at no portal any more."""
    _remove(request, response, _LOOK)


def form_token(key: str) -> str:
    """Return the token that every form of a session carries."""
    return sign(key, SignaturePurpose.FORM_TOKEN)


def is_form_token(key: str, sent: str) -> bool:
    """Return whether a form was made for this session."""
    return is_signed(key, SignaturePurpose.FORM_TOKEN, sent)


def leave_message(request: Request, response: Response, key: str, text: str) -> None:
    """Leave a message that the next page of the session shows once."""
    shortened = text.encode()[:MAX_MESSAGE].decode("utf-8", "ignore").encode()
    encoded = base64.urlsafe_b64encode(shortened).decode()
    _set(request, response, _MESSAGE, f"{encoded}.{sign(key, SignaturePurpose.MESSAGE, encoded)}")


def find_message(request: Request, key: str) -> str | None:
    """Return the message that the page before left, or None. A message of another session is None."""
    encoded, _, signature = request.cookies.get(_cookie_name(request, _MESSAGE), "").partition(".")
    if not encoded or not is_signed(key, SignaturePurpose.MESSAGE, signature, encoded):
        return None
    return base64.urlsafe_b64decode(encoded).decode()


def forget_message(request: Request, response: Response) -> None:
    """Remove the message that was shown."""
    _remove(request, response, _MESSAGE)


def language_of(request: Request) -> str:
    """Return the code of the language chosen in the browser, else of the browser's own language."""
    chosen = request.cookies.get(_LANGUAGE, "")
    return chosen if chosen in NAMES else find_language(request.headers.get("accept-language", ""))


def keep_language(request: Request, response: Response, code: str) -> None:
    """Keep the language that was chosen in the browser."""
    over_tls = is_secure(request)
    response.set_cookie(_LANGUAGE, code, max_age=_YEAR, path="/", secure=over_tls, httponly=True, samesite="lax")


def is_from_this_site(request: Request) -> bool:
    """Return whether a form was sent by a page of this host.

    Browsers name the origin of every form. A request without it comes from a program, which has no cookie to abuse.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host", "")


def is_secure(request: Request) -> bool:
    """Return whether the browser asked over TLS."""
    return str(request.scope["scheme"]) == "https"


def _cookie_name(request: Request, name: str) -> str:
    return f"__Host-{name}" if is_secure(request) else name


def _set(request: Request, response: Response, name: str, value: str) -> None:
    response.set_cookie(
        _cookie_name(request, name), value, path="/", secure=is_secure(request), httponly=True, samesite="lax"
    )


def _remove(request: Request, response: Response, name: str) -> None:
    response.delete_cookie(
        _cookie_name(request, name), path="/", secure=is_secure(request), httponly=True, samesite="lax"
    )
