"""Spreadsheets are read by a process of their own, which bad files may end."""

import os
import subprocess
import sys

import pytest

from tests.support.spreadsheets import book, sheet_xml
from trackyard.actions import short_processes
from trackyard.actions.conversions import spreadsheet_child, spreadsheets
from trackyard.actions.conversions.spreadsheets import csv_of
from trackyard.domain.conversions.comparisons.files import FileFault, read_table

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


def test_sheet_is_read_as_its_csv_would_be() -> None:
    table = read_table(csv_of(book(First=ROWS, Second=sheet_xml([["x"], ["y"]]))))
    assert table.columns == ("click_id", "amount", "when")
    assert table.rows == (
        (2, ("007", "10.3", "2026-11-03")),
        (4, ("a b", "-0.0000001", "2026-11-03 14:05:00")),
        (5, ("123456789012345", "1.234,50", "")),
    )
    assert csv_of(book(First=ROWS, Second=sheet_xml([["x"], ["y"]])), "Second") == b"x\r\ny\r\n"
    assert csv_of(b"click_id,sum\n") == b"click_id,sum\n"


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
        (b"click_id,sum\n", "B", "sheet", "The file is no spreadsheet (XLSX), so it has no sheets."),
        (book(A=sheet_xml([["id"], [1234567890123456789]])), "", "file", "Row 2 has a number of more than 15 digits"),
        (book(A=FAR.format(9, "XFD9")), "", "file", "The sheet has cells as far as row 9, column 16384."),
        (book(A=FAR.format(1048576, "XFD1048576")), "", "file", "The spreadsheet is damaged, or needs more memory"),
        (book(A=BOMB), "", "file", "The sheet is too large. Save it as CSV in parts."),
    ],
    ids=["archive", "cut", "no-sheet", "sheet-of-csv", "digits", "wide", "sparse", "bomb"],
)
def test_bad_spreadsheet_is_a_fault_that_says_what_to_do(content: bytes, sheet: str, field: str, fault: str) -> None:
    with pytest.raises(FileFault) as refused:
        csv_of(content, sheet)
    assert refused.value.field == field and str(refused.value).startswith(fault)


def test_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "WALL_S", 0.001)
    with pytest.raises(FileFault, match="needs more memory or time"):
        csv_of(book(A=ROWS))


def test_process_has_limits_and_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKYARD_SECRET", "secret")
    code = f"from {spreadsheet_child.__name__} import MEMORY_BYTES, limit_this_process as limit; import os; "
    code += "limit(memory_bytes=MEMORY_BYTES, processor_s=10, most_output=10_000); "
    code += "print('TRACKYARD_SECRET' in os.environ, flush=True); x = bytes(600 * 1024 * 1024)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=short_processes._environment(), capture_output=True, text=True, check=False
    )
    assert os.environ["TRACKYARD_SECRET"] and done.stdout == "False\n" and "MemoryError" in done.stderr
