"""What a PDF file of a report has: texts, in the language of its reader."""

from dataclasses import dataclass
from typing import Final

import msgspec

MOST_BYTES: Final = 2_000_000
"""Bytes of a PDF file."""
PAGE: Final = "{page}"
PAGES: Final = "{pages}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfDocument:
    """A report as texts.

    about: lines below the title. notes: sentences above the table. names: how many cells at the start of a row are
    names; the others are figures. total: () = none. empty: the sentence of a table without rows.
    end: a sentence below the table.
    chart: an SVG, "" = none. page: the text of the page number with PAGE and PAGES.
    stand_in: a footnote that explains "?", shown where "?" replaces a character. made_at: UTC milliseconds.
    """

    language: str
    network: str
    title: str
    about: tuple[str, ...]
    notes: tuple[str, ...]
    headings: tuple[str, ...]
    names: int
    total: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str
    end: str
    chart: str
    page: str
    stand_in: str
    made_at: int


def encode(document: PdfDocument) -> bytes:
    """Return a document as the process that draws it reads it, with texts that wait for a language."""
    return msgspec.json.encode(document, enc_hook=str)


def decode(content: bytes) -> PdfDocument:
    """Return a document that `encode` wrote."""
    return msgspec.json.decode(content, type=PdfDocument)
