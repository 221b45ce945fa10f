"""The page that proves which installation answers (docs/spec/tracking.md#which-installation-answers)."""

import re
from collections.abc import Callable
from typing import Final

from trackyard.base.error_codes import ErrorCode
from trackyard.domain.platform.own_requests import origin_of, proof_of
from trackyard.edge.http.answers import NO_STORE, error_response
from trackyard.edge.http.request import Request, Response

_is_challenge: Final = re.compile(rb"challenge=([0-9a-f]{32})\Z").match
_NO_CHALLENGE: Final = error_response(
    400, ErrorCode.BAD_PARAMETERS, "The parameter challenge must be there alone: 32 hexadecimal digits"
)


def installation_page(forward_key: bytes) -> Callable[[Request], Response]:
    """Return the page of an installation. forward_key: the one from which its name is derived."""
    origin = origin_of(forward_key)

    def page(request: Request) -> Response:
        found = _is_challenge(request.query)
        if found is None:
            return _NO_CHALLENGE
        proof = proof_of(origin, found[1].decode())
        return Response(200, proof.encode(), b"text/plain; charset=utf-8", headers=NO_STORE)

    return page
