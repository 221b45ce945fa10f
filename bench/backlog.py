"""`script/bench backlog`: a start after kill -9 with clicks that are journalled and not loaded yet.

The whole program on a data directory of its own: it is killed, then `--clicks` are written to the journal of its edge,
as edges do while the core is down, and it starts again. `--busy` processes spin meanwhile, as other programs of a busy
machine. Keys: first_healthz_s, first_answer_s (of a list of the API) and first_report_s from the start to the first
good answer, ready_s to both listeners ready, loaded_s to everything loaded; load_rows_s; answer_ms and report_ms,
median, 99th percentile and maximum of what was asked one after the other while the backlog was loaded.
"""

import json
import multiprocessing
import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

from bench.common import data_directory, options_of, print_figures
from tests.support.clicks.backlog import journal_clicks
from tests.support.offer_scenario import OfferScenario, create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, poll_until, request

_LONGEST_S = 1800


class Answers:
    """When the first good answer of each kind came, and how long answers took afterwards."""

    def __init__(self, program: RunningProgram, begun: float) -> None:
        self._program, self._begun = program, begun
        self.first_s: dict[str, float] = {}
        self.waits_ms: dict[str, list[float]] = {}

    def ask(self, kind: str, path: str, stop: threading.Event) -> None:
        """Ask for a path again and again until the stop."""
        while not stop.is_set():
            asked = time.monotonic()
            try:
                status = request(self._program.api_port, "GET", path, headers={"API-Key": KEY}, seconds=120).status
            except (OSError, HTTPException):
                status = 0
            now = time.monotonic()
            if status == 200:
                self.first_s.setdefault(kind, now - self._begun)
                self.waits_ms.setdefault(kind, []).append((now - asked) * 1000)
            stop.wait(0.05)

    def figures(self) -> dict[str, float]:
        """Return the seconds to the first answers, and the milliseconds of all."""
        found = {f"first_{kind}_s": seconds for kind, seconds in self.first_s.items()}
        for kind, waits in self.waits_ms.items():
            cuts = statistics.quantiles([*waits, waits[-1]], n=100)
            found |= {f"{kind}_p50_ms": cuts[49], f"{kind}_p99_ms": cuts[98], f"{kind}_max_ms": max(waits)}
        return found


def _spin() -> None:
    while True:
        pass


@contextmanager
def _busy(number: int) -> Iterator[None]:
    spinning = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(number)]
    for each in spinning:
        each.start()
    try:
        yield
    finally:
        for each in spinning:
            each.kill()
            each.join()


@contextmanager
def _asking(answers: Answers, story: OfferScenario) -> Iterator[None]:
    """Ask for a probe, a list and a report, each on a thread of its own, while the block runs."""
    stop = threading.Event()
    period = "&".join(f"filter[{name}]={day}" for name, day in period_around_today().items())
    paths = {"healthz": "/healthz", "answer": f"/3.0/offer/{story.offer}", "report": f"/3.0/stats/getbydate?{period}"}
    threads = [threading.Thread(target=answers.ask, args=(kind, path, stop)) for kind, path in paths.items()]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        stop.set()
        for each in threads:
            each.join()


def _lag(program: RunningProgram) -> Callable[[], bool]:
    """Return whether the machine reports that everything is loaded."""

    def is_loaded() -> bool:
        answer = request(program.monitoring_port, "GET", "/readyz")
        return float(json.loads(answer.body)["lag_seconds"].get("journal", 1)) < 1

    return is_loaded


def measure(directory: Path, clicks: int, busy: int) -> dict[str, Any]:
    """Return the figures of one start."""
    program = RunningProgram(directory)
    program.start()
    story = create_offer_scenario(program)
    story.await_rules()
    before = int(poll_until(lambda: story.figures(KEY), seconds=30, what="a click")["traffic"]["raw"])
    program.stop(signal.SIGKILL)
    journal_clicks(directory / "data", clicks, offer=story.offer, affiliate=story.affiliate)
    with _busy(busy):
        begun = time.monotonic()
        program.start(ready=False)
        answers = Answers(program, begun)
        with _asking(answers, story):
            poll_until(program.is_ready, seconds=_LONGEST_S, what="both listeners ready")
            ready_s = time.monotonic() - begun
            poll_until(_lag(program), seconds=_LONGEST_S, what="no lag")
            wanted = before + clicks
            poll_until(
                lambda: int(story.figures(KEY)["traffic"]["raw"]) >= wanted, seconds=_LONGEST_S, what="every click"
            )
            loaded_s = time.monotonic() - begun
    program.stop()
    figures = answers.figures() | {"ready_s": ready_s, "loaded_s": loaded_s, "load_rows_s": clicks / loaded_s}
    return {name: round(value, 2) for name, value in figures.items()} | {"clicks": clicks, "busy_processes": busy}


if __name__ == "__main__":
    options = options_of(
        "backlog", __doc__,
        clicks={"type": int, "default": 2_000_000, "help": "journalled and not loaded"},
        busy={"type": int, "default": 0, "help": "processes that spin meanwhile"},
    )  # fmt: skip
    with data_directory() as directory:
        print_figures(measure(directory, options.clicks, options.busy), options)
