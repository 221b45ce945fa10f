"""`script/soak`: clicks, conversions, reports, edits and restarts, and whether anything grows.

The whole program on a data directory of its own, at half of the rate that saturates it (`--rate` names another). The
first quarter of the time has the restarts: `kill -9` of the core, the worker and an edge, then a stop and start of all.
The rest is undisturbed, and each process is judged on it, without its first fifth, in which caches fill. At the end
clicks stop, the queues must drain, and what was acknowledged must be counted once.

It fails when the memory of a process (anonymous, its own) or its descriptors grow (bench/judgement.py says how), when
the disk at the end has over a quarter more than the first half predicts, when a queue does not drain in
`--drain` seconds, when readiness said something that requests disproved, or when counts differ.
"""

import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from bench.common import data_directory, options_of, print_figures
from bench.judgement import is_predicted, judge
from bench.soak_samples import Samples, lag_of, today
from bench.soak_traffic import POSTBACK_EVERY, Load, saturated_rate
from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram, WaitTimeout, poll_until, request
from tests.support.processes.receiver import Receiver

LOOK_S: Final = 5.0
DISK_LOOKS: Final = 6
"""One look of so many also measures the disk."""
MEMORY_SHARE: Final = 0.04
MEMORY_FLOOR_MB: Final = 4.0
"""Growth of memory up to this share, or these megabytes, is none."""
DESCRIPTORS_FLOOR: Final = 5.0
DISK_WITHIN: Final = 0.25
_RESTARTS: Final = ("core", "worker", "edge 0", "all")


class Soak:
    """One run. minutes: of traffic; rate: clicks a second."""

    def __init__(self, program: RunningProgram, load: Load, minutes: float) -> None:
        self._program, self._load, self._seconds = program, load, minutes * 60
        self.samples = Samples(program, load)
        self.restarts: dict[str, float] = {}
        self.judged_from = 0.0

    def run(self) -> None:
        """Load the program for the time, and restart its parts in the first quarter."""
        begun = time.monotonic()
        due = [begun + self._seconds * (place + 1) / 20 for place in range(len(_RESTARTS))]
        self.judged_from = begun + self._seconds / 4
        looks = 0
        while (now := time.monotonic()) < begun + self._seconds:
            if due and now >= due[0]:
                del due[0]
                self._restart(_RESTARTS[len(self.restarts)])
            self.samples.look(restarting=False)
            if looks % DISK_LOOKS == 0 and now >= self.judged_from:
                self.samples.look_at_disk()
            looks += 1
            time.sleep(max(0.0, now + LOOK_S - time.monotonic()))  # the rhythm of looks

    def _restart(self, what: str) -> None:
        begun = time.monotonic()
        if what == "all":
            self._program.stop()
            self._program.start(ready=False)
        else:
            self._program.kill(what)
        self.samples.look(restarting=True)
        poll_until(self._program.is_ready, seconds=120, what=f"ready after the restart of {what}")
        self.restarts[what] = round(time.monotonic() - begun, 1)

    def judged(self) -> dict[str, dict[str, Any]]:
        """Return the growth of each process that lived through the undisturbed time."""
        found = {}
        for life in self.samples.lives.values():
            since = self.judged_from + (self._seconds * 3 / 4) / 5
            memory = [one for one in life.memory if one[0] >= since]
            descriptors = [one for one in life.descriptors if one[0] >= since]
            if not memory:
                continue
            floor = max(MEMORY_FLOOR_MB, MEMORY_SHARE * memory[0][1])
            for name, series, least in (("mb", memory, floor), ("descriptors", descriptors, DESCRIPTORS_FLOOR)):
                grown = judge(series, floor=least)
                if grown is not None:
                    found[f"{life.role} {name}"] = asdict(grown)
        return found

    def memory_curves(self) -> dict[str, list[int]]:
        """Return the lowest megabytes of each minute, of the last life of each process."""
        curves: dict[str, list[int]] = {}
        for life in self.samples.lives.values():
            minutes: dict[int, float] = {}
            for at, megabytes in life.memory:
                minute = int(at - life.memory[0][0]) // 60
                minutes[minute] = min(megabytes, minutes.get(minute, megabytes))
            curves[life.role] = [round(each) for each in minutes.values()]
        return curves


def _drain(program: RunningProgram, seconds: float) -> float | None:
    """Return the seconds until no queue has work that waits, None when that takes too long."""
    begun, lag = time.monotonic(), lag_of(program)
    try:
        poll_until(lambda: lag() < 1, seconds=seconds, what="empty queues")
    except WaitTimeout:
        return None
    return time.monotonic() - begun


