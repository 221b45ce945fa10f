"""Prints the rows of a sheet, each as JSON in a line.

It runs in a process of its own that a hostile file may end.

usage: python -m trackyard.actions.platform.spreadsheet_child [SHEET] <FILE >LINES
"""

import sys
from datetime import datetime, time
from io import BytesIO
from typing import TYPE_CHECKING, Final

from trackyard.base.short_processes import limit_this_process
from trackyard.domain.platform.tables.grids import sheet_line

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

MEMORY_BYTES: Final = 512 * 1024 * 1024
PROCESSOR_S: Final = 10
MOST_LINES: Final = 100_000
"""Lines of a sheet, including lines without a value."""
MOST_WIDTH: Final = 1000
MOST_OUTPUT: Final = 20 * 1024 * 1024
NO_FILE: Final = 3
NO_SHEET: Final = 4
"""Exit codes: the file or the sheet is refused, and standard error says why in a sentence."""


class Refusal(Exception):
    """A file that is not read: the exit code, and a sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def sheet_lines(content: bytes, name: str) -> bytes:
    """Return the rows of a sheet, each in its line. name: "" = the first sheet. Raises Refusal."""
    from python_calamine import CalamineError, load_workbook

    written, length = list[bytes](), 0
    try:
        with load_workbook(BytesIO(content)) as book:
            for row in _sheet(book, name).to_python(skip_empty_area=False):
                line = sheet_line(map(_value, row)).encode(errors="replace")
                written.append(line)
                length += len(line) + 1
                if length > MOST_OUTPUT:
                    raise Refusal(NO_FILE, "The sheet is too large. Save it as CSV in parts.")
    except (CalamineError, OSError):
        raise Refusal(
            NO_FILE, "This cannot be read as a spreadsheet. Save it as CSV in UTF-8, and send that."
        ) from None
    return b"\n".join(written)


def _sheet(book: "CalamineWorkbook", name: str) -> "CalamineSheet":
    if not book.sheet_names:
        raise Refusal(NO_FILE, "The spreadsheet has no sheet. Save the rows as CSV in UTF-8, and send that.")
    if name and name not in book.sheet_names:
        names = ", ".join(book.sheet_names)[:400]
        raise Refusal(NO_SHEET, f"The spreadsheet has no sheet {name[:100]!r}. It has: {names}.")
    sheet = book.get_sheet_by_name(name) if name else book.get_sheet_by_index(0)
    if sheet.end is not None and (sheet.end[0] >= MOST_LINES or sheet.end[1] >= MOST_WIDTH):
        place = f"row {sheet.end[0] + 1}, column {sheet.end[1] + 1}"
        raise Refusal(NO_FILE, f"The sheet has cells as far as {place}. Remove what is not in the table.")
    return sheet


def _value(value: object) -> str | float:
    """Return the value of a cell: a number with the fifteen digits that spreadsheets keep, or a text."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return float(format(value, ".15g"))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    return " ".join(str(value).split("\n")).replace("\r", "")


def main() -> int:
    """Read standard input, print the rows, and return the exit code."""
    limit_this_process(memory_bytes=MEMORY_BYTES, processor_s=PROCESSOR_S, most_output=MOST_OUTPUT)
    try:
        text = sheet_lines(sys.stdin.buffer.read(), sys.argv[1] if len(sys.argv) > 1 else "")
    except Refusal as refusal:
        sys.stderr.write(str(refusal))
        return refusal.code
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
