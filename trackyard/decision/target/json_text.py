"""Texts as JSON, for records that are built faster than an encoder builds them."""

from typing import Final

import msgspec

_encode: Final = msgspec.json.Encoder().encode


def quoted(text: str) -> str:
    """A text as JSON, as msgspec encodes it. Errors: UnicodeEncodeError for half of a surrogate pair."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return _encode(text).decode()
