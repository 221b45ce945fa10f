"""Catalogues of translations: the .po files of gettext, read when a language is first used."""

import gettext as standard
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_PLURALS: Final = re.compile(r"plural=([^;]+)")

Forms = tuple[str, ...]
"""A translation: one form, or one for each plural of the language."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Translations by English text. plural: returns the number of the form for a count."""

    texts: Mapping[str, Forms] = field(default_factory=dict)
    plural: Callable[[int], int] = lambda number: int(number != 1)

    def one(self, text: str) -> str:
        """Return the translation of a text, or the text itself."""
        found = self.texts.get(text)
        return found[0] if found else text

    def counted(self, one: str, many: str, number: int) -> str:
        """Return the translation for a count."""
        found = self.texts.get(one)
        if found is None:
            return one if number == 1 else many
        return found[self.plural(number)] if len(found) > 1 else found[0]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a .po file: the lines of its texts by keyword, and its flags, such as `fuzzy`."""

    texts: Mapping[str, str]
    flags: frozenset[str]

    @property
    def forms(self) -> Forms:
        """Return the translations that are not empty."""
        return tuple(text for keyword, text in self.texts.items() if keyword.startswith("msgstr") and text)


def read_catalogue(content: str) -> Catalogue:
    """Return the translations of a .po file. Fuzzy and empty ones are left out."""
    texts: dict[str, Forms] = {}
    plural = Catalogue().plural
    for entry in entries(content):
        source, forms = entry.texts["msgid"], entry.forms
        if not source:
            found = _PLURALS.search(entry.texts["msgstr"])
            plural = standard.c2py(found[1]) if found else plural
        elif forms and "fuzzy" not in entry.flags:
            texts[source] = forms
    return Catalogue(texts, plural)


def entries(content: str) -> Iterator[Entry]:
    """Yield the entries of a .po file, the header first, which has an empty text."""
    for block in content.split("\n\n"):
        texts, flags, keyword = dict[str, str](), set[str](), ""
        for line in block.splitlines():
            if line.startswith("#,"):
                flags.update(flag.strip() for flag in line[2:].split(","))
            elif line.startswith("msg"):
                keyword, _, quoted = line.partition(" ")
                texts[keyword] = json.loads(quoted)
            elif line.startswith('"'):
                texts[keyword] += json.loads(line)
        if "msgid" in texts:
            yield Entry(texts, frozenset(flags))
