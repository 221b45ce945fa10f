"""Answers in JSON (docs/spec/api-conventions.md#answers)."""

from typing import Any, Final

from starlette.responses import Response

from trackyard.base.errors import RequestError
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.errors import MethodNotAllowed, body_of

JSON: Final = "application/json"
PROTECTION: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Headers of every JSON answer: it may hold keys, so no cache keeps it and no browser takes it for a page."""


def json_response(status: int, body: Any) -> Response:
    """Return an answer with a body."""
    return Response(encoded(body), status_code=status, media_type=JSON)


def error_response(refusal: RequestError) -> Response:
    """Return the answer to a refused request."""
    response = json_response(refusal.status, body_of(refusal))
    if isinstance(refusal, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(refusal.allowed)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def protect(response: Response) -> None:
    """Add `PROTECTION` to an answer in JSON."""
    if response.headers.get("content-type", "").startswith(JSON):
        for name, value in PROTECTION.items():
            response.headers.setdefault(name, value)
