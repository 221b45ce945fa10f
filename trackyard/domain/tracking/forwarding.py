"""The caller's address of a request that one process of the platform forwards to another.

The header carries the address, the second and a signature of both. So an edge trusts its own platform, whatever proxies
it trusts, and a leaked header expires after a minute.
"""

import hashlib
import hmac
from typing import Final

from trackyard.domain.tracking.ip_lists import find_packed

FORWARDED_HEADER: Final = b"x-trackyard-forwarded"
"""The header, in lower case."""
FORGIVEN_HEADER: Final = b"x-trackyard-forgiven"
"""The header with what was forgiven in the request that is forwarded, as a number. It counts next to the other."""
MAX_AGE_S: Final = 60


def signing_key(secret: str) -> bytes:
    """Return the key of the signatures, derived from a secret of the installation."""
    return hmac.digest(secret.encode(), b"forwarded requests", hashlib.sha256)


def signed_caller(key: bytes, address: str, now_ms: int) -> bytes:
    """Return the value of the header for a caller at `address`."""
    signed_text = f"{address} {now_ms // 1000}".encode()
    return signed_text + b" " + hmac.new(key, signed_text, hashlib.sha256).hexdigest().encode()


def find_caller(key: bytes, value: bytes, now_ms: int) -> str | None:
    """Return the address in a header; None when its signature is wrong or older than a minute."""
    signed_text, _, signature = value.rpartition(b" ")
    expected = hmac.new(key, signed_text, hashlib.sha256).hexdigest().encode()
    if not hmac.compare_digest(expected, signature):
        return None
    address, _, second = signed_text.decode("ascii").partition(" ")
    if abs(now_ms // 1000 - int(second)) > MAX_AGE_S or find_packed(address) is None:
        return None
    return address
