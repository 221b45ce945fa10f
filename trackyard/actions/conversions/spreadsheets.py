"""Reads spreadsheets (XLSX) in a short-lived process with limits: a bad file ends that process alone."""

from threading import BoundedSemaphore
from typing import Final

from trackyard.actions.conversions.spreadsheet_child import MOST_OUTPUT, NO_FILE, NO_SHEET
from trackyard.actions.short_processes import run_module
from trackyard.domain.conversions.comparisons.files import ZIP, FileFault

WALL_S: Final = 20.0
"""Seconds that a file may take, and that a file waits for others."""
_MODULE: Final = "trackyard.actions.conversions.spreadsheet_child"
_places: Final = BoundedSemaphore(2)


def csv_of(content: bytes, sheet: str = "") -> bytes:
    """Return a file as CSV: a sheet of a spreadsheet, another file as it is.

    sheet: "" = the first one. Raises FileFault.
    """
    if not content.startswith(ZIP):
        if sheet:
            raise FileFault("The file is no spreadsheet (XLSX), so it has no sheets. Leave this out.", field="sheet")
        return content
    if not _places.acquire(timeout=WALL_S):
        raise FileFault("Other spreadsheets are being read. Send the file again in a minute, or save it as CSV.")
    try:
        return _read(content, sheet)
    finally:
        _places.release()


def _read(content: bytes, sheet: str) -> bytes:
    ended = run_module(_MODULE, [sheet], content, seconds=WALL_S, most_output=MOST_OUTPUT)
    if ended.code in (NO_FILE, NO_SHEET):
        raise FileFault(ended.error, field="sheet" if ended.code == NO_SHEET else "file")
    if ended.code:
        raise FileFault(
            "The spreadsheet is damaged, or needs more memory or time than a file of its size may. Save it as CSV "
            "in UTF-8, and send that."
        )
    return ended.output
