"""`script/bench stats`: reports over 100 million clicks and 2 million conversions of 90 days.

Makes them (bench/stats_data.py; `--directory` keeps them for the next run), then asks 25 fixed questions through
the whole API but the socket, first cold (the files out of the system's memory, the engine's marks dropped), then hot,
in turn with the SQL that one would write by hand: on the raw tables (`raw`: without projections), and left free to use
the projections (`free`). Each page has to say the same as that SQL. Loading is measured through analytics/load.py with
lines of the journal, into a database of its own. Keys: by question NAME_cold_ms, NAME_ms (median, hot), NAME_raw_ms,
NAME_free_ms, NAME_ratio (to raw), and with _cpu_ms the same of the processor, which a busy machine stretches less;
load_rows_s (click), lookup_load_rows_s and load_both_rows_s (as the projector loads: both tables, range by range);
lookup_1000_ms; conversion_by_id_ms; slow and over_ratio: the questions that miss their aims.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.offers import _ask
from bench.stats_data import DAY_MS, Size, add_clicks, add_facts, add_lookup, each_conversion
from bench.stats_people import forget_people, write_people
from bench.stats_questions import LISTS, REPORTS, Listed, Question
from tests.support.api import Api, installed
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.engine.schema import migrate
from trackyard.analytics.load import CATCH_UP_BATCH, load, lookup_item
from trackyard.analytics.reports.clicks import find_records
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade

Ask = Callable[[], Any]


def fill(directory: Path, size: Size, lookup_days: int) -> None:
    """Makes the data, unless a run before has."""
    if (directory / "whole").exists():
        return
    analytics = Analytics.open(f"chdb://{directory}/analytics", limits=_LIMITS)
    migrate(analytics)
    database = Database(f"sqlite:///{directory / 'trackyard.db'}")
    upgrade(database)
    database.close()
    steps: dict[str, Ask] = {
        "clicks": partial(add_clicks, analytics, size),
        "look-up": partial(add_lookup, analytics, size.until - lookup_days * DAY_MS),
        "facts": partial(add_facts, analytics, size),
        "conversions": partial(_add_conversions, directory, analytics, size),
        "merges": partial(_settle, analytics),
    }
    for step, work in steps.items():
        begun = time.monotonic()
        work()
        print(f"{step}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    analytics.close()
    (directory / "whole").touch()


_LIMITS: Final = QueryLimits(seconds=600, memory=4_000_000_000)


def _add_conversions(directory: Path, analytics: Analytics, size: Size) -> None:
    connection = sqlite3.connect(directory / "trackyard.db")
    connection.execute("PRAGMA synchronous = OFF")
    for rows in each_conversion(analytics, size):
        if rows:
            names = ", ".join(f'"{name}"' for name in rows[0])
            places = ", ".join("?" * len(rows[0]))
            statement = f"INSERT INTO conversion ({names}) VALUES ({places})"
            connection.executemany(statement, [tuple(row.values()) for row in rows])
            connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _settle(analytics: Analytics) -> None:
    """Waits until the engine has merged what it wants to merge."""
    quiet = 0
    while quiet < 3:
        [(running,)] = analytics.rows("SELECT count() FROM system.merges", {}, tuple[int])
        quiet = 0 if running else quiet + 1
        time.sleep(1)


class Bench:
    """The stores, the API over them, and what was found."""

    def __init__(self, directory: Path, size: Size, seconds: float) -> None:
        self.directory, self.size = directory, size
        self.analytics = Analytics.open(f"chdb://{directory}/analytics")
        self.database = Database(f"sqlite:///{directory / 'trackyard.db'}")
        forget_people(self.database)
        self.api: Api = installed(self.database, self.analytics)
        self.keys = write_people(self.api)
        self.each = seconds / (len(REPORTS) + len(LISTS) + 2)
        self.figures: dict[str, float] = {"clicks": size.clicks, "conversions": size.conversions}
        self.slow: list[str] = []
        self.over: list[str] = []

    def close(self) -> None:
        """Gives the stores back."""
        self.analytics.close()
        self.database.close()

    def call(self, path: str, params: dict[str, Any], affiliate: int = 0) -> Any:
        """The body of an answer of 200."""
        key = self.keys[affiliate] if affiliate else self.api.admin._key or ""
        status, body = asyncio.run(_ask(self.api.app, path, params, key))
        if status != 200:
            raise RuntimeError(f"{path} {params}: {status} {body[:300]!r}")
        return json.loads(body, parse_float=Decimal)

    def by_hand(self, sql: str, *, free: bool) -> list[Any]:
        """The rows of a statement, with projections or without."""
        return self.analytics.rows(f"SELECT * FROM ({sql} SETTINGS optimize_use_projections = {int(free)})", {}, list)

    def chill(self) -> None:
        """Makes the next question a cold one."""
        for cache in ("MARK CACHE", "INDEX MARK CACHE", "PRIMARY INDEX CACHE", "QUERY CONDITION CACHE"):
            self.analytics.run(f"SYSTEM DROP {cache}")
        for place, _, names in os.walk(self.directory):
            for name in names:
                try:
                    handle = os.open(Path(place) / name, os.O_RDONLY)
                except FileNotFoundError:  # merged meanwhile
                    continue
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(handle)

    def measure(self, name: str, ask: Ask, limit_ms: int, others: dict[str, Ask]) -> None:
        """Times a question, cold once, then hot, in turn with what it is compared with."""
        self.chill()
        kinds = {"": ask, **others}
        clock: dict[str, list[float]] = {kind: [] for kind in kinds}
        processor: dict[str, list[float]] = {kind: [] for kind in kinds}
        self.figures[f"{name}_cold_ms"] = round(_timed(ask), 1)
        until = time.monotonic() + self.each
        while len(clock[""]) < 3 or time.monotonic() < until:
            for kind, work in kinds.items():
                used = time.process_time()
                clock[kind].append(_timed(work))
                processor[kind].append((time.process_time() - used) * 1000)
        for kind in kinds:
            prefix = f"{name}_{kind}".rstrip("_")
            self.figures[f"{prefix}_ms"] = round(statistics.median(clock[kind]), 1)
            self.figures[f"{prefix}_cpu_ms"] = round(statistics.median(processor[kind]), 1)
        if "raw" in kinds:
            self.figures[f"{name}_ratio"] = ratio = round(
                self.figures[f"{name}_ms"] / self.figures[f"{name}_raw_ms"], 2
            )
            if ratio > 1.2:
                self.over.append(name)
        found = {key: value for key, value in self.figures.items() if key.startswith(f"{name}_")}
        print(" ".join(f"{key.removeprefix(name)[1:]} {value}" for key, value in found.items()), name, file=sys.stderr)
        if self.figures[f"{name}_ms"] > limit_ms:
            self.slow.append(name)

    def report(self, question: Question) -> None:
        """Measures a report; what it says is compared first."""
        ask = partial(self.call, question.path, question.request(), question.affiliate)
        raw, free = (partial(self.by_hand, question.sql(), free=free) for free in (False, True))
        _compare(question, ask(), raw())
        self.measure(question.name, ask, question.limit_ms, {"raw": raw, "free": free})

    def listed(self, question: Listed) -> None:
        """Measures a page of a list."""
        ask = partial(self.call, question.path, question.request())
        others: dict[str, Ask] = {}
        body = ask()
        if question.sql:
            raw, free = (partial(self.by_hand, question.sql, free=free) for free in (False, True))
            found = raw()
            assert question.ids(body) == [row[0] for row in found], question.name
            assert body["pagination"]["total_count"] == found[0][1], question.name
            others = {"raw": raw, "free": free}
        assert len(question.ids(body)) == 100, question.name
        self.measure(question.name, ask, question.limit_ms, others)

    def by_id(self) -> None:
        """One conversion, and a thousand clicks of the look-up."""
        page = self.call("/3.1/stats/conversions", {"date_from": "2023-10-20", "date_to": "2023-10-20", "limit": 1})
        [conversion] = page["conversions"]
        ask = partial(self.call, "/3.1/stats/conversionsbyid", {"id": conversion["id"]})
        self.measure("conversion_by_id", ask, 20, {})
        sql = "SELECT lower(hex(id)) FROM click_lookup ORDER BY cityHash64(id) LIMIT 1000"
        ids = [row[0] for row in self.analytics.rows(sql, {}, tuple[str])]
        assert len(find_records(self.analytics, ids)) == 1000
        self.measure("lookup_1000", partial(find_records, self.analytics, ids), 150, {})

    def loading(self, rows: int) -> None:
        """Loads lines of the journal, as the projector does, into shadow tables."""
        since = self.size.until - 2 * self.size.days * DAY_MS * rows // self.size.clicks
        sql = f"SELECT * FROM (SELECT * FROM click WHERE time >= {since} ORDER BY time DESC LIMIT {rows}) ORDER BY time"
        with self.analytics._client() as client:
            stored = client.raw_query(sql, fmt="JSONCompactEachRow").splitlines()
        lines = [msgspec.json.encode(msgspec.json.decode(line)) for line in stored]
        lookups = [lookup_item(b"[" + line.split(b",", 2)[2]) for line in lines]
        del stored
        spent = {"load": [0.0, 0.0], "lookup_load": [0.0, 0.0]}
        store = Analytics.open(f"chdb://{self.directory}/analytics", database=f"loading{os.getpid()}")
        try:
            migrate(store)
            for start in range(0, rows, CATCH_UP_BATCH):
                for name, table, items in (("load", "click", lines), ("lookup_load", "click_lookup", lookups)):
                    begun, used = time.monotonic(), time.process_time()
                    load(store, table, items[start : start + CATCH_UP_BATCH], f"{table} {start}")
                    spent[name][0] += time.monotonic() - begun
                    spent[name][1] += time.process_time() - used
        finally:
            store.run(f"DROP DATABASE loading{os.getpid()} SYNC")
            store.close()
        spent["load_both"] = [sum(each) for each in zip(*spent.values(), strict=True)]
        for name, (took, processor) in spent.items():
            self.figures[f"{name}_rows_s"] = round(len(lines) / took)
            self.figures[f"{name}_cpu_rows_s"] = round(len(lines) / processor)


def _timed(work: Ask) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _compare(question: Question, body: Any, found: list[Any]) -> None:
    """Raises AssertionError where the answer is not what the SQL by hand says."""
    said = [_flat(question, row) for row in body["stats"]]
    by_hand = [[*row[:-2], Decimal(str(row[-2]))] for row in found]
    assert said == by_hand, (
        question.name,
        [pair for pair in zip(said, by_hand, strict=False) if pair[0] != pair[1]][:3],
    )
    assert body["pagination"]["total_count"] == (found[0][-1] if found else 0), question.name


def _flat(question: Question, row: Any) -> list[Any]:
    keys = [row["slice"][name] for name in question.keys]
    flat = [key["id"] if isinstance(key, dict) else key for key in keys]
    total, confirmed = row["actions"]["total"], row["actions"]["confirmed"]
    traffic = [int(row["traffic"]["raw"]), int(row["traffic"]["uniq"])]
    return [*flat, *traffic, total["count"], confirmed["count"], Decimal(confirmed["payouts"])]


def measure(options: argparse.Namespace, directory: Path) -> tuple[dict[str, float], list[str], list[str]]:
    """The figures, and the questions that miss an aim: of time, of the ratio to SQL by hand."""
    size = Size(options.clicks, options.conversions, options.days)
    fill(directory, size, options.lookup_days)
    bench = Bench(directory, size, options.seconds)
    with ExitStack() as stack:
        stack.callback(bench.close)
        for question in REPORTS:
            bench.report(question)
        for listed in LISTS:
            bench.listed(listed)
        bench.by_id()
        if options.load:
            bench.loading(options.load)
    return bench.figures, bench.slow, bench.over


def main() -> int:
    """Measure reports."""
    parser = argparse.ArgumentParser(prog="script/bench stats", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120, help="for the questions, in all")
    parser.add_argument("--clicks", type=int, default=100_000_000)
    parser.add_argument("--conversions", type=int, default=2_000_000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--lookup-days", type=int, default=90, help="days whose clicks are in the look-up, at least 30")
    parser.add_argument("--load", type=int, default=1_000_000, help="lines to load; 0 = none")
    parser.add_argument("--directory", type=Path, help="where the data is, and stays")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object on the last line")
    options = parser.parse_args()
    with ExitStack() as stack:
        directory = options.directory or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ty-bench-")))
        directory.mkdir(parents=True, exist_ok=True)
        figures, slow, over = measure(options, directory)
    for name, value in figures.items():
        print(f"{name:>48} {value}")
    print(f"over their time: {', '.join(slow) or 'none'}\nover 1.2 of SQL by hand: {', '.join(over) or 'none'}")
    if options.json:
        print(json.dumps({**figures, "slow": slow, "over_ratio": over}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
