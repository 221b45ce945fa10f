"""Lists that are also answered as files."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from trackyard.actions.statistics.exports import Export
from trackyard.actions.statistics.names import EntityNames
from trackyard.api.paging import Paging
from trackyard.base.arrow import Array
from trackyard.wire.response.envelope import View
from trackyard.wire.response.exports import ExportParams, ExportTable, block_of, columns_of

ALL_ROWS: Final = (
    "Every row, in the order of JSON, or the rows of a page when `page` or `limit` is sent. What is made while the "
    "file is sent is not in it; what changes meanwhile is as it was when its row was read. A key has 2 exports at "
    "a time (else 429), the installation 6 (else 503)."
)

T = TypeVar("T")
R = TypeVar("R")


class ExportListParams(ExportParams, Paging):
    """A list that is also answered as a file, of all rows or of one page."""


def table_of_export(
    view: type[View],
    export: Export[T],
    show: Callable[[T, EntityNames], Mapping[str, Array]],
    zone: ZoneInfo,
    period: str,
) -> ExportTable:
    """Return the table of an export with the columns of a view."""
    columns = columns_of(view)
    pieces = each_export_piece(export, lambda found, names: block_of(columns, show(found, names)))
    return ExportTable(columns, pieces, zone, period, lambda: export.count)


def each_export_piece(export: Export[T], show: Callable[[T, EntityNames], R]) -> Generator[R, None, None]:
    """Yield the blocks of an export; its end closes the export."""
    with closing(export.pieces) as pieces:
        for found, names in pieces:
            yield show(found, names)
