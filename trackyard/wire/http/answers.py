"""Answers in JSON (docs/spec/api-conventions.md#answers)."""

import re
from typing import Any, Final
from urllib.parse import quote

from starlette.responses import Response

from trackyard.base.errors import RequestError
from trackyard.wire.http.routing import Match
from trackyard.wire.request.params import MAX_SHOWN_NAME
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.errors import MethodNotAllowed, body_of

JSON: Final = "application/json"
PROTECTION: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Headers of every JSON answer: it may hold keys, so no cache keeps it and no browser takes it for a page."""
MOST_LINKS: Final = 5
"""Wrong parameters that one error links to."""
_GUIDES: Final = {401: "authentication", 413: "limits", 429: "limits"}
_NUMBER: Final = re.compile(r"\[\d+\]")


def json_response(status: int, body: Any) -> Response:
    """Return an answer with a body."""
    return Response(encoded(body), status_code=status, media_type=JSON)


def error_response(refusal: RequestError, match: Match | None = None) -> Response:
    """Return the answer to a refused request. match: the method that the error is about."""
    response = json_response(refusal.status, body_of(refusal))
    if isinstance(refusal, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(refusal.allowed)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    if match is not None:
        response.headers["Link"] = ", ".join(f'<{place}>; rel="help"' for place in help_addresses(refusal, match))
    return response


def help_addresses(refusal: RequestError, match: Match) -> list[str]:
    """Return the addresses of the pages of /docs about an error.

    They lead to a guide, to the wrong parameters, or to the method.
    """
    guide = _GUIDES.get(refusal.status)
    if guide is not None:
        return [f"/docs/{match.version}/guides/{guide}"]
    method = f"/docs/{match.version}/{match.endpoint.id}"
    names = dict.fromkeys(_NUMBER.sub("[0]", name) for name in refusal.fields or ())  # one for all items of a list
    return [f"{method}#p-{quote(name[:MAX_SHOWN_NAME], safe='')}" for name in list(names)[:MOST_LINKS]] or [method]


def protect(response: Response) -> None:
    """Add `PROTECTION` to an answer in JSON."""
    if response.headers.get("content-type", "").startswith(JSON):
        for name, value in PROTECTION.items():
            response.headers.setdefault(name, value)
