"""Whole lists for exports with the names that they mention, read piece by piece.

Lists are newest first: records created meanwhile do not appear, and changed ones are as they are when read. No
transaction or statement lasts as long as the export.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import Any, Final, Generic, TypeVar

from trackyard.actions.conversions.conversions import as_seen, columns_as_seen
from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.statistics.names import EntityNames, names_in_conversions, with_names
from trackyard.actions.statistics.reports import (
    cities_in_rows,
    in_scope,
    names_in_rows,
)
from trackyard.analytics.exports.exports import SpooledReport, each_click, split_into_export_periods
from trackyard.base.arrow import Batch
from trackyard.domain.conversions.lists import FAR_FUTURE_MS, ConversionFilter
from trackyard.domain.people.callers import Access
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.reports import Report, StatsRow
from trackyard.store.conversions.lists import (
    EXPORT_COLUMNS,
    count_conversions,
    cursor_before,
    rows_before,
)
from trackyard.store.money.payment_states import PaidByConversion, paid_sums_of

BATCH_ROWS: Final = 5000
"""Conversions read per transaction."""
SCAN_ROWS: Final = 20_000
"""Conversions scanned per transaction, however few of them match."""
MAX_CACHED_NAMES: Final = 20_000
"""Names of a kind that are kept from piece to piece."""

T = TypeVar("T")
Pieces = Generator[tuple[T, EntityNames], None, None]


@dataclass(frozen=True, slots=True)
class StoredConversions:
    """Conversions by column, as in store.conversions.lists.EXPORT_COLUMNS.

    paid: what payments pay of them.
    """

    columns: Mapping[str, Sequence[Any]]
    paid: PaidByConversion


class Export(Generic[T]):
    """All rows of a list.

    pieces: some rows (T) and the names that they mention, read on demand.
    count: the number of all rows, once the first piece was read.
    """

    def __init__(self, deps: Deps, read: "Callable[[Export[T]], Pieces[T]]") -> None:
        self.count = 0
        self.pieces = _in_slots(deps, read(self))


def export_clicks(deps: Deps, access: Access, query: ClickQuery) -> Export[Batch]:
    """Return all accepted clicks of a query by column (`each_click`), within the caller's scope."""

    def read(export: Export[Batch]) -> Pieces[Batch]:
        with deps.database.read() as conn:
            scoped = replace(query, scope=scope_of(conn, access))
        spans = split_into_export_periods(deps.analytics, scoped)
        export.count = sum(span.clicks for span in spans)
        names = EntityNames()
        with closing(each_click(deps.analytics, scoped, spans)) as pieces:
            for clicks in pieces:
                offer_ids, affiliate_ids = (clicks[name].unique().to_pylist() for name in ("offer", "affiliate"))
                with deps.database.read() as conn:
                    known = _bounded_names(names)
                    names = with_names(conn, known, offer_ids=offer_ids, affiliate_ids=affiliate_ids)
                yield clicks, names

    return Export(deps, read)


def export_conversions(deps: Deps, access: Access, chosen: ConversionFilter) -> Export[StoredConversions]:
    """Return all conversions that a filter selects."""

    def read(export: Export[StoredConversions]) -> Pieces[StoredConversions]:
        with deps.database.read() as conn:
            scope, seen = scope_of(conn, access), as_seen(conn, access, chosen)
            export.count = count_conversions(conn, scope, seen)
        names = EntityNames()
        before, floor = (min(seen.until, FAR_FUTURE_MS), ""), (FAR_FUTURE_MS, "")
        while before > (seen.since, ""):
            with deps.database.read() as conn:
                if before <= floor:
                    floor = cursor_before(conn, seen.since, before, SCAN_ROWS)
                rows = rows_before(conn, scope, seen, before, floor=floor, limit=BATCH_ROWS)
                columns = dict(zip(EXPORT_COLUMNS, zip(*rows, strict=True), strict=False))
                if rows:
                    names = names_in_conversions(
                        conn,
                        _bounded_names(names),
                        set(columns["offer_id"]),
                        set(columns["affiliate_id"]),
                        set(columns["advertiser_id"]),
                    )
                    shown = columns_as_seen(columns, seen)
                    found = StoredConversions(shown, paid_sums_of(conn, columns["id"]))
            before = (columns["created_at"][-1], columns["id"][-1]) if len(rows) == BATCH_ROWS else floor
            if rows:
                yield found, names

    return Export(deps, read)


def export_rows(deps: Deps, access: Access, report: Report) -> Export[list[StatsRow]]:
    """Return all statistics rows of a report, as they are when the first piece is read."""

    def read(export: Export[list[StatsRow]]) -> Pieces[list[StatsRow]]:
        with deps.database.read() as conn:
            scoped = in_scope(deps, conn, access, report)
        with TemporaryFile() as file:
            kept_rows = SpooledReport(scoped, file)
            kept_rows.read(deps.analytics)
            export.count = kept_rows.count
            cities: dict[str, str] = {}
            for rows in kept_rows.each():
                cities = cities_in_rows(deps, scoped, rows, cities)
                with deps.database.read() as conn:
                    names = names_in_rows(conn, rows)
                yield rows, replace(names, cities=cities)

    return Export(deps, read)


def _in_slots(deps: Deps, pieces: Pieces[T]) -> Pieces[T]:
    """Read each piece in a slot among heavy reports.

    Only the first can be rejected for lack of a slot: later ones wait.
    """
    started = False
    with closing(pieces):
        while True:
            with deps.analytics.file_slot(no_timeout=started):
                piece = next(pieces, None)
            if piece is None:
                return
            started = True
            yield piece


def _bounded_names(names: EntityNames) -> EntityNames:
    """Return the names, or none when there are too many."""
    return (
        EntityNames()
        if max(len(names.offers), len(names.affiliates), len(names.advertisers)) > MAX_CACHED_NAMES
        else names
    )
