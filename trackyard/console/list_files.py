"""Every row of a list as a CSV file (docs/spec/console.md#lists-as-files)."""

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, Final, TypeVar

from starlette.responses import Response

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Download
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number
from trackyard.wire.endpoint import A, Endpoint
from trackyard.wire.response.csv_columns import FORMULA_STARTS
from trackyard.wire.response.envelope import Answer, View, values_by_name
from trackyard.wire.response.exports import BYTE_ORDER_MARK, CSV

R = TypeVar("R")
MOST_ROWS: Final = 10_000
"""Rows of a file. More of them need a filter."""
_AT_ONCE: Final = 1000
FORMAT: Final = ("format", "csv")
"""What the address of a list has to be a file."""


def list_file(
    request: PageRequest, method: Endpoint[Deps, A], rows: Callable[[A], Sequence[View]], sent: Sequence[Pair]
) -> Download | None:
    """Return the rows of a method of the API as a file; None where the address selects the page.

    rows: returns the rows of an answer. sent: the parameters of the page. Columns are the fields of the API,
    nested ones by their path. Raises RequestError; BadInput where there are more than MOST_ROWS.
    """
    if not asks_for_file(request):
        return None
    return rows_file(method.id.replace(".", "-").removesuffix("-list"), every_row(request, method, rows, sent))


def asks_for_file(request: PageRequest) -> bool:
    """Return whether the address selects a list as a file."""
    return request.address.get(FORMAT[0]) == FORMAT[1]


def rows_file(name: str, rows: Iterable[View | Mapping[str, object]], without: Collection[str] = ()) -> Download:
    """Return rows, which are views of the API or records, as a file of this name.

    without: fields that the file lacks.
    """
    response = Response(
        BYTE_ORDER_MARK + _csv_of([dict(_cells(_fields(each), without)) for each in rows]),
        media_type=CSV,
        headers={
            "Content-Disposition": " ".join(("attachment;", f"filename={name}.csv")),
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        },
    )
    return Download(response)


def every_row(
    request: PageRequest,
    method: Endpoint[Deps, A],
    rows: Callable[[A], Sequence[R]],
    sent: Sequence[Pair],
    path: Mapping[str, str] | None = None,
) -> Iterator[R]:
    """Yield the rows of a method on all of its pages. path: variables of its path. Raises as `list_file`."""
    asked = [pair for pair in sent if pair[0] not in ("limit", "page")]
    page, seen = 1, 0
    while True:
        answer = request.calls.ask(method, [*asked, ("limit", str(_AT_ONCE)), ("page", str(page))], path or {})
        found, total = rows(answer), total_of(answer)
        refuse_too_many(total)
        yield from found
        seen += len(found)
        if not found or seen >= total:
            return
        page += 1


def refuse_too_many(total: int) -> None:
    """Raise BadInput for a list of more than MOST_ROWS."""
    if total > MOST_ROWS:
        text = gettext(
            "This list has %(total)s rows, and a file at most %(most)s: narrow it with filters.",
            total=number(total),
            most=number(MOST_ROWS),
        )
        raise BadInput({FORMAT[0]: [text]})


def total_of(answer: Answer) -> int:
    """Return the number of all rows of a paged answer, which some methods have within `data`."""
    place: Any = answer if hasattr(answer, "pagination") else answer.data  # type: ignore[attr-defined]
    pages: Any = getattr(place, "pagination", place)
    return int(pages.total_count if hasattr(pages, "total_count") else pages.total)


def _fields(row: View | Mapping[str, object]) -> Mapping[str, object]:
    return values_by_name(row) if isinstance(row, View) else row


def _cells(row: Mapping[str, object], without: Collection[str] = (), prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each field."""
    for name, value in row.items():
        if isinstance(value, Mapping) and value:
            yield from _cells(value, without, f"{prefix}{name}.")
        elif f"{prefix}{name}" not in without:
            yield f"{prefix}{name}", _text(value)


def _text(value: object) -> str:
    """Return the text of a value. A list of single values has commas between them; other lists are JSON."""
    match value:
        case None | {}:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{value}" if value[:1] in FORMULA_STARTS else value
        case list() | tuple() if any(isinstance(each, (list, tuple, dict)) for each in value):
            return json.dumps(value, ensure_ascii=False, default=str)
        case list() | tuple():
            return _text(", ".join("" if each is None else str(each) for each in value))
    return str(value)


def _csv_of(rows: Sequence[Mapping[str, str]]) -> str:
    names = dict.fromkeys(name for row in rows for name in row)
    written = StringIO()
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerow(names)
    lines.writerows([row.get(name, "") for name in names] for row in rows)
    return written.getvalue()
