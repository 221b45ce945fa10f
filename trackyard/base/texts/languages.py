"""The languages of pages and mails, and the one that is spoken now."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from trackyard.base.texts.catalogues import Catalogue, read_catalogue

NAMES: Final[Mapping[str, str]] = {"en": "English", "ru": "Русский", "es": "Español"}
"""Languages by their codes, each named in itself."""
ENGLISH: Final = "en"


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How a language writes numbers, days and amounts (from the locale data of Babel).

    group, decimal: between thousands and before decimals. sign_last: the currency follows the amount.
    months, weekdays: short names, January and Monday first. long_weekdays: full names.
    """

    group: str
    decimal: str
    sign_last: bool
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    long_weekdays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """A language with its translations."""

    code: str
    form: NumberForm
    catalogue: Catalogue = field(repr=False)


@cache
def language(code: str) -> Language:
    """Return a language by its code, English for unknown ones."""
    code = code if code in NAMES else ENGLISH
    catalogue = Catalogue() if code == ENGLISH else read_catalogue(_file(f"{code}.po"))
    form = json.loads(_file("number_forms.json"))[code]
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in form.items()}
    return Language(code, NumberForm(**values), catalogue)


_spoken: ContextVar[Language | None] = ContextVar("language", default=None)


def spoken() -> Language:
    """Return the language of the request or mail that is made now; English outside of them."""
    return _spoken.get() or language(ENGLISH)


@contextmanager
def speaking(chosen: Language) -> Iterator[None]:
    """Make texts in a language."""
    token = _spoken.set(chosen)
    try:
        yield
    finally:
        _spoken.reset(token)


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
