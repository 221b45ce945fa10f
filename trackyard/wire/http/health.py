"""Pages without a key: /healthz and /readyz (docs/spec/api-conventions.md#pages-without-a-key).

And the form of the site of pages."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import RequestError
from trackyard.wire.limits.strangers import Strangers
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.streaming import ExportSlots

Page = Callable[[], Response]

Branch = Callable[[str, Headers], Response]
"""Returns a page by the rest of its path and the request's headers."""


class Site(Protocol):
    """Pages for people, which have sessions of their own (docs/spec/console.md).

    exports: the files that are being sent. They count together with the API's files.
    """

    exports: ExportSlots

    def owns(self, path: str) -> bool:
        """Return whether a path belongs to the site."""

    async def respond(self, request: Request, strangers: Strangers) -> Response:
        """Return a page. Raises RequestError. strangers: admits callers that have not signed in."""

    async def error(
        self, request: Request, refusal: RequestError | None, request_id: str, strangers: Strangers
    ) -> Response:
        """Return the page of an error; refusal: None for a defect of the program."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests can be served.

    reasons: why not; empty when ready.
    warnings: what needs a look.
    lags: queue to seconds of delay.
    """

    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lags: dict[str, float] = field(default_factory=dict)


def health() -> Response:
    """Report that the process is alive."""
    return Response(encoded({"status": 1}), media_type="application/json")


def ready(check: Callable[[], Readiness]) -> Page:
    """Return a page: 200 when ready, otherwise 503; the monitoring listener has the reasons."""

    def page() -> Response:
        reasons = check().reasons
        body = {"status": 2 if reasons else 1}
        return Response(encoded(body), status_code=503 if reasons else 200, media_type="application/json")

    return page


def metrics_moved() -> Response:
    """Answer /metrics, which is on another listener."""
    text = "Metrics are on the monitoring listener: see TRACKYARD_MONITORING_LISTEN"
    body = {"status": 2, "error": text, "message": text, "code": ErrorCode.NOT_FOUND}
    return Response(encoded(body), status_code=404, media_type="application/json")
