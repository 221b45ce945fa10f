"""Pages without a key: /healthz, /readyz, /metrics (docs/spec/api-conventions.md#pages-without-a-key)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import Response

from trackyard.base.metrics import render_metrics
from trackyard.wire.response.envelope import encoded

Page = Callable[[], Response]

Branch = Callable[[str, Headers], Response]
"""Returns a page by the rest of its path and the request's headers."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests can be served.

    reasons: why not; empty when ready.
    lags: queue to seconds of delay.
    """

    reasons: tuple[str, ...] = ()
    lags: dict[str, float] = field(default_factory=dict)


def health() -> Response:
    """Report that the process is alive."""
    return Response(encoded({"status": 1}), media_type="application/json")


def ready(check: Callable[[], Readiness]) -> Page:
    """Return a page: 200 when ready, otherwise 503 with the reasons; both with the lag of each queue."""

    def page() -> Response:
        found = check()
        body = {"status": 2 if found.reasons else 1, "reasons": found.reasons, "lag_seconds": found.lags}
        return Response(encoded(body), status_code=503 if found.reasons else 200, media_type="application/json")

    return page


def metrics() -> Response:
    """Return the metrics of all processes of this machine."""
    content, content_type = render_metrics()
    return Response(content, headers={"Content-Type": content_type})
