"""The file of a list, from the answers of its method (docs/spec/api-conventions.md#files-of-rows).

Each page is asked for as a page of JSON is: in the view of the caller, without figures that are hidden from it, and
with the caller in the audit log.
"""

from collections.abc import Iterator
from contextvars import Context, copy_context
from dataclasses import replace
from itertools import count
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from trackyard.base.errors import BadInput
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.http.answering import ReadRequest, answer_request
from trackyard.wire.request.brackets import Tree
from trackyard.wire.request.params import fields_of
from trackyard.wire.response.envelope import Answer
from trackyard.wire.response.exports import Blocks, ExportParams, ExportTable, block_of_rows
from trackyard.wire.response.list_rows import ListRows, list_rows

MOST_ROWS: Final = 10_000
"""Rows of a file. More of them need a filter, or pages."""
AT_ONCE: Final = 1000
"""Rows of a page that is asked for. A report is asked for once, because each page would compute it again."""

D = TypeVar("D")


def list_table(endpoint: Endpoint[D, Any], read: ReadRequest[D], tree: Tree) -> ExportTable:
    """Return the rows of a list as a table: all, or one page of them when `page` or `limit` is sent.

    Reading its first rows raises RequestError; BadInput where there are more than MOST_ROWS. Raises ValueError for a
    method that is not a list.
    """
    rows = list_rows(endpoint.answer_for(read.request.caller_or_none))
    if rows is None:
        raise ValueError(f"{endpoint.id} is not a list")
    totals: list[int] = []
    pieces = _blocks(_each_answer(endpoint, read, tree, rows, copy_context()), rows, totals)
    return ExportTable(rows.columns, pieces, ZoneInfo("UTC"), count=lambda: totals[0])


def _blocks(answers: Iterator[Answer], rows: ListRows, totals: list[int]) -> Blocks:
    """Yield the rows of each answer by column. totals: gets the number of all rows with the first answer."""
    columns = rows.columns
    for answer in answers:
        totals.append(rows.total_of(answer))
        if found := rows.rows_of(answer):
            yield block_of_rows(columns, found)


def _each_answer(
    endpoint: Endpoint[D, Any], read: ReadRequest[D], tree: Tree, rows: ListRows, context: Context
) -> Iterator[Answer]:
    """Yield the answers that have the rows of the file.

    context: the request's. Later pages need its actor as well; they are asked for while the file is sent, in another
    thread.
    """
    names = {field.name for field in fields_of(endpoint.params)}
    place = next((each for each in ("page", "skip") if {each, "limit"} <= names), "")
    if not place or (isinstance(read.params, ExportParams) and read.params.is_paged):
        yield context.run(answer_request, endpoint, read, tree)
        return
    limit = MOST_ROWS if endpoint.report else AT_ONCE
    request, seen = replace(read.request, max_limit=limit), 0
    for page in count(1):
        params = read.params.model_copy(update={place: page if place == "page" else seen, "limit": limit})
        answer = context.run(answer_request, endpoint, read._replace(request=request, params=params), tree)
        total = rows.total_of(answer)
        check_rows(total)
        yield answer
        seen += limit
        if seen >= total:
            return


def check_rows(total: int) -> None:
    """Raise BadInput for a list of more than MOST_ROWS."""
    if total > MOST_ROWS:
        raise BadInput({"format": [_TOO_MANY.format(total, MOST_ROWS)]})


_TOO_MANY: Final = "This list has {} rows, and a file at most {}: narrow it with filters, or send page and limit."
