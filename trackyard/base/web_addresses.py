"""URLs as people type them: which can be used, and what is wrong with the others."""

import re
from ipaddress import IPv6Address
from typing import Final

MAX_URL: Final = 8192
TELEGRAM_URL: Final = "https://api.telegram.org"
"""The start of the URLs of Telegram's Bot API."""
_SCHEME: Final = re.compile("https?://", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"(?:\[([^\]/?#]*)\]|([^/?#@:\[\]]*))(?::([^/?#]*))?(?=[/?#]|$)")
"""Its groups: an address of IPv6, a name, a port."""
_BLANK: Final = re.compile(r"\s")
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f\u00ad\u200b\u2060\ufeff]")
_AROUND: Final = " \t\r\n\f\v\u00a0\u200b\u2060\ufeff"
_TWICE: Final = re.compile(r"https?:?/?/?$|https?:", re.IGNORECASE)


def read_web_address(text: str) -> str | None:
    """Return a URL with http or https, without blanks around it; None when the text is not one."""
    address = text.strip(_AROUND).strip()
    return address if _SCHEME.match(address) and not web_address_fault(address) else None


def web_address_fault(text: str) -> str:
    """Return the fault of a text that begins as a URL does; "" for a valid URL.

    A text that begins otherwise is not checked.
    """
    address = text.strip(_AROUND).strip()
    scheme = _SCHEME.match(address)
    if not scheme:
        return ""
    if len(address) > MAX_URL:
        return f"This URL must have at most {MAX_URL} characters."
    return _unseen_fault(address) or _host_fault(address[scheme.end() :])


def _unseen_fault(address: str) -> str:
    """Return the blank or the unseen character of a URL in words."""
    blank = _BLANK.search(address)
    if blank is not None:
        name = {" ": "a space", "\t": "a tab"}.get(blank[0], "a line break or another blank")
        written = "".join(f"%{byte:02X}" for byte in blank[0].encode())
        return f"This URL has {name} after {address[: blank.start()][-40:]}: write it as {written}, or remove it."
    unseen = _UNSEEN.search(address)
    if unseen is not None:
        code = f"U+{ord(unseen[0]):04X}"
        return (
            f"This URL has a character that cannot be seen ({code}) after {address[: unseen.start()][-40:]}: remove it."
        )
    return ""


def _host_fault(rest: str) -> str:
    """Return the fault of the host and the port. rest: a URL without its scheme."""
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        return "This URL must have no name and password before its host."
    if not authority:
        return "This URL has no host."
    if _TWICE.match(authority):
        return "This URL begins with http:// or https:// twice."
    found = _AUTHORITY.match(rest)
    if found is None or (found[1] is not None and not _is_ipv6(found[1])):
        return "The host of this URL has brackets, which only IPv6 addresses have."
    if found[2] == "" or len(found[2] or "") > 255:
        return "This URL has no host." if found[2] == "" else "The host of this URL must have at most 255 characters."
    port = found[3]
    if port is not None and not (re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 65_536):
        return "The port of this URL must be a number from 1 to 65535."
    return ""


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text
