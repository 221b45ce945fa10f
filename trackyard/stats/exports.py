"""All rows of a report, or all clicks of a period, in the order of their pages and in bounded memory."""

import gzip
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Any, Final, TypeVar

import msgspec

from trackyard.journal.records import Click
from trackyard.stats.compile import compile_report
from trackyard.stats.engine import Analytics
from trackyard.stats.lists import CLICK_COLUMNS, ClickList, ListedClick, chosen
from trackyard.stats.packed import packed
from trackyard.stats.query import Report
from trackyard.stats.reports import StatsRow, row_of

PIECE: Final = 5000
"""Rows that are handed on at a time."""
SPAN: Final = 500_000
"""Clicks that are sorted at a time, when no day has more."""
HELD_S: Final = 60.0
"""How long a reader may hold a statement open; after it the rest is asked for anew."""

_DAY_MS: Final = 86_400_000

T = TypeVar("T")
Seconds = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Span:
    """Clicks to be read together. since, until: UTC milliseconds, `until` exclusive."""

    since: int
    until: int
    clicks: int


def spans_of(analytics: Analytics, query: ClickList) -> list[Span]:
    """The period in spans of whole days of UTC, by which clicks are stored, newest first; days without are left out."""
    where, parameters = chosen(query)
    sql = f"SELECT intDiv(time, {_DAY_MS}) AS day, count() {where} GROUP BY day ORDER BY day DESC"
    spans: list[Span] = []
    for day, clicks in analytics.rows(sql, parameters, tuple[int, int]):
        since, until = max(query.since, day * _DAY_MS), min(query.until, (day + 1) * _DAY_MS)
        if spans and spans[-1].clicks + clicks <= SPAN:
            spans[-1] = Span(since, spans[-1].until, spans[-1].clicks + clicks)
        else:
            spans.append(Span(since, until, clicks))
    return spans


def each_click(
    analytics: Analytics, query: ClickList, spans: list[Span], seconds: Seconds = time.monotonic
) -> Generator[list[ListedClick], None, None]:
    """All clicks of the query, newest first, whatever its page. What was loaded behind the reader is left out."""
    for span in spans:
        rest: Click | None = None
        while True:
            with _held(analytics, replace(query, since=span.since, until=span.until), rest) as pieces:
                until = seconds() + HELD_S
                for clicks in pieces:
                    rest = clicks[-1]
                    conversions = _conversions_of(analytics, clicks)
                    yield [ListedClick(click, conversions.get(click.id, ())) for click in clicks]
                    if seconds() > until:
                        break
                else:
                    break


@contextmanager
def _held(analytics: Analytics, query: ClickList, last: Click | None) -> Iterator[Iterator[list[Click]]]:
    """The clicks of a query that come after one."""
    where, parameters = chosen(query)
    if last is not None:
        where += " AND time <= {last_time:Int64} AND (time < {last_time:Int64} OR id < {last_id:String})"
        parameters |= {"last_time": last.time, "last_id": last.id}
    rows = f"SELECT time, id, {packed(CLICK_COLUMNS)} AS packed_row {where}"
    sql = f"SELECT packed_row FROM ({rows}) ORDER BY time DESC, id DESC"
    with analytics.stream(sql, parameters, Click) as pieces:
        yield _of_size(pieces)


def _of_size(pieces: Iterator[list[T]]) -> Iterator[list[T]]:
    """The same in pieces of `PIECE` at least, but for the last."""
    held: list[T] = []
    for piece in pieces:
        held += piece
        if len(held) >= PIECE:
            yield held
            held = []
    if held:
        yield held


def _conversions_of(analytics: Analytics, clicks: list[Click]) -> dict[str, tuple[str, ...]]:
    """The ids of the conversions of clicks that stand together, by click, oldest first.

    Looked for by the times of the clicks, which is one small column: by their ids alone each piece of a file would
    read every conversion there is. No conversion is a day older than its click, as far as clocks may be apart.
    """
    sql = (
        "SELECT click_id, arrayMap(made -> made.2, arraySort(groupArray((made_at, conversion_id)))) FROM ("
        "SELECT click_id, conversion_id, any(time) AS made_at FROM fact "
        f"WHERE time >= {{first:Int64}} - {_DAY_MS} AND click_time >= {{first:Int64}} AND click_time <= {{last:Int64}} "
        "AND click_id IN {ids:Array(String)} GROUP BY click_id, conversion_id HAVING sum(sign) > 0"
        ") GROUP BY click_id"
    )
    parameters = {"first": clicks[-1].time, "last": clicks[0].time, "ids": [click.id for click in clicks]}
    return dict(analytics.rows(sql, parameters, tuple[str, tuple[str, ...]]))


class KeptRows:
    """The rows of a report as they were at one moment, kept in a file: a slow reader holds no statement open."""

    def __init__(self, report: Report, file: IO[bytes]) -> None:
        self.count = 0
        self._report = report
        self._compiled = compile_report(report)
        self._file = file

    def read(self, analytics: Analytics) -> None:
        """Keeps all rows that answer the report, whatever its page. Raises TooHeavy."""
        if self._compiled is None:
            return
        sql, parameters = self._compiled.packed_sql, self._compiled.parameters
        with (
            gzip.GzipFile(fileobj=self._file, mode="wb", compresslevel=1) as kept,
            analytics.stream(sql, parameters, msgspec.Raw) as pieces,
        ):
            for rows in pieces:
                kept.write(b"".join(bytes(row) + b"\n" for row in rows))
                self.count += len(rows)

    def each(self) -> Iterator[list[StatsRow]]:
        """The rows in their order."""
        if self._compiled is None:
            return
        decode = msgspec.json.Decoder(list[Any]).decode
        self._file.seek(0)
        with gzip.GzipFile(fileobj=self._file, mode="rb") as lines:
            while piece := list(islice(lines, PIECE)):
                yield [row_of(self._report, self._compiled, decode(line)) for line in piece]
