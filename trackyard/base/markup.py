"""Text without marks of HTML."""

import re
from html import unescape
from typing import Final

_BREAK: Final = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|tr)\s*>", re.IGNORECASE)
_TAG: Final = re.compile(r"<!--.*?(?:-->|\Z)|</?[a-zA-Z][^<>]*>", re.DOTALL)
_BLANKS: Final = re.compile(r"[ \t]+\n")
_EMPTY_LINES: Final = re.compile(r"\n{3,}")


def plain_text(html: str) -> str:
    """Return the text of HTML, with the line breaks that it had or that its marks make."""
    lines = unescape(_TAG.sub("", _BREAK.sub("\n", html))).replace("\r\n", "\n")
    return _EMPTY_LINES.sub("\n\n", _BLANKS.sub("\n", lines)).strip()