def _faults(soak: Soak, figures: dict[str, Any]) -> list[str]:
    """Return what is wrong, in sentences."""
    samples = soak.samples
    faults = [f"{name} grows by {each['grown']:.1f}" for name, each in figures["growth"].items() if each["leaks"]]
    if not figures["growth"]:
        faults.append("nothing could be judged: too short, or no process lived through it")
    if not figures["disk_as_predicted"]:
        faults.append(f"the disk has {figures['disk_mb']} MB instead of {figures['disk_predicted_mb']}")
    if figures["drained_s"] is None:
        faults.append("the queues did not drain")
    faults += samples.dishonest[:5]
    clicks, counted = figures["clicks"], figures["clicks_counted"]
    if counted < clicks:
        faults.append(f"{clicks} clicks were acknowledged and {counted} are counted")
    if figures["conversions_counted"] != figures["postbacks"]:
        faults.append(f"{figures['postbacks']} postbacks were acknowledged, {figures['conversions_counted']} counted")
    return faults


def _count_all(load: Load, before: int, seconds: float) -> tuple[int, int]:
    """Return what is counted when it is all that was acknowledged, or after some seconds.

    Queues that have less than a second of work may still have the last clicks. before: clicks counted before the load.
    """
    give_up = time.monotonic() + seconds
    while True:
        clicks, conversions = _count(load)
        if (clicks - before >= load.clicks and conversions >= load.calls) or time.monotonic() > give_up:
            return clicks, conversions
        time.sleep(0.5)


def _count(load: Load) -> tuple[int, int]:
    """Return the clicks and conversions that statistics count."""
    path = f"/3.0/stats/getbydate?{today()}"
    answer = request(load.story.program.api_port, "GET", path, headers={"API-Key": KEY}, seconds=60)
    rows = answer.json["stats"]
    return sum(int(row["traffic"]["raw"]) for row in rows), sum(row["actions"]["total"]["count"] for row in rows)


def measure(directory: Path, minutes: float, rate: float | None, probe_s: float, drain_s: float) -> dict[str, Any]:
    """Return the figures of a run, with `faults`."""
    with Receiver() as receiver:
        program = RunningProgram(directory, report_seconds="60")
        program.start()
        story = create_offer_scenario(program, receiver.url("/pb?click={clickid}"))
        story.await_rules()
        poll_until(lambda: story.figures(KEY), seconds=60, what="a click")
        before = int(story.figures(KEY)["traffic"]["raw"])
        try:
            with Load(story, rate or 0.0) as load:
                saturated = None if rate else saturated_rate(load, probe_s, lag_of(program))
                load.rate = rate or (saturated or 0.0) / 2
                soak = Soak(program, load, minutes)
                soak.run()
            drained_s = _drain(program, drain_s)
            counted, conversions = _count_all(load, before, drain_s)
            figures = _figures(soak, load, saturated) | {
                "drained_s": None if drained_s is None else round(drained_s, 1),
                "clicks_counted": counted - before,
                "conversions_counted": conversions,
                "delivered": len({each.query["click"] for each in receiver.requests()}),
            }
        finally:
            program.stop()
    return figures | {"faults": _faults(soak, figures)}


def _figures(soak: Soak, load: Load, saturated: float | None) -> dict[str, Any]:
    samples = soak.samples
    predicted, disk, as_predicted = is_predicted(samples.disk, within=DISK_WITHIN)
    growth = soak.judged()
    return {
        "saturated_clicks_s": None if saturated is None else round(saturated),
        "clicks_s": round(load.rate, 1),
        "clicks": load.clicks,
        "postbacks": load.calls,
        "postback_every": POSTBACK_EVERY,
        "asked": load.asked,
        "refused": load.failed,
        "restarts_s": soak.restarts,
        "growth": {
            name: {key: value if isinstance(value, bool) else round(value, 2) for key, value in each.items()}
            for name, each in growth.items()
        },
        "memory_mb_by_minute": soak.memory_curves(),
        "disk_mb": round(disk, 1),
        "disk_predicted_mb": round(predicted, 1),
        "disk_as_predicted": as_predicted,
        "bytes_a_click": round(
            (disk - samples.disk[0][1]) * 2**20 / max(1.0, samples.disk[-1][0] - samples.disk[0][0])
        ),
        "longest_lags_s": {name: round(lag, 1) for name, lag in samples.lags.items()},
        "looks": samples.looks,
        "not_ready": samples.away,
        "dishonest": samples.dishonest,
        "load_average": [round(each, 1) for each in os.getloadavg()],
    }


if __name__ == "__main__":
    options = options_of(
        "soak", __doc__,
        minutes={"type": float, "default": 30.0, "help": "of traffic"},
        rate={"type": float, "help": "clicks a second; by default half of what saturates the program"},
        probe={"type": float, "default": 15.0, "help": "seconds in which the saturated rate is looked for"},
        drain={"type": float, "default": 120.0, "help": "seconds in which the queues must drain"},
        data={"type": Path, "help": "a directory that stays; by default a temporary one"},
    )  # fmt: skip
    with data_directory(options.data) as directory:
        found = measure(directory, options.minutes, options.rate, options.probe, options.drain)
        print_figures(found, options)
    for fault in found["faults"]:
        print(f"FAULT {fault}", file=sys.stderr)
    sys.exit(1 if found["faults"] else 0)
