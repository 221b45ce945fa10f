"""Lists that are also answered as files."""

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from trackyard.actions.exports import Export
from trackyard.actions.statistics import Names
from trackyard.api.paging import Paging
from trackyard.wire.envelope import View
from trackyard.wire.sheets import Exported, Table, columns_of, pieces_of

ALL_ROWS: Final = (
    "Every row, in the order of JSON, or those of a page when `page` or `limit` is sent. What is made while the file "
    "is sent does not appear in it; what changes meanwhile is as it was when its row was read. A key has 2 exports at "
    "a time (else 429), the installation 6 (else 503)."
)

T = TypeVar("T")
R = TypeVar("R")


class Listed(Exported, Paging):
    """A list that is also answered as a file: of all rows, or of a page, when page or limit is sent."""

    @property
    def is_paged(self) -> bool:
        """Whether a page is asked for."""
        return not self.model_fields_set.isdisjoint(("page", "limit"))


def table_of_all(
    view: type[View], export: Export[T], show: Callable[[T, Names], Any], zone: ZoneInfo, period: str
) -> Table:
    """The table of an export whose rows are shown as views."""
    return Table(columns_of(view), pieces_of(view, each_piece(export, show)), zone, period, lambda: export.count)


def each_piece(export: Export[T], show: Callable[[T, Names], R]) -> Generator[list[R], None, None]:
    """The rows of an export as they are shown; what reads them ends with it."""
    with closing(export.pieces) as pieces:
        for found, names in pieces:
            yield [show(item, names) for item in found]
