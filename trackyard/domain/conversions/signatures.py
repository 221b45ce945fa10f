"""Signatures of inbound postbacks (docs/spec/conversions.md#signatures). Pure."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

MAX_AGE_MS: Final = 300_000
"""Most time between the sending and the arrival of a signed postback, in both directions."""
_UNSIGNED: Final = frozenset({"signature", "secure"})


def signed_text(params: Mapping[str, str]) -> str:
    """Return the text that is signed, without `secure` and the signature.

    params: the parameters of a postback, by canonical name.
    """
    pairs = sorted((name, value) for name, value in params.items() if name not in _UNSIGNED)
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)


def sign(secret: str, text: str) -> str:
    """Return the signature of a text in hex."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def is_signature_of(signature: str, secret: str, text: str) -> bool:
    """Return whether a signature, in any letter case, fits a text."""
    return hmac.compare_digest(signature.lower().encode(), sign(secret, text).encode())


def is_timely(ts: str, time_ms: int) -> bool:
    """Return whether a postback was sent about when it came. ts: Unix seconds, as sent."""
    if not ts.isascii() or not ts.isdigit() or len(ts) > 12:
        return False
    return abs(int(ts) * 1000 - time_ms) <= MAX_AGE_MS
