"""Draws the PDF file of a report in a short-lived process with limits: this one does not grow."""

from typing import Final

from trackyard.actions.short_processes import run_module
from trackyard.console.pdf.document import MOST_BYTES, PdfDocument, encode

WALL_S: Final = 30.0
"""Seconds that a file may take."""
_MODULE: Final = "trackyard.console.pdf.child"


class PdfFault(Exception):
    """A file that was not made; the message has the exit code of the process and its last line."""


def pdf_of(document: PdfDocument) -> bytes:
    """Return a report as a PDF file. Raises PdfFault."""
    ended = run_module(_MODULE, (), encode(document), seconds=WALL_S, most_output=MOST_BYTES)
    if ended.code:
        last = ended.error.strip().rpartition("\n")[2]
        raise PdfFault(f"code {ended.code}: {last}")
    return ended.output
