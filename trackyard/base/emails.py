"""The form of e-mail addresses."""

import re
from typing import Final

_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS: Final = re.compile(
    r"(?!\.)(?!.*\.\.)(?!.*\.@)(?!.*=\?)"  # no empty part, and no encoded word, which readers of mail decode
    r"[^@\s,;:<>()\[\]\\\"\x00-\x1f\x7f-\x9f]{1,64}"
    rf"@(?=.{{1,189}}\Z){_LABEL}(?:\.{_LABEL})*\Z"
)

_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\[\]<>]|=\?")


def is_email_address(text: str) -> bool:
    """Return whether mail can be sent to a text: one address, its host in letters, digits and hyphens."""
    return text.isprintable() and _ADDRESS.match(text) is not None


def is_safe_recipient(text: str) -> bool:
    """Return whether a stored recipient adds nothing to a mail.

    Older recipients have other forms than `is_email_address` accepts, and get their mails.
    """
    return text != "" and _UNSAFE.search(text) is None
