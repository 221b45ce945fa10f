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
import time
from collections.abc import Callable
from contextlib import ExitStack
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from bench.common import ask_body, data_directory, open_analytics, open_sqlite, options_of, print_figures
from bench.stats_data import DAY_MS, Size, add_clicks, add_facts, add_lookup, each_conversion
from bench.stats_people import forget_people, write_people
from bench.stats_questions import LISTS, REPORTS, Listed, Question
from tests.support.api import Api, installed
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.load import CATCH_UP_BATCH, load, lookup_item
from trackyard.analytics.reports.clicks import find_records
from trackyard.store.engine.database import Database

Ask = Callable[[], Any]


def fill(directory: Path, size: Size, lookup_days: int) -> None:
    """Make the data unless a previous run did."""
    if (directory / "whole").exists():
        return
    with open_sqlite(directory), open_analytics(directory, limits=_LIMITS) as analytics:
        _fill(directory, analytics, size, lookup_days)
    (directory / "whole").touch()


def _fill(directory: Path, analytics: Analytics, size: Size, lookup_days: int) -> None:
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
    """Wait until the engine has no merges for three seconds."""
    quiet = 0
    while quiet < 3:
        [(running,)] = analytics.rows("SELECT count() FROM system.merges", {}, tuple[int])
        quiet = 0 if running else quiet + 1
        time.sleep(1)


class Bench:
    """The stores, the API over them, and the figures."""

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
        """Close the stores."""
        self.analytics.close()
        self.database.close()

    def call(self, path: str, params: dict[str, Any], affiliate: int = 0) -> Any:
        """Return the body of an answer of 200."""
        key = self.keys[affiliate] if affiliate else self.api.admin._key or ""
        body = asyncio.run(ask_body(self.api.app, path, urlencode(params, doseq=True), key))
        return json.loads(body, parse_float=Decimal)

    def by_hand(self, sql: str, *, free: bool) -> list[Any]:
        """Return the rows of a statement; `free`: it may use projections."""
        return self.analytics.rows(f"SELECT * FROM ({sql} SETTINGS optimize_use_projections = {int(free)})", {}, list)

    def chill(self) -> None:
        """Empty the caches for the next question."""
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
        """Measure a question once cold, then hot, in turn with the compared ones."""
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
        """Measure a report after a comparison of its rows."""
        ask = partial(self.call, question.path, question.request(), question.affiliate)
        raw, free = (partial(self.by_hand, question.sql(), free=free) for free in (False, True))
        _compare(question, ask(), raw())
        self.measure(question.name, ask, question.limit_ms, {"raw": raw, "free": free})

    def listed(self, question: Listed) -> None:
        """Measure a page of a list."""
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
        """Measure one conversion by id, and a thousand clicks of the look-up."""
        page = self.call("/3.1/stats/conversions", {"date_from": "2023-10-20", "date_to": "2023-10-20", "limit": 1})
        [conversion] = page["conversions"]
        ask = partial(self.call, "/3.1/stats/conversionsbyid", {"id": conversion["id"]})
        self.measure("conversion_by_id", ask, 20, {})
        sql = "SELECT lower(hex(id)) FROM click_lookup ORDER BY cityHash64(id) LIMIT 1000"
        ids = [row[0] for row in self.analytics.rows(sql, {}, tuple[str])]
        assert len(find_records(self.analytics, ids)) == 1000
        self.measure("lookup_1000", partial(find_records, self.analytics, ids), 150, {})

    def loading(self, rows: int) -> None:
        """Measure the load of journal lines into another database."""
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
    """Raise AssertionError when the answer differs from the SQL by hand."""
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
    """Return the figures, the slow questions, and those over the ratio."""
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


if __name__ == "__main__":
    options = options_of(
        "stats", __doc__, seconds=120, of="for the questions, in all",
        clicks={"type": int, "default": 100_000_000},
        conversions={"type": int, "default": 2_000_000},
        days={"type": int, "default": 90},
        lookup_days={"type": int, "default": 90, "help": "days of clicks in the look-up, at least 30"},
        load={"type": int, "default": 1_000_000, "help": "lines to load; 0 = none"},
        directory={"type": Path, "help": "where the data is, and stays"},
    )  # fmt: skip
    with data_directory(options.directory) as directory:
        figures, slow, over = measure(options, directory)
    print(f"over their time: {', '.join(slow) or 'none'}\nover 1.2 of SQL by hand: {', '.join(over) or 'none'}")
    print_figures({**figures, "slow": slow, "over_ratio": over}, options)
