"""Closed sets of an offer's fields, as they are stored and sent."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

LANGUAGES: Final = ("ru", "en", "es", "ka", "vi")
"""The languages of texts (docs/spec/types.md#texts-in-several-languages)."""


class OfferStatus(StrEnum):
    """Status of an offer; an active one takes clicks."""

    ACTIVE = "active"
    STOPPED = "stopped"
    SUSPENDED = "suspended"


class Privacy(StrEnum):
    """The affiliates that may use an offer without a connection by staff."""

    PUBLIC = "public"
    PROTECTED = "protected"
    PRIVATE = "private"


class RedirectType(StrEnum):
    """The form of a redirect to the target (docs/spec/tracking.md#redirects)."""

    HTTP_302 = "http302"
    HTTP_302_HIDDEN = "http302hidden"
    JS = "js"
    META = "meta"


class CapScope(StrEnum):
    """The way in which a cap counts values: all together, each on its own, or a list."""

    ALL = "all"
    EACH = "each"
    EXACT = "exact"


def preferred_text(texts: Mapping[str, str]) -> str:
    """Return the English text, else the Russian, else the first that is not empty."""
    return texts.get("en") or texts.get("ru") or next((text for text in texts.values() if text), "")
