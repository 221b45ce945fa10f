"""One-time codes of authenticator apps, RFC 6238 (docs/spec/callers.md#second-factor)."""

import base64
import hmac
from typing import Final
from urllib.parse import quote, urlencode

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

STEP_S: Final = 30
DIGITS: Final = 6
SKEW_STEPS: Final = 1
"""Codes of this many steps before and after the present one are right: clocks of telephones are not exact."""

RECOVERY_CODES: Final = 10


def totp_url(secret: str, issuer: str, name: str) -> str:
    """Return the address that authenticator apps read from a QR code. issuer, name: shown by the app."""
    query = {"secret": secret, "issuer": issuer, "algorithm": "SHA1", "digits": DIGITS, "period": STEP_S}
    return f"otpauth://totp/{quote(issuer, safe='')}:{quote(name, safe='')}?{urlencode(query, quote_via=quote)}"


def code_at(secret: str, step: int) -> str:
    """Return the code of a time step. step: seconds since 1970 divided by STEP_S."""
    totp = TOTP(base64.b32decode(secret), DIGITS, SHA1(), STEP_S)  # noqa: S303 (RFC 6238 asks for it)
    return totp.generate(step * STEP_S).decode()


def find_step(secret: str, code: str, now_ms: int) -> int | None:
    """Return the time step of a code, which is near the present one; None for a wrong code."""
    present = now_ms // 1000 // STEP_S
    steps = range(present - SKEW_STEPS, present + SKEW_STEPS + 1)
    right = [step for step in steps if hmac.compare_digest(code_at(secret, step).encode(), code.encode())]
    return max(right, default=None)


def plain_code(text: str) -> str:
    """Return a code without blanks and hyphens, in lower case, as people type it in many ways."""
    return "".join(text.split()).replace("-", "").lower()
