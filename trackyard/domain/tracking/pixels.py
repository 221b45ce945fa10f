"""Pixels: code of affiliates for the browsers of visitors that convert.

docs/api/pixels.md, docs/spec/postbacks.md#pixels.
"""

import re
from dataclasses import dataclass
from typing import Final

PENDING_REVIEW: Final = 0
"""Its code waits for moderation."""
ACCEPTED: Final = 1
REJECTED: Final = frozenset({-1, 2})
"""-1 is the current number, 2 the previous one; both are stored as they were sent."""

TAGS: Final = {"javascript": "script", "iframe": "iframe", "image": "img"}
"""Kind of code to its tag."""


@dataclass(frozen=True, slots=True)
class NewPixel:
    """A pixel to be stored.

    code_type, moderation_status: domain/tracking/pixels.py.
    created_at, updated_at: UTC milliseconds.
    """

    affiliate_id: int
    offer_id: int
    name: str
    code: str
    code_type: str
    is_active: bool
    moderation_status: int
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pixel(NewPixel):
    """A stored pixel."""

    id: int


def find_code_error(code: str, code_type: str) -> str | None:
    """Return the fault of a pixel's code in one sentence; None when it begins with its tag."""
    tag = TAGS[code_type]
    if re.match(rf"\s*<{tag}[\s/>]", code, re.IGNORECASE):
        return None
    return f"This value must be a <{tag}> tag, as code_type {code_type} says."
