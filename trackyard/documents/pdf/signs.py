"""Texts with the signs that the fonts of PDF files have (docs/spec/documents.md#pdf)."""

import re
import unicodedata
from collections.abc import Container
from dataclasses import replace
from typing import Final

from trackyard.documents.content import Document, DocumentTable, Party

STAND_IN: Final = "?"
_SPACES: Final = re.compile(r"[ \t\r\n\v\f]+")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Mn", "Me"})
"""Categories of characters that take no place of their own."""


class Signs:
    """Replaces the characters of texts that the fonts lack. replaced: whether there was one."""

    def __init__(self, known: Container[int]) -> None:
        self._known = known
        self.replaced = False

    def of(self, text: str) -> str:
        """Return a text on one line, with STAND_IN for each character that the fonts lack."""
        return "".join(map(self._sign, _SPACES.sub(" ", unicodedata.normalize("NFC", text).strip())))

    def all_of(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return texts, each as `of` does."""
        return tuple(map(self.of, texts))

    def _sign(self, sign: str) -> str:
        if unicodedata.category(sign) == "Cf":  # fonts draw marks of direction, which must not be seen
            return ""
        if ord(sign) in self._known:
            return sign
        if unicodedata.category(sign) in _UNSEEN:
            return ""
        self.replaced = True
        return STAND_IN


def with_known_signs(document: Document, signs: Signs) -> Document:
    """Return a document with the texts that its fonts can draw."""
    found = replace(
        document,
        network=signs.of(document.network),
        title=signs.of(document.title),
        about=signs.all_of(document.about),
        parties=tuple(
            Party(heading=signs.of(each.heading), lines=signs.all_of(each.lines)) for each in document.parties
        ),
        facts=tuple((signs.of(label), signs.of(value)) for label, value in document.facts),
        notes=signs.all_of(document.notes),
        tables=tuple(_table(each, signs) for each in document.tables),
        end=signs.all_of(document.end),
    )
    return found if signs.replaced else replace(found, stand_in="")


def _table(table: DocumentTable, signs: Signs) -> DocumentTable:
    return replace(
        table,
        title=signs.of(table.title),
        headings=signs.all_of(table.headings),
        total=signs.all_of(table.total),
        rows=tuple(map(signs.all_of, table.rows)),
        sums=tuple((signs.of(label), signs.of(figure)) for label, figure in table.sums),
    )
