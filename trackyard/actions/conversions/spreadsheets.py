"""Reads spreadsheets (XLSX) in a short-lived process with limits: a bad file ends that process alone."""

import os
import subprocess
import sys
from tempfile import TemporaryFile
from threading import BoundedSemaphore
from typing import Final

from trackyard.actions.conversions.spreadsheet_child import MOST_OUTPUT, NO_FILE, NO_SHEET
from trackyard.domain.conversions.comparisons.files import ZIP, FileFault

WALL_S: Final = 20.0
"""Seconds that a file may take, and that a file waits for others."""
_MODULE: Final = "trackyard.actions.conversions.spreadsheet_child"
_INHERITED: Final = ("LD_LIBRARY_PATH",)
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
    with TemporaryFile() as given, TemporaryFile() as written, TemporaryFile() as errors:
        given.write(content)
        given.seek(0)
        process = subprocess.Popen(  # noqa: S603 (its own command)
            [sys.executable, "-m", _MODULE, sheet],
            stdin=given,
            stdout=written,
            stderr=errors,
            env=_environment(),
            cwd="/",
            start_new_session=True,
        )
        try:
            code = process.wait(WALL_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        errors.seek(0)
        sentence = errors.read(2000).decode(errors="replace")
        if code in (NO_FILE, NO_SHEET):
            raise FileFault(sentence, field="sheet" if code == NO_SHEET else "file")
        if code:
            raise FileFault(
                "The spreadsheet is damaged, or needs more memory or time than a file of its size may. Save it as CSV "
                "in UTF-8, and send that."
            )
        written.seek(0)
        return written.read(MOST_OUTPUT + 1)


def _environment() -> dict[str, str]:
    """Return what the process needs; settings and their secrets are not among it."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return inherited | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
