"""`script/bench light`: set-up, start time, idle processor, memory, disk, and freshness of statistics.

Sets a copy of the program up from warm caches (without --no-set-up): seconds of script/setup, script/compile and the
first start, megabytes of .venv. Then plays the first story against the whole program on a data directory of its own:
seconds from the start to both listeners ready (first, later, after kill -9) and those of the processor until then,
percent of a core and megabytes (PSS) of the idle processes, megabytes of the empty data directory (on the disk, and
of its files), milliseconds from an acknowledged click to its row in a report, from an acknowledged call to the
affiliate's receiver, from one that does nothing, and from one that waits for its click, to what the server postback
log says of it, and from the answer to an edit of an offer to the first click that follows it.

Measure each latency for a few seconds: an address that keeps sending postbacks of unknown clicks exceeds its rate,
and what is over it has no row in the log.
"""

import secrets
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from bench.common import options_of, print_figures
from bench.footprint import disk_mb, idle_percent, processor_seconds, pss_mb, set_up_figures
from tests.support.offer_scenario import OfferScenario, click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, poll_until
from tests.support.processes.receiver import Receiver

_QUIET_S = 70
"""Seconds after the last write until the program is idle: the metrics of offers follow traffic within a minute."""
_IDLE_S = 30


def _ms_to_statistic(story: OfferScenario) -> float:
    before = int(story.figures(KEY)["traffic"]["raw"])
    begun = time.monotonic()
    click_id_of(story.click())
    poll_until(lambda: int(story.figures(KEY)["traffic"]["raw"]) > before, seconds=30, what="the click in a report")
    return (time.monotonic() - begun) * 1000


def _ms_to_postback(story: OfferScenario, receiver: Receiver) -> float:
    click_id = click_id_of(story.click())
    before = len(receiver.requests())
    begun = time.monotonic()
    story.call(click_id)
    poll_until(lambda: len(receiver.requests()) > before, seconds=30, what="the affiliate's postback")
    return (time.monotonic() - begun) * 1000


def _ms_to_log(story: OfferScenario, click_id: str, response: str) -> float:
    """Return the milliseconds until a postback of a click id is in the log."""
    begun = time.monotonic()
    story.call(click_id)

    def is_logged() -> bool:
        asked = period_around_today() | {"click_id": click_id}
        found = story.program.api("GET", "/3.0/stats/serverpostbacks", asked)["postbacks"]
        return [each["response"] for each in found] == [response]

    poll_until(is_logged, seconds=30, what=f"{response} in the log")
    return (time.monotonic() - begun) * 1000


def _ms_to_fault(story: OfferScenario) -> float:
    return _ms_to_log(story, f"{0xF0000000:08x}{secrets.token_hex(8)}", "Broken clickid")  # of a time far away


def _ms_to_waiting(story: OfferScenario) -> float:
    known = click_id_of(story.click())  # of the same edge and second
    return _ms_to_log(story, known[:10] + secrets.token_hex(7), "waiting")


def _ms_to_rule(story: OfferScenario) -> float:
    url = f"https://shop.example/{secrets.token_hex(8)}"
    story.program.api("POST", f"/3.0/admin/offer/{story.offer}", {"url": f"{url}?click={{clickid}}"})
    begun = time.monotonic()
    poll_until(lambda: story.click().headers["location"].startswith(url), seconds=10, what="the edit at the edge")
    return (time.monotonic() - begun) * 1000


def _by_process(name: str, values: dict[str, float]) -> dict[str, float]:
    """Return the figures of each process and their sum."""
    return {name: sum(values.values())} | {
        f"{name}_{process.replace(' ', '_')}": each for process, each in values.items()
    }


def measure(seconds: float) -> dict[str, float]:
    """Return the figures.

    seconds: the limit of each latency measurement.
    """
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name, Receiver() as receiver, ExitStack() as stack:
        program = RunningProgram(Path(name), unique_mb="256")
        stack.callback(program.stop, signal.SIGKILL)
        figures["first_start_s"] = program.start()
        figures["data_directory_disk_mb"], figures["data_directory_files_mb"] = disk_mb(Path(name) / "data")
        story = create_offer_scenario(program, receiver.url("/pb"))
        story.await_rules()
        poll_until(lambda: story.figures(KEY), seconds=10, what="the first click")
        time.sleep(_QUIET_S)  # idle is what is measured
        figures |= _by_process("idle_percent_of_a_core", idle_percent(program, _IDLE_S))
        figures |= _by_process("idle_pss_mb", pss_mb(program))
        kinds: dict[str, Callable[[], float]] = {
            "click_to_statistic": lambda: _ms_to_statistic(story),
            "call_to_postback": lambda: _ms_to_postback(story, receiver),
            "call_to_log": lambda: _ms_to_fault(story),
            "call_to_waiting": lambda: _ms_to_waiting(story),
            "edit_to_click": lambda: _ms_to_rule(story),
        }
        for name, wait in kinds.items():
            values: list[float] = []
            give_up = time.monotonic() + seconds
            while not values or time.monotonic() < give_up:
                values.append(wait())
            figures[f"{name}_median_ms"] = statistics.median(values)
            figures[f"{name}_max_ms"] = max(values)
        program.stop()
        figures["later_start_s"] = program.start()
        figures |= _by_process("later_start_processor_s", processor_seconds(program))
        program.stop(signal.SIGKILL)
        figures["start_after_kill_s"] = program.start()
        program.stop()
    return {name: round(value, 2) for name, value in figures.items()}


if __name__ == "__main__":
    no_set_up = {"action": "store_true", "help": "leave out the set-up of a copy, which takes minutes"}
    options = options_of("light", __doc__, seconds=3, of="of each latency measurement", no_set_up=no_set_up)
    set_up: dict[str, float] = {}
    if not options.no_set_up:
        with tempfile.TemporaryDirectory() as copy:
            set_up = {name: round(value, 2) for name, value in set_up_figures(Path(copy)).items()}
    print_figures(set_up | measure(options.seconds), options)
