"""`script/bench exports`: what a row of a file costs the processor, and how much memory a file takes.

Clicks (one of 50 converted) and as many conversions, over two days, made as for `script/bench stats`; each list is
asked for as CSV and as Parquet, each file in a process of its own that asks the API without a socket. Keys, for each
list and form: …_rows_s (by the clock), …_us (microseconds of the processor a row, of all threads), …_peak_mb (memory
beyond what the process took before the file), …_bytes (of the file, a row).
"""

import asyncio
import resource
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
from starlette.types import Message

from bench.common import ask, data_directory, open_analytics, open_sqlite, options_of, print_figures
from bench.stats_data import Size, add_clicks, add_facts, each_conversion
from bench.stats_people import forget_people, write_people
from tests.support.api import Api, installed

_DAYS = 2
_LISTS = ("clicks", "conversions")
_FORMS = ("csv", "parquet")


@contextmanager
def _opened(directory: Path) -> Iterator[Api]:
    """Open an installation over the data, with its people."""
    with open_sqlite(directory) as database, open_analytics(directory) as analytics:
        forget_people(database)
        api = installed(database, analytics)
        write_people(api)
        yield api


def fill(directory: Path, rows: int) -> None:
    """Make as many accepted clicks as rows, and nearly as many conversions."""
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
    """The size of a file, and the memory of the process while it is sent."""

    def __init__(self) -> None:
        self.size = self.rows = self.peak = 0
        self._process = psutil.Process()

    def take(self, message: Message) -> None:
        """Measure one message of the answer."""
        self.size += len(message.get("body", b""))
        self.peak = max(self.peak, self._process.memory_info().rss)
        if message["type"] == "http.response.start":
            assert message["status"] == 200, message
            self.rows = int(dict(message["headers"])[b"x-total-count"])


def _processor() -> float:
    """Return the processor seconds of this process, with the kernel's."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _ask(api: Api, name: str, form: str) -> Answer:
    first, last = (time.strftime("%Y-%m-%d", time.gmtime(Size(1, 1, days).since / 1000)) for days in (_DAYS, 1))
    query = urlencode({"date_from": first, "date_to": last, "format": form})
    answer = Answer()
    asyncio.run(ask(api.app, f"/3.1/stats/{name}", query, api.admin._key, answer.take))
    return answer


def _one(directory: Path, name: str, form: str) -> dict[str, float]:
    """Return the figures of one file."""
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
    """Return the figures of every list and form."""
    figures: dict[str, float] = {}

    def alone(work: Any, *given: Any) -> Any:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            return process.submit(work, directory, *given).result()

    if not (directory / "trackyard.db").exists():
        alone(fill, rows)
    for name, form in product(_LISTS, _FORMS):
        figures |= alone(_one, name, form)
    return figures


if __name__ == "__main__":
    options = options_of(
        "exports", __doc__,
        rows={"type": int, "default": 200_000, "help": "clicks, and conversions"},
        directory={"type": Path, "help": "where the data is, and stays"},
    )  # fmt: skip
    with data_directory(options.directory) as directory:
        print_figures(measure(directory, options.rows), options)
