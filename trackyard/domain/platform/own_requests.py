"""Requests that the platform made itself: they never become inbound postbacks.

docs/spec/tracking.md#paths. A delivery's request carries two headers: the id of the delivery, and the origin,
which identifies the installation. An installation accepts requests from other installations, so that one installation
can be the affiliate of another. The test of a domain finds out which installation answers there
(docs/spec/tracking.md#which-installation-answers).
"""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

DELIVERY_HEADER: Final = "X-Trackyard-Delivery"
ORIGIN_HEADER: Final = "X-Trackyard-Origin"
INSTALLATION_PATH: Final = "/.well-known/trackyard"
"""The path under which the tracking listener proves to which installation it belongs."""
_DELIVERY_NAME: Final = DELIVERY_HEADER.lower().encode()
_ORIGIN_NAME: Final = ORIGIN_HEADER.lower().encode()


def origin_of(key: bytes) -> str:
    """Return the name of an installation in the header, derived from a key of it."""
    return hmac.digest(key, b"outbound requests", hashlib.sha256).hex()[:32]


def proof_of(origin: str, challenge: str) -> str:
    """Return the response of installation `origin` to a challenge. It proves that it knows its own name."""
    return hmac.digest(origin.encode(), b"installation " + challenge.encode(), hashlib.sha256).hex()


def is_own_request(headers: Mapping[bytes, bytes], origin: bytes) -> bool:
    """Return whether the request is a delivery of the installation `origin`, or of one that is not named."""
    return _DELIVERY_NAME in headers and (headers.get(_ORIGIN_NAME) or origin) == origin
