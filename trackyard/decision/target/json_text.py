"""JSON texts for records that are built faster than by an encoder."""

from typing import Final

import msgspec

_encode: Final = msgspec.json.Encoder().encode


def quoted(text: str) -> str:
    """Return a text as JSON, as msgspec encodes it.

    Raises UnicodeEncodeError for half of a surrogate pair.
    """
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return _encode(text).decode()
