"""Draws PDF files in a short-lived process with limits: this one does not grow."""

from typing import Final

from trackyard.base.short_processes import run_module
from trackyard.documents.content import MOST_BYTES, Document, Drawing, encode_drawing

WALL_S: Final = 30.0
"""Seconds that a file may take."""
_MODULE: Final = "trackyard.documents.pdf.child"


class PdfFault(Exception):
    """A file that was not made; the message has the exit code of the process and its last line."""


def pdf_of(document: Document, logo: bytes = b"") -> bytes:
    """Return a document as a PDF file. logo: a PNG or JPEG picture, empty = none. Raises PdfFault."""
    given = encode_drawing(Drawing(document, logo))
    ended = run_module(_MODULE, (), given, seconds=WALL_S, most_output=MOST_BYTES)
    if ended.code:
        last = ended.error.strip().rpartition("\n")[2]
        raise PdfFault(f"code {ended.code}: {last}")
    return ended.output
