"""The rows of a file or of pasted text, before they are interpreted."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from itertools import islice
from typing import Final

from trackyard.base.encodings import UTF_8, DecodedText, decoded
from trackyard.base.texts.marks import count_text, gettext

Cell = str | Decimal
"""A text, or a number that a spreadsheet has as a number."""
UTF_16: Final = "UTF-16"
ZIP: Final = b"PK\x03\x04"
"""How an archive starts; a spreadsheet (XLSX) is one."""
_OLE: Final = b"\xd0\xcf\x11\xe0"
_SEPARATORS: Final = ("\t", ";", "|", ",")
"""What may separate the cells of a line: the rarest within cells first."""
_SAMPLE: Final = 20
"""Lines by which the separator is found."""
_MOST_SAMPLED: Final = 5000
"""Characters of each of these lines."""
_NAMED_SEPARATOR: Final = re.compile(r'\ufeff?"?sep=([^"\r\n])"?[ \t;,|]*(\r\n|\r|\n|$)', re.I)
_WIDE_NUL: Final = ((slice(1, 4, 2), "utf-16-le"), (slice(0, 3, 2), "utf-16-be"))
"""Where the first two letters have their NUL in UTF-16 without a byte order mark."""
_MOST_WIDTH: Final = 100


class TableFault(ValueError):
    """A file or a pasted text that cannot be read. Its text gives the reason and the place.

    field: the parameter of the request that has the fault.
    """

    def __init__(self, sentence: str, field: str = "file") -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a file may be: bytes, and rows with values, without the row of column names."""

    most_bytes: int
    most_rows: int


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows that have values, each with its line in the file. encoding: "" = the file declares its own."""

    rows: tuple[tuple[int, tuple[Cell, ...]], ...]
    encoding: str = ""


def check_size(content: bytes, limits: Limits) -> None:
    """Raise TableFault for a file that is too large."""
    if len(content) > limits.most_bytes:
        most = _size_text(limits.most_bytes)
        raise TableFault(gettext("The file has more than %(most)s. Send it in parts.", most=most))


def _size_text(size: int) -> str:
    kilobytes = size // 1024
    return f"{kilobytes // 1024} MB" if kilobytes >= 1024 else f"{kilobytes} KB"


def text_of(content: bytes) -> DecodedText:
    """Return the text of a file, and the name of its encoding. Raises TableFault."""
    if content.startswith((ZIP, _OLE)):
        raise TableFault(
            gettext("This is an old or protected spreadsheet, or an archive. Save it as XLSX or CSV, and send that.")
        )
    wide = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else _wide_encoding(content)
    try:
        found = DecodedText(content.decode(wide), UTF_16) if wide else decoded(content.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError:
        raise TableFault(gettext("The file is cut short in UTF-16. Save it as CSV in UTF-8.")) from None
    if "\0" in found.text:
        raise TableFault(gettext("The file is not text. Save it as CSV in UTF-8."))
    return found


def _wide_encoding(content: bytes) -> str:
    """Return the name of an encoding with two bytes a letter that has no mark; "" = it is another one."""
    return next((name for place, name in _WIDE_NUL if content[:4][place] == b"\0\0"), "")


def read_text_grid(content: bytes, limits: Limits) -> Grid:
    """Return the rows of a text with separators (CSV). Raises TableFault."""
    check_size(content, limits)
    text, encoding = text_of(content)
    named = _NAMED_SEPARATOR.match(text)
    skipped = 0
    if named:
        text, skipped = text[named.end() :], 1
    separator = named[1] if named else _separator_of(text)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        rows = _kept(((reader.line_num + skipped, tuple(row)) for row in reader), limits)
    except csv.Error as fault:
        line = reader.line_num + skipped
        raise TableFault(gettext("Row %(row)s cannot be read: %(fault)s.", row=line, fault=fault)) from None
    _refuse_open_quote(text, separator, skipped)
    return Grid(rows, "" if encoding in (UTF_8, UTF_16) else encoding)


def _refuse_open_quote(text: str, separator: str, skipped: int) -> None:
    """Raise TableFault for a quote that is never closed: the rows below it would be the text of one cell.

    skipped: lines before the text.
    """
    lines = list(StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=separator)
    last = above = 0
    for _ in reader:
        last, above = above, reader.line_num
    try:
        list(csv.reader(lines[last:], delimiter=separator, strict=True))
    except csv.Error as fault:
        if "unexpected end of data" in str(fault):
            line = last + skipped + 1
            sentence = gettext("The quotation mark that opens a cell of row %(row)s is never closed.", row=line)
            raise TableFault(sentence) from None


def read_sheet_grid(lines: bytes, limits: Limits) -> Grid:
    """Return the rows of a sheet that a spreadsheet was unpacked to: a list of cells in JSON a line.

    Raises TableFault.
    """
    rows = (json.loads(line, parse_int=Decimal, parse_float=Decimal) for line in lines.splitlines())
    return Grid(_kept(((number, tuple(row)) for number, row in enumerate(rows, 1)), limits))


def program_rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the rows of a file of another program.

    The form is known: commas, and the first row contains the column names.
    """
    return csv.reader(lines)


def sheet_line(cells: Iterable[str | float]) -> str:
    """Return a row of a sheet as `read_sheet_grid` takes it."""
    return json.dumps(list(cells), ensure_ascii=False, allow_nan=False)


def _kept(rows: Iterator[tuple[int, tuple[Cell, ...]]], limits: Limits) -> tuple[tuple[int, tuple[Cell, ...]], ...]:
    """Return the rows that have values. Raises TableFault where they are too many or too wide."""
    kept: list[tuple[int, tuple[Cell, ...]]] = []
    for number, padded in rows:
        row = _without_end(padded)
        if not row:
            continue
        if len(row) > _MOST_WIDTH:
            raise TableFault(
                gettext(
                    "Row %(row)s has %(found)s columns; at most %(most)s are read.",
                    row=number,
                    found=len(row),
                    most=_MOST_WIDTH,
                )
            )
        kept.append((number, row))
        if len(kept) > limits.most_rows + 1:
            most = count_text(limits.most_rows)
            raise TableFault(gettext("The file has more than %(most)s rows. Send it in parts.", most=most))
    return tuple(kept)


def _without_end(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return a row without the empty cells at its end."""
    width = len(row)
    while width and isinstance(last := row[width - 1], str) and not last.strip():
        width -= 1
    return row[:width]


def _separator_of(text: str) -> str:
    """Return the mark that separates cells.

    It is the first mark that splits all lines alike, else the one that splits the first line most.
    """
    sample = islice(StringIO(text, newline=""), _SAMPLE)
    lines = [line[:_MOST_SAMPLED] for line in sample if line.strip()]
    widths = {mark: [len(row) for row in csv.reader(lines, delimiter=mark) if row] for mark in _SEPARATORS}
    even = (mark for mark, found in widths.items() if found and found[0] > 1 and len(set(found)) == 1)
    return next(even, None) or max(reversed(_SEPARATORS), key=lambda mark: widths[mark][:1])
