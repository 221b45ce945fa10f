"""Bytes of programs that do not say how they are encoded, as text."""

from typing import Final, NamedTuple

UTF_8: Final = "UTF-8"
CYRILLIC: Final = "windows-1251"
LATIN: Final = "latin-1"
_CYRILLIC_BYTES: Final = bytes(
    each for each in range(128, 256) if "\u0400" <= bytes([each]).decode(CYRILLIC, "replace") <= "\u04ff"
)
"""The bytes that are Cyrillic letters in windows-1251."""
_ASCII: Final = bytes(range(128))
_UNKNOWN: Final = b"\x98"
"""The byte that windows-1251 does not have."""


class DecodedText(NamedTuple):
    """A text, and the name of the encoding that its bytes had."""

    text: str
    encoding: str


def decoded(content: bytes) -> DecodedText:
    """Return bytes as text.

    They are UTF-8, else windows-1251 where most of those above 127 are Cyrillic letters in it, else latin-1.
    """
    try:
        return DecodedText(content.decode(UTF_8), UTF_8)
    except UnicodeDecodeError:
        above = content.translate(None, _ASCII)
        others = above.translate(None, _CYRILLIC_BYTES)
        encoding = CYRILLIC if len(others) * 2 < len(above) and _UNKNOWN not in above else LATIN
        return DecodedText(content.decode(encoding), encoding)
