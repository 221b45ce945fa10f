"""International hosts in the form that DNS has (`xn--…`). Pure.

docs/spec/tracking.md#redirects
"""

import re
import unicodedata
from typing import Final

_DOTS: Final = re.compile("[.。．｡]")
_KEPT: Final = re.compile("[ßẞς\u200c\u200d]")
"""Letters that are part of a name since IDNA 2008, while the codec of Python replaces them by others or drops them."""


def ascii_host(host: str) -> str:
    """Return a host in ASCII, as browsers look it up. Raises UnicodeError for one that has no such form."""
    if _KEPT.search(host) is None:
        return host.encode("idna").decode("ascii")
    return ".".join(_ascii_label(label) for label in _DOTS.split(host))


def _ascii_label(label: str) -> str:
    if _KEPT.search(label) is None:
        return label.encode("idna").decode("ascii")
    import idna  # few hosts need its tables

    # Letter by letter: as a word in small letters, a final Σ would be ς.
    plain = unicodedata.normalize("NFKC", "".join(letter.lower() for letter in label))
    return idna.encode(plain).decode("ascii")
