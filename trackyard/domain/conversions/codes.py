"""Codes of inbound postbacks (docs/spec/conversions.md#codes). Pure."""

from enum import StrEnum
from typing import Final
from urllib.parse import quote

MIN_CODE_LENGTH: Final = 22
"""Characters that hold 128 bits, of 64 different ones."""
MAX_CODE_LENGTH: Final = 200
_FEWEST_SIGNS: Final = 8
"""Different characters that a code has; of 10^10 random ones hardly one has fewer."""


class CodeMode(StrEnum):
    """Where the platform's code comes from: TRACKYARD_POSTBACK_CODE.

    GENERATE: the program generates it; each new advertiser gets its own code.
    TEXT: the setting contains the code.
    NONE: only codes that staff set are used; postbacks of an owner without a code need none.
    """

    GENERATE = "generate"
    TEXT = "text"
    NONE = "none"


def is_strong_code(text: str) -> bool:
    """Return whether a text is long enough to be a code that is not guessed."""
    return MIN_CODE_LENGTH <= len(text) <= MAX_CODE_LENGTH and text.isprintable() and len(set(text)) >= _FEWEST_SIGNS


def pixel_address(tracking_url: str, offer_id: int, code: str) -> str:
    """Return the address of the pixel of an offer, with CLICK for the click id and ORDER for the order.

    code: the code of its pixels, "" = they need none.
    """
    secure = f"&afsecure={quote(code, safe='')}" if code else ""
    return f"{tracking_url}/success.jpg?offer_id={offer_id}{secure}&afclick=CLICK&afid=ORDER"


def postback_address(tracking_url: str, code: str) -> str:
    """Return the address of an advertiser's postbacks, with CLICK for the click id.

    code: "" = none is needed.
    """
    secure = f"&secure={quote(code, safe='*')}" if code else ""
    return f"{tracking_url}/postback?clickid=CLICK{secure}"
