"""The page that a proxy requests before it gets a certificate (docs/deploy.md#tracking-domains)."""

from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response

from trackyard.actions.deps import Deps
from trackyard.actions.platform.domains import is_tracking_host
from trackyard.wire.http.health import Branch
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.errors import PageNotFound

CERTIFICATE: Final = "/certificate?"
"""The path of the page, which takes a query."""
_LONGEST: Final = 300
"""Longer than a name of 253 characters with its parameter; nothing longer is parsed."""


def certificate_page(deps: Deps) -> Branch:
    """Return the page: 200 for the name of a tracking domain, else 404."""

    def page(query: str, _headers: Headers) -> Response:
        names = parse_qs(query).get("domain", []) if len(query) <= _LONGEST else []
        if len(names) != 1 or not is_tracking_host(deps, names[0]):
            raise PageNotFound
        return Response(encoded({"status": 1}), media_type="application/json")

    return page
