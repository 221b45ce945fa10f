"""Headers of a visitor: tracking cookies and language."""

from typing import Final

from trackyard.base.ids import is_hex24

LANGUAGE: Final = b"accept-language"
_COOKIE: Final = b"cookie"


def find_cookie(headers: dict[bytes, bytes], name: bytes) -> bytes:
    """Return the value of a cookie; b"" = there is none of this name.

    Of several the first has the closest path.
    headers: by lower-case name
    """
    header = headers.get(_COOKIE)
    if header is None or name not in header:
        return b""
    for pair in header.split(b";"):
        key, _, value = pair.partition(b"=")
        if key.strip() == name:
            return value.strip()
    return b""


def find_click_cookie(headers: dict[bytes, bytes], name: bytes) -> str:
    """Return the click id in a cookie; "" = the cookie is missing, or has no id."""
    text = find_cookie(headers, name).decode("latin-1")
    return text if is_hex24(text) else ""


def find_unique_cookie(headers: dict[bytes, bytes], offer_id: int) -> str:
    """Return the click at which the visitor was last new to the offer; "" = no cookie."""
    return find_click_cookie(headers, b"afuniq_%d" % offer_id) if _COOKIE in headers else ""


def read_language(accepted: str) -> str:
    """Return the first language of Accept-Language without region: "en" of "en-GB,en;q=0.9"."""
    if not accepted:
        return ""
    first = accepted.partition(",")[0].partition(";")[0].partition("-")[0].strip().lower()
    return first if first.isalpha() and first.isascii() and len(first) <= 3 else ""
