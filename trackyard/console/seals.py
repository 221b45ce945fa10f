"""Texts that a browser holds for the console: sealed or signed, each for one purpose.

docs/spec/console.md#sessions. Each purpose has its own key, so a text of one purpose is not valid for another.
"""

import hashlib
import hmac
import json
from enum import StrEnum
from typing import TypeVar

import msgspec

from trackyard.base.secrets import DecryptionFailed, SecretCipher

C = TypeVar("C")
"""The values of a sealed text."""


class SealPurpose(StrEnum):
    """What a sealed text is for. A purpose has one shape: another shape needs another purpose."""

    FORM = "form"
    KEPT_FORM = "kept-form"
    LOOK = "look"
    SIGN_IN_STEP = "sign-in-step"


class SignaturePurpose(StrEnum):
    """What a text is for that the key of a session signs."""

    FORM_TOKEN = "form-token"  # noqa: S105 (the name of a purpose)
    MESSAGE = "message"


def seal(cipher: SecretCipher, purpose: SealPurpose, *content: object) -> str:
    """Return values as JSON, encrypted for a purpose."""
    return cipher.for_purpose(purpose).encrypt(json.dumps(content))


def unseal(cipher: SecretCipher, purpose: SealPurpose, sealed: str, shape: type[C]) -> C | None:
    """Return the values of a text that was sealed for this purpose; None for every other text.

    shape: the one that the purpose has, such as tuple[str, int].
    """
    try:
        return msgspec.convert(json.loads(cipher.for_purpose(purpose).decrypt(sealed)), shape)
    except DecryptionFailed:
        return None


def sign(session_key: str, purpose: SignaturePurpose, text: str = "") -> str:
    """Return the signature of a text for a purpose by the key of a session."""
    return hmac.new(session_key.encode(), f"{purpose}\n{text}".encode(), hashlib.sha256).hexdigest()


def is_signed(session_key: str, purpose: SignaturePurpose, signature: str, text: str = "") -> bool:
    """Return whether the key of a session signed a text for this purpose."""
    return hmac.compare_digest(sign(session_key, purpose, text).encode(), signature.encode())
