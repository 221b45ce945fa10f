"""What a person chose for their own pages (docs/spec/console.md#preferences)."""

from dataclasses import dataclass, field
from typing import Final

from trackyard.base.texts.languages import NAMES

LANGUAGES: Final = tuple(NAMES)
"""The languages of pages and mails."""
_MAX_ACCEPTED: Final = 20
"""Languages of a header that are read."""
MAX_PAGES: Final = 50
"""Pages of which a person's choices are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The preferences of a person.

    timezone: IANA name of the time zone, "" = the platform's.
    language: one of LANGUAGES, "" = the browser's language.
    single_keys: whether single keys are shortcuts on pages.
    pages: the person's choices on each page, such as columns, by page name.
    """

    timezone: str = ""
    language: str = ""
    single_keys: bool = True
    pages: dict[str, str] = field(default_factory=dict)


def find_language(accepted: str) -> str:
    """Return the language of LANGUAGES that a header Accept-Language prefers; English without one."""
    best, most = LANGUAGES[0], 0.0
    for part in accepted.split(",")[:_MAX_ACCEPTED]:
        name, _, weight = part.strip().partition(";")
        code, given = name.partition("-")[0].lower(), _weight(weight)
        if code in LANGUAGES and given > most:
            best, most = code, given
    return best


def _weight(text: str) -> float:
    """Return the weight of a part of the header: 1 without one, 0 for one that cannot be read."""
    try:
        return float(text.replace(" ", "").removeprefix("q=") or 1)
    except ValueError:
        return 0.0
