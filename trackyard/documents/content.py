"""What a document has: texts in the language of its reader (docs/spec/documents.md#content).

PDF and HTML are drawn of the same content. Content that is stored never changes.
"""

from dataclasses import dataclass
from typing import Final

import msgspec

MOST_BYTES: Final = 2_000_000
"""Bytes of a PDF file."""
PAGE: Final = "{page}"
PAGES: Final = "{pages}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """A company on a document. heading: its part, such as "Bill to". lines: name, address, tax number."""

    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTable:
    """A table of texts.

    title: "" = none. names: how many cells at the start of a row are names; the others are figures.
    total: a row above the others, () = none. empty: the sentence of a table without rows.
    sums: lines below the rows at the right, label and figure; the last one is bold.
    """

    title: str = ""
    headings: tuple[str, ...]
    names: int
    total: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...]
    empty: str = ""
    sums: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as texts.

    network: who makes it. logo: the id of a stored file, "" = none. about: lines below the title.
    parties: next to each other at the top. facts: label and value each, such as "Due date".
    notes: sentences above the tables. end: sentences below them. chart: an SVG, "" = none.
    page: the text of the page number with PAGE and PAGES.
    stand_in: a footnote that explains "?", shown where "?" replaces a character. made_at: UTC milliseconds.
    """

    language: str
    network: str
    logo: str = ""
    title: str
    about: tuple[str, ...] = ()
    parties: tuple[Party, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[DocumentTable, ...] = ()
    end: tuple[str, ...] = ()
    chart: str = ""
    page: str
    stand_in: str
    made_at: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the process that draws a file gets. logo: the bytes of a PNG or JPEG picture, empty = none."""

    document: Document
    logo: bytes = b""


def encode(document: Document) -> bytes:
    """Return a document as it is stored, with the texts that wait for a language in the current one."""
    return msgspec.json.encode(document, enc_hook=str)


def decode(content: bytes | str) -> Document:
    """Return a document that `encode` wrote."""
    return msgspec.json.decode(content, type=Document)


def encode_drawing(drawing: Drawing) -> bytes:
    """Return a drawing as the process that draws it reads it."""
    return msgspec.json.encode(drawing, enc_hook=str)


def decode_drawing(content: bytes) -> Drawing:
    """Return a drawing that `encode_drawing` wrote."""
    return msgspec.json.decode(content, type=Drawing)
