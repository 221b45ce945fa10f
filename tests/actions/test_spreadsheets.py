"""Spreadsheets are read by a process of their own, which bad files may end."""

import os
import subprocess
import sys
from decimal import Decimal

import pytest

from tests.support.spreadsheets import book, sheet_xml
from trackyard.actions.platform import spreadsheet_child, spreadsheets
from trackyard.actions.platform.spreadsheets import read_grid
from trackyard.base import short_processes
from trackyard.domain.platform.tables.grids import Limits, TableFault

LIMITS = Limits(most_bytes=1_000_000, most_rows=1000)
ROWS = sheet_xml(
    [
        ["click_id", "amount", "when"],
        ["007", 10.299999999999999, "day:46329"],
        [],
        ["a\nb", -1e-7, "day:46329.5868055556"],
        [123456789012345, "1.234,50", None],
    ]
)
FAR = (
    '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="{}"><c r="{}"><v>2</v></c></row></sheetData></worksheet>'
)
BOMB = (
    f'<worksheet><sheetData><row><c t="inlineStr"><is><t>{"a" * 21_000_000}</t></is></c></row></sheetData></worksheet>'
)


def test_sheet_is_read_with_its_numbers() -> None:
    sheets = book(First=ROWS, Second=sheet_xml([["x"], ["y"]]))
    assert read_grid(sheets, LIMITS).rows == (
        (1, ("click_id", "amount", "when")),
        (2, ("007", Decimal("10.3"), "2026-11-03")),
        (4, ("a b", Decimal("-1E-7"), "2026-11-03 14:05:00")),
        (5, (Decimal(123456789012345), "1.234,50")),
    )
    assert read_grid(sheets, LIMITS, "Second").rows == ((1, ("x",)), (2, ("y",)))
    assert read_grid(b"click_id,sum\n", LIMITS).rows == ((1, ("click_id", "sum")),)


@pytest.mark.parametrize(
    ("content", "sheet", "field", "fault"),
    [
        (
            b"PK\x03\x04rest",
            "",
            "file",
            "This cannot be read as a spreadsheet. Save it as CSV in UTF-8, and send that.",
        ),
        (book(A=ROWS)[:-40], "", "file", "This cannot be read as a spreadsheet."),
        (book(A=ROWS), "B", "sheet", "The spreadsheet has no sheet 'B'. It has: A."),
        (b"click_id,sum\n", "B", "sheet", "The file is not a spreadsheet (XLSX), so it has no sheets."),
        (book(A=FAR.format(9, "XFD9")), "", "file", "The sheet has cells as far as row 9, column 16384."),
        (book(A=FAR.format(1048576, "XFD1048576")), "", "file", "The spreadsheet is damaged, or needs more memory"),
        (book(A=BOMB), "", "file", "The sheet is too large. Save it as CSV in parts."),
    ],
    ids=["archive", "cut", "no-sheet", "sheet-of-csv", "wide", "sparse", "bomb"],
)
def test_bad_spreadsheet_is_a_fault_that_says_what_to_do(content: bytes, sheet: str, field: str, fault: str) -> None:
    with pytest.raises(TableFault) as refused:
        read_grid(content, LIMITS, sheet)
    assert refused.value.field == field and str(refused.value).startswith(fault)


def test_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "WALL_S", 0.001)
    with pytest.raises(TableFault, match="needs more memory or time"):
        read_grid(book(A=ROWS), LIMITS)


def test_process_has_limits_and_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKYARD_SECRET", "secret")
    code = f"from {spreadsheet_child.__name__} import MEMORY_BYTES, limit_this_process as limit; import os; "
    code += "limit(memory_bytes=MEMORY_BYTES, processor_s=10, most_output=10_000); "
    code += "print('TRACKYARD_SECRET' in os.environ, flush=True); x = bytes(600 * 1024 * 1024)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=short_processes._environment(), capture_output=True, text=True, check=False
    )
    assert os.environ["TRACKYARD_SECRET"] and done.stdout == "False\n" and "MemoryError" in done.stderr
