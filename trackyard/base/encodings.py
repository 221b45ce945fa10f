"""Bytes of programs that do not say how they are encoded, as text.

They are UTF-8, else windows-1251 or latin-1 (docs/spec/tracking.md#what-is-forgiven, docs/spec/platform.md#tables).
"""

import re
from typing import Final, NamedTuple

UTF_8: Final = "UTF-8"
CYRILLIC: Final = "windows-1251"
LATIN: Final = "latin-1"

_CYRILLIC_BYTES: Final = bytes(
    each for each in range(160, 256) if "\u0400" <= bytes([each]).decode(CYRILLIC, "replace") <= "\u04ff"
)
"""The bytes that are Cyrillic letters in windows-1251, without the rare ones that are signs in windows-1252 (0x80 is
the euro there)."""
_WESTERN_SIGNS: Final = {each: bytes([each]).decode("cp1252", "ignore") or chr(each) for each in range(128, 160)}
"""The signs that Western programs write where latin-1 has control characters."""
_NOT_ASCII_WORD: Final = re.compile(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
_UNKNOWN: Final = b"\x98"
"""The byte that windows-1251 does not have."""
_CUT_CHARACTER: Final = 3
"""Most bytes of a UTF-8 character that lacks its end."""


class DecodedText(NamedTuple):
    """A text, and the name of the encoding that its bytes had."""

    text: str
    encoding: str


def decoded(content: bytes) -> DecodedText:
    """Return bytes as text."""
    try:
        return DecodedText(content.decode(UTF_8), UTF_8)
    except UnicodeDecodeError:
        return _one_byte_text(content)


def readable_text(raw: bytes) -> tuple[str, bool]:
    """Return the text of a value; True = its bytes are not whole UTF-8.

    A last character of UTF-8 that was cut is left out.
    """
    try:
        return raw.decode(), False
    except UnicodeDecodeError as fault:
        start = fault.start
    whole = raw[:start]
    if len(raw) - start <= _CUT_CHARACTER and not whole.isascii() and _is_cut(raw[start:]):
        return whole.decode(), True
    return _one_byte_text(raw).text, True


def _is_cut(end: bytes) -> bool:
    """Return whether bytes are the begin of one UTF-8 character."""
    lead = end[0]
    needed = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF5 else 0
    return needed > len(end) and all(0x80 <= byte < 0xC0 for byte in end[1:])


def _one_byte_text(raw: bytes) -> DecodedText:
    """Return the text of bytes with one byte a character.

    They are windows-1251 where most letters of the words beyond ASCII are Cyrillic in it. In a Western word most
    letters are ASCII.
    """
    words = b"".join(_NOT_ASCII_WORD.findall(raw))
    others = words.translate(None, _CYRILLIC_BYTES)
    if len(others) * 2 < len(words) and _UNKNOWN not in words:
        return DecodedText(raw.decode(CYRILLIC), CYRILLIC)
    return DecodedText(raw.decode(LATIN).translate(_WESTERN_SIGNS), LATIN)
