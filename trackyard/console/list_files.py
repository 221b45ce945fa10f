"""Every row of a list as a CSV file (docs/spec/console.md#lists-as-files)."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from trackyard.wire.http.list_files import MOST_ROWS
from trackyard.wire.response.csv_rows import csv_of_rows
from trackyard.wire.response.envelope import Answer, View, values_by_name
from trackyard.wire.response.exports import BYTE_ORDER_MARK, CSV

R = TypeVar("R")
_AT_ONCE: Final = 1000
FORMAT: Final = ("format", "csv")
"""What the address of a list has to be a file."""


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
    """Yield the rows of a method on all of its pages. path: variables of its path.

    Raises RequestError; BadInput where there are more than MOST_ROWS.
    """
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


def _cells(row: Mapping[str, object], without: Collection[str] = (), prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the name and the value of each field."""
    for name, value in row.items():
        if isinstance(value, Mapping) and value:
            yield from _cells(value, without, f"{prefix}{name}.")
        elif f"{prefix}{name}" not in without:
            yield f"{prefix}{name}", _shown(value)


def _shown(value: object) -> object:
    """Return a value as a cell. A list of single values has commas between them; other lists are JSON."""
    match value:
        case {}:
            return None
        case list() | tuple() if any(isinstance(each, (list, tuple, dict)) for each in value):
            return json.dumps(value, ensure_ascii=False, default=str)
        case list() | tuple():
            return ", ".join("" if each is None else str(each) for each in value)
    return value


def _csv_of(rows: Sequence[Mapping[str, object]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return "".join(csv_of_rows(names, ([row.get(name) for name in names] for row in rows)))
