"""Text of bytes in an unknown encoding (docs/spec/tracking.md#what-is-forgiven)."""

from typing import Final

_CYRILLIC: Final = "windows-1251"
_CUT_CHARACTER: Final = 3
"""Most bytes of a UTF-8 character that lacks its end."""


def readable_text(raw: bytes) -> tuple[str, bool]:
    """Return the text of bytes; True = they are not whole UTF-8.

    UTF-8, also where its last character was cut; else windows-1251 where most letters are Cyrillic in it; else latin-1.
    """
    try:
        return raw.decode(), False
    except UnicodeDecodeError as fault:
        start = fault.start
    whole = raw[:start]
    if len(raw) - start <= _CUT_CHARACTER and not whole.isascii() and _is_cut(raw[start:]):
        return whole.decode(), True
    return _single_bytes(raw), True


def _is_cut(end: bytes) -> bool:
    """Return whether bytes are the begin of one UTF-8 character."""
    lead = end[0]
    needed = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF5 else 0
    return needed > len(end) and all(0x80 <= byte < 0xC0 for byte in end[1:])


def _single_bytes(raw: bytes) -> str:
    try:
        text = raw.decode(_CYRILLIC)
    except UnicodeDecodeError:
        return raw.decode("latin-1")
    letters = sum(map(str.isalpha, text))
    cyrillic = sum("\u0400" <= sign <= "\u04ff" for sign in text)
    return text if 2 * cyrillic > letters else raw.decode("latin-1")
