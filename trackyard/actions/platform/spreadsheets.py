"""Files as rows: CSV at once, spreadsheets (XLSX) in a short-lived process that a bad file ends alone."""

from threading import BoundedSemaphore
from typing import Final

from trackyard.actions.platform.spreadsheet_child import MOST_OUTPUT, NO_FILE, NO_SHEET
from trackyard.base.short_processes import run_module
from trackyard.base.texts.marks import gettext
from trackyard.domain.platform.tables.grids import (
    ZIP,
    Grid,
    Limits,
    TableFault,
    check_size,
    read_sheet_grid,
    read_text_grid,
)

WALL_S: Final = 20.0
"""Seconds that a file may take, and that a file waits for others."""
_MODULE: Final = "trackyard.actions.platform.spreadsheet_child"
_places: Final = BoundedSemaphore(2)


def read_grid(content: bytes, limits: Limits, sheet: str = "") -> Grid:
    """Return the rows of a file: of CSV or of a sheet of a spreadsheet.

    sheet: "" = the first one. Raises TableFault.
    """
    check_size(content, limits)
    if content.startswith(ZIP):
        return read_sheet_grid(_unpacked(content, sheet), limits)
    if sheet:
        raise TableFault(
            gettext("The file is not a spreadsheet (XLSX), so it has no sheets. Leave this out."), field="sheet"
        )
    return read_text_grid(content, limits)


def _unpacked(content: bytes, sheet: str) -> bytes:
    if not _places.acquire(timeout=WALL_S):
        raise TableFault(
            gettext("Other spreadsheets are being read. Send the file again in a minute, or save it as CSV.")
        )
    try:
        ended = run_module(_MODULE, [sheet], content, seconds=WALL_S, most_output=MOST_OUTPUT)
    finally:
        _places.release()
    if ended.code in (NO_FILE, NO_SHEET):
        raise TableFault(ended.error, field="sheet" if ended.code == NO_SHEET else "file")
    if ended.code:
        raise TableFault(
            gettext(
                "The spreadsheet is damaged, or needs more memory or time than a file of its size may. Save it as CSV "
                "in UTF-8, and send that."
            )
        )
    return ended.output
