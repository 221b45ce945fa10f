"""Texts in several languages (docs/spec/types.md#texts-in-several-languages)."""

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("ru", "en", "es", "ka", "vi")
"""The languages of texts."""


def preferred_text(texts: Mapping[str, str]) -> str:
    """Return the English text, else the Russian, else the first that is not empty."""
    return texts.get("en") or texts.get("ru") or next((text for text in texts.values() if text), "")
