"""`script/bench exports`: what a row of a file costs the processor, and how much memory a file takes.

Clicks (one of 50 converted) and as many conversions, over two days, made as for `script/bench stats`; each list is
asked for as CSV and as Parquet, each file in a process of its own that asks the API without a socket. Keys, for each
list and form: …_rows_s (by the clock), …_us (microseconds of the processor a row, of all threads), …_peak_mb (memory
beyond what the process took before the file), …_bytes (of the file, a row).
"""

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
from sqlalchemy import text

from bench.stats_data import Size, add_clicks, add_facts, each_conversion
from bench.stats_people import forget_people, write_people
from tests.support.api import Api, installed
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import migrate
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade

_DAYS = 2
_LISTS = ("clicks", "conversions")
_FORMS = ("csv", "parquet")


@contextmanager
def _opened(directory: Path) -> Iterator[Api]:
    """An installation over the data, with the people that it names."""
    database = Database(f"sqlite:///{directory}/trackyard.db")
    upgrade(database)
    analytics = Analytics.open(f"chdb://{directory}/analytics")
    migrate(analytics)
    forget_people(database)
    api = installed(database, analytics)
    write_people(api)
    yield api
    analytics.close()
    database.close()


def fill(directory: Path, rows: int) -> None:
    """Makes so many clicks that are not refused, and nearly as many conversions."""
    clicks = rows * 12 // 11 + 12
    with _opened(directory) as api:
        analytics = api.deps.analytics
        add_clicks(analytics, Size(clicks, 1, _DAYS))
        add_facts(analytics, Size(clicks, rows // 50, _DAYS))
        for day in each_conversion(analytics, Size(clicks, rows, _DAYS)):
            names, values = (", ".join(f"{mark}{name}" for name in day[0]) for mark in ("", ":"))
            with api.deps.database.write() as conn:
                conn.execute(text(f"INSERT INTO conversion ({names}) VALUES ({values})"), day)
        analytics.run("OPTIMIZE TABLE click FINAL")


class Answer:
    """What is sent of a file, and what the process takes meanwhile."""

    def __init__(self) -> None:
        self.size = self.rows = self.peak = 0
        self._process = psutil.Process()
        self._asked = [b""]
        self._ended = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        """The request, then nothing until all is sent."""
        if self._asked:
            return {"type": "http.request", "body": self._asked.pop()}
        await self._ended.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        """Takes a piece."""
        self.size += len(message.get("body", b""))
        self.peak = max(self.peak, self._process.memory_info().rss)
        if message["type"] == "http.response.start":
            assert message["status"] == 200, message
            self.rows = int(dict(message["headers"])[b"x-total-count"])
        elif not message.get("more_body"):
            self._ended.set()


def _processor() -> float:
    """Seconds of the processor that this process has had, the kernel's for it included."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _ask(api: Api, name: str, form: str) -> Answer:
    first, last = (time.strftime("%Y-%m-%d", time.gmtime(Size(1, 1, days).since / 1000)) for days in (_DAYS, 1))
    query = urlencode({"date_from": first, "date_to": last, "format": form}).encode()
    scope = {
        "type": "http", "method": "GET", "path": f"/3.1/stats/{name}", "query_string": query, "root_path": "",
        "headers": [(b"api-key", str(api.admin._key).encode())], "client": ("127.0.0.1", 1), "server": ("t", 1),
        "state": {},
    }  # fmt: skip

    async def call() -> Answer:
        answer = Answer()
        await api.app(scope, answer.receive, answer.send)
        return answer

    return asyncio.run(call())


def _one(directory: Path, name: str, form: str) -> dict[str, float]:
    """The figures of one file."""
    with _opened(directory) as api:
        before, used, begun = psutil.Process().memory_info().rss, _processor(), time.perf_counter()
        answer = _ask(api, name, form)
        took, spent = time.perf_counter() - begun, _processor() - used
    of = f"{name}_{form}"
    return {
        f"{of}_rows": answer.rows,
        f"{of}_rows_s": round(answer.rows / took),
        f"{of}_us": round(spent * 1e6 / answer.rows, 2),
        f"{of}_peak_mb": (answer.peak - before) >> 20,
        f"{of}_bytes": round(answer.size / answer.rows, 1),
    }


def measure(directory: Path, rows: int) -> dict[str, float]:
    """The figures of every list and form."""
    figures: dict[str, float] = {}

    def alone(work: Any, *given: Any) -> Any:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            return process.submit(work, directory, *given).result()

    if not (directory / "trackyard.db").exists():
        alone(fill, rows)
    for name, form in product(_LISTS, _FORMS):
        figures |= alone(_one, name, form)
    return figures


def main() -> int:
    """Measure exports."""
    parser = argparse.ArgumentParser(prog="script/bench exports", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="clicks, and conversions")
    parser.add_argument("--directory", type=Path, help="where the data is, and stays")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object on the last line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ty-bench-") as made:
        directory = options.directory or Path(made)
        directory.mkdir(parents=True, exist_ok=True)
        figures = measure(directory, options.rows)
    for name, value in figures.items():
        print(f"{name:>28} {value}")
    if options.json:
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
