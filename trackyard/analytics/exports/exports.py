"""All rows of a report or all clicks of a period, ordered, in limited memory."""

import gzip
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Any, Final

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.exports.column_stream import ColumnReader, packed_line_column
from trackyard.analytics.reports.clicks import click_source
from trackyard.analytics.reports.compiler import CompiledReport, compile_report
from trackyard.analytics.reports.goals import with_spellings
from trackyard.analytics.reports.reports import build_row
from trackyard.base.arrow import Array, Batch, load_pyarrow
from trackyard.domain.statistics.click_columns import COLUMNS, EMPTY_CLICK
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.reports import Report, StatsRow

CHUNK_ROWS: Final = 5000
"""Rows of statistics in one piece."""
PERIOD_CLICKS: Final = 500_000
"""Clicks that are sorted together, unless one day has more."""
MAX_OPEN_S: Final = 60.0
"""The longest time of an open statement; the rest is then queried again."""

CLICK_COLUMNS: Final = tuple(name for name, column in COLUMNS.items() if column.exported)
"""The columns of files of clicks."""
_INTEGER_COLUMNS: Final = frozenset(name for name in CLICK_COLUMNS if EMPTY_CLICK[name] == 0)
_DICTIONARY_COLUMNS: Final = frozenset(
    name for name in CLICK_COLUMNS if COLUMNS[name].low_cardinality or COLUMNS[name].repeats
)
_MAX_LISTED_VALUES: Final = 50
_DAY_MS: Final = 86_400_000

Seconds = Callable[[], float]
ClickCursor = tuple[int, str]
"""The position of a reader: time and id of the last click."""


@dataclass(frozen=True, slots=True)
class ExportPeriod:
    """Clicks to be read together. since, until: UTC milliseconds, `until` exclusive."""

    since: int
    until: int
    clicks: int


def split_into_export_periods(analytics: Analytics, query: ClickQuery) -> list[ExportPeriod]:
    """Split the period into spans of whole days of UTC with clicks, newest first."""
    where, parameters = click_source(query)
    sql = f"SELECT intDiv(time, {_DAY_MS}) AS day, count() {where} GROUP BY day ORDER BY day DESC"
    spans: list[ExportPeriod] = []
    for day, clicks in analytics.rows(sql, parameters, tuple[int, int]):
        since, until = max(query.since, day * _DAY_MS), min(query.until, (day + 1) * _DAY_MS)
        if spans and spans[-1].clicks + clicks <= PERIOD_CLICKS:
            spans[-1] = ExportPeriod(since, spans[-1].until, spans[-1].clicks + clicks)
        else:
            spans.append(ExportPeriod(since, until, clicks))
    return spans


def each_click(
    analytics: Analytics, query: ClickQuery, spans: list[ExportPeriod], seconds: Seconds = time.monotonic
) -> Generator[Batch, None, None]:
    """Yield all clicks of the query by column, newest first; its page is ignored.

    The columns are CLICK_COLUMNS, and conversion_id, the id of the first conversion or "". Clicks that are loaded
    before the reader's position are left out.
    """
    reader = ColumnReader(CLICK_COLUMNS, integer_columns=_INTEGER_COLUMNS, repeated_columns=_DICTIONARY_COLUMNS)
    for span in spans:
        resume_after: ClickCursor | None = None
        while True:
            with _open_batches(
                analytics, replace(query, since=span.since, until=span.until), resume_after, reader
            ) as batches:
                until = seconds() + MAX_OPEN_S
                for clicks in batches:
                    resume_after = clicks["time"][-1].as_py(), clicks["id"][-1].as_py()
                    yield clicks.append_column("conversion_id", _find_conversion_ids(analytics, clicks))
                    if seconds() > until:
                        break
                else:
                    break


@contextmanager
def _open_batches(
    analytics: Analytics, query: ClickQuery, last: ClickCursor | None, reader: ColumnReader
) -> Iterator[Iterator[Batch]]:
    """Yield the clicks of a query after one."""
    where, parameters = click_source(query)
    if last is not None:
        where += " AND time <= {last_time:Int64} AND (time < {last_time:Int64} OR id < {last_id:String})"
        parameters |= {"last_time": last[0], "last_id": last[1]}
    rows = f"SELECT time, id, {packed_line_column(CLICK_COLUMNS)} AS packed_row {where}"
    sql = f"SELECT packed_row FROM ({rows}) ORDER BY time DESC, id DESC"
    with analytics.batches(sql, parameters, reader) as batches:
        yield batches


def _find_conversion_ids(analytics: Analytics, clicks: Batch) -> Array:
    """Return the ids of the first conversions of consecutive clicks; "" = none.

    Looked for by the times of the clicks, and by their offers and affiliates when they are few: to look for so many
    ids takes longer than all the rest of a file. No conversion is a day older than its click, as far as clocks may be
    apart.
    """
    arrow, compute, *_ = load_pyarrow()
    conditions = [f"time >= {{first:Int64}} - {_DAY_MS}", "click_time >= {first:Int64}", "click_time <= {last:Int64}"]
    parameters: dict[str, Any] = {"first": clicks["time"][-1].as_py(), "last": clicks["time"][0].as_py()}
    for name in ("offer", "affiliate"):
        values = clicks[name].unique().to_pylist()
        if len(values) <= _MAX_LISTED_VALUES:
            conditions.append(f"{name} IN {{{name}:Array(Int64)}}")
            parameters[name] = values
    sql = (
        "SELECT click_id, min((made_at, conversion_id)).2 FROM ("
        f"SELECT click_id, conversion_id, any(time) AS made_at FROM fact WHERE {' AND '.join(conditions)} "
        "GROUP BY click_id, conversion_id HAVING sum(sign) > 0"
        ") GROUP BY click_id"
    )
    found = analytics.rows(sql, parameters, tuple[str, str])
    places = compute.index_in(clicks["id"], value_set=arrow.array([click for click, _ in found], type=arrow.string()))
    conversions = arrow.array([conversion for _, conversion in found], type=arrow.string())
    return conversions.take(places).fill_null("")


class SpooledReport:
    """The rows of a report at one moment in a file, so that slow readers need no open statement."""

    def __init__(self, report: Report, file: IO[bytes]) -> None:
        self.count = 0
        self._report = report
        self._compiled: CompiledReport | None = None
        self._file = file

    def read(self, analytics: Analytics) -> None:
        """Store all rows of the report; its page is ignored. Raises ReportTooHeavy."""
        self._report = with_spellings(analytics, self._report)
        self._compiled = compile_report(self._report)
        if self._compiled is None:
            return
        sql, parameters = self._compiled.packed_sql, self._compiled.parameters
        with (
            gzip.GzipFile(fileobj=self._file, mode="wb", compresslevel=1) as kept,
            analytics.stream(sql, parameters, msgspec.Raw) as chunks,
        ):
            for rows in chunks:
                kept.write(b"".join(bytes(row) + b"\n" for row in rows))
                self.count += len(rows)

    def each(self) -> Iterator[list[StatsRow]]:
        """Yield the rows in their order."""
        if self._compiled is None:
            return
        decode = msgspec.json.Decoder(list[Any]).decode
        self._file.seek(0)
        with gzip.GzipFile(fileobj=self._file, mode="rb") as lines:
            while piece := list(islice(lines, CHUNK_ROWS)):
                yield [build_row(self._report, self._compiled, decode(line)) for line in piece]
