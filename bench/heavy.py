"""`script/bench heavy`: what clicks, small reports and probes wait for while heavy reports run.

The whole program on a data directory of its own that holds millions of clicks, each with another sub. Two keys ask for
slices by sub again and again, as many at once as a key may, while clicks arrive at 200 a second, and a third key asks
for today and for /healthz. In turn with the reports and without them, so that a busy machine slows both
alike. `--nice`: how much less of the processor the process of the reports gets in the third turn.
"""

import os
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from bench.common import data_directory, options_of, print_figures
from tests.support.offer_scenario import OfferScenario, create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, request
from trackyard.analytics.engine.connection import Analytics

CLICKS_S = 200
AT_ONCE = 4


def fill(directory: Path, clicks: int) -> None:
    """Add clicks of the last hour to a stopped program, each with another sub."""
    store = Analytics.open(f"chdb://{directory}/data/analytics")
    since = int(time.time() * 1000) - 3_600_000
    for first in range(0, clicks, 1_000_000):
        store.run(
            "INSERT INTO click (journal, position, id, time, affiliate, offer, sub1, uniq) SELECT 'bench', number, "
            f"concat('0000000001', leftPad(hex(number), 14, '0')), {since} + number % 3600000, 1 + number % 50, "
            f"1 + number % 20, concat('a value of a sub ', toString(number)), 1 FROM numbers({first}, 1000000)"
        )
    store.close()


class Waits:
    """The milliseconds that each kind of request took."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = {"click": [], "small_report": [], "healthz": []}
        self.refused = 0

    @contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        """Measure the time of the block."""
        begun = time.perf_counter()
        yield
        self.of[kind].append((time.perf_counter() - begun) * 1000)

    def figures(self, name: str) -> dict[str, float]:
        """Return median, 99th percentile and maximum of each kind."""
        out: dict[str, float] = {f"small_report_{name}_refused": self.refused}
        for kind, found in self.of.items():
            if len(found) < 2:
                continue
            cuts = statistics.quantiles(found, n=100)
            parts = {"p50": cuts[49], "p99": cuts[98], "max": max(found)}
            out |= {f"{kind}_{name}_{part}_ms": round(value, 2) for part, value in parts.items()}
        return out


def clicks(story: OfferScenario, waits: Waits, until: float) -> None:
    """Send clicks over one connection at their times, or late when answers are late."""
    connection = HTTPConnection("127.0.0.1", story.program.tracking_port, timeout=20)
    due = time.perf_counter()
    while time.perf_counter() < until:
        due += 1 / CLICKS_S
        time.sleep(max(0.0, due - time.perf_counter()))
        with waits.timed("click"):
            connection.request("GET", f"/click?pid={story.affiliate}&offer_id={story.offer}")
            connection.getresponse().read()
    connection.close()


def questions(story: OfferScenario, key: str, waits: Waits, until: float) -> None:
    """Ask for small reports and a probe, with a key without heavy reports."""
    today = period_around_today()["date_to"]
    filters = {"date_from": today, "date_to": today, "offer][": story.offer}
    path = "/3.0/stats/getbydate?" + "&".join(f"filter[{name}]={value}" for name, value in filters.items())
    while time.perf_counter() < until:
        with waits.timed("small_report"):
            answer = request(story.program.api_port, "GET", path, headers={"API-Key": key}, seconds=60)
        waits.refused += answer.status != 200
        with waits.timed("healthz"):
            assert request(story.program.api_port, "GET", "/healthz").status == 200
        time.sleep(0.02)


def heavy(story: OfferScenario, key: str, stop: threading.Event, statuses: list[int]) -> None:
    """Ask for slices by sub until the stop."""
    path = "/3.0/stats/custom?slice[]=sub1&order[]=raw&orderType=desc&" + "&".join(
        f"filter[{name}]={day}" for name, day in period_around_today().items()
    )
    while not stop.is_set():
        answer = request(story.program.api_port, "GET", path, headers={"API-Key": key}, seconds=120)
        statuses.append(answer.status)
        if answer.status != 200:
            stop.wait(0.5)


def turn(story: OfferScenario, key: str, waits: Waits, seconds: float) -> None:
    """Send clicks and small requests for a number of seconds."""
    until = time.perf_counter() + seconds
    both = [
        threading.Thread(target=clicks, args=(story, waits, until)),
        threading.Thread(target=questions, args=(story, key, waits, until)),
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()


@contextmanager
def reports(story: OfferScenario, keys: list[str], statuses: list[int]) -> Iterator[None]:
    """Ask for heavy reports with the keys while the block runs."""
    stop = threading.Event()
    askers = [threading.Thread(target=heavy, args=(story, key, stop, statuses)) for key in keys for _ in range(AT_ONCE)]
    for each in askers:
        each.start()
    time.sleep(2)  # until they are known to be heavy
    yield
    stop.set()
    for each in askers:
        each.join()


def renice(program: RunningProgram, nice: int) -> None:
    """Set the nice value of the process that asks the analytic store."""
    for thread in Path(f"/proc/{program.children()['core']}/task").iterdir():
        os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)


def add_staff(program: RunningProgram, number: int) -> str:
    """Add an administrator; return the API key."""
    named = {"email": f"s{number}@example.org", "password": "long-enough", "first_name": "S", "last_name": "T"}
    user = program.api("POST", "/3.0/admin/user", named | {"roles[]": "ROLE_ADMIN"})["user"]
    return str(program.api("POST", f"/3.0/admin/user/api_key/{user['id']}")["user"]["api_key"])


def measure(directory: Path, rows: int, seconds: float, turns: int, nice: int | None) -> dict[str, Any]:
    """Return the figures.

    seconds: of each turn.
    """
    program = RunningProgram(directory)
    program.start()
    story = create_offer_scenario(program)
    story.await_rules()
    greedy = [add_staff(program, 1), add_staff(program, 2)]
    program.stop()
    fill(directory, rows)
    program.start()
    alone, busy, niced = Waits(), Waits(), Waits()
    statuses: list[int] = []
    for _ in range(turns):
        turn(story, KEY, alone, seconds)
        with reports(story, greedy, statuses):
            turn(story, KEY, busy, seconds)
            if nice is not None:
                renice(program, nice)
                turn(story, KEY, niced, seconds)
                renice(program, 0)
    answers = {str(status): statuses.count(status) for status in sorted(set(statuses))}
    figures = alone.figures("alone") | busy.figures("beside_reports")
    figures |= niced.figures("beside_niced_reports") if nice is not None else {}
    core = Path(f"/proc/{program.children()['core']}/status").read_text()
    program.stop()
    return figures | {"core_peak_mb": int(core.split("VmHWM:")[1].split()[0]) // 1024, "answers_of_reports": answers}


if __name__ == "__main__":
    options = options_of(
        "heavy", __doc__, seconds=8, of="of each turn",
        turns={"type": int, "default": 3},
        clicks={"type": int, "default": 5_000_000, "help": "in the analytic store"},
        nice={"type": int, "help": "a third turn with the process of the reports reniced so; needs root"},
    )  # fmt: skip
    with data_directory() as directory:
        print_figures(measure(directory, options.clicks, options.seconds, options.turns, options.nice), options)
