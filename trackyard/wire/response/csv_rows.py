"""CSV: RFC 4180, UTF-8, with a header line (docs/spec/api-conventions.md#files-of-rows).

The API, pages and the command line write it in this form.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Final

FORMULA_STARTS: Final = frozenset("=+-@\t\r\n＝＋－＠")
"""Characters that begin a formula in a spreadsheet."""


def csv_of_rows(names: Sequence[str], rows: Iterable[Sequence[object]], separator: str = ",") -> Iterator[str]:
    """Yield the lines of a file: the names of its columns, then its rows.

    Text that a spreadsheet would calculate gets an apostrophe in front. None is empty.
    """
    yield csv_line(names, separator)
    for row in rows:
        yield csv_line([_cell(value) for value in row], separator)


def csv_line(cells: Sequence[object], separator: str) -> str:
    """Return a line of cells, with its end.

    A cell that contains the separator, a quote or a line break is quoted.
    """
    written = StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\r\n").writerow(cells)
    return written.getvalue()


def _cell(value: object) -> object:
    """Return the text of a flag or a text; other values as they are."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return without_formula(value)
    return value


def without_formula(text: str) -> str:
    """Return a text with an apostrophe in front of what a spreadsheet would calculate."""
    return f"'{text}" if text[:1] in FORMULA_STARTS else text
