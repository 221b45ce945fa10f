"""The faults of a run: drawn from a seed, so that a run can be repeated."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

KILLS: Final = ("kill edge", "kill core", "kill worker", "kill supervisor", "kill all")
STOPS: Final = ("stop edge", "stop core", "stop worker", "stop supervisor")
DISK: Final = "full disk"
RESTART: Final = "restart"
STORES: Final = ("restart postgresql", "restart redis", "refuse clickhouse")
RECEIVER: Final = ("receiver hangs", "receiver resets", "receiver answers 500")
CLOCKS: Final = ("clock ahead", "clock behind", "clock of one process ahead", "clock of one process behind")

LONGEST_S: Final = {"stop": 20.0, "refuse": 60.0, "full": 20.0, "receiver": 30.0, "clock": 30.0}
"""The seconds that a fault lasts in a long run, by the first word of its name."""
_SHARE: Final = 1 / 12
"""A fault lasts this share of a short run."""
_PAUSE_S: Final = 2.0


@dataclass(frozen=True)
class Fault:
    """One fault. at: seconds from the start of the traffic. draw: a number that chooses its target."""

    at: float
    kind: str
    seconds: float
    draw: int


def kinds(stores: bool) -> tuple[Sequence[str], Sequence[str]]:
    """Return faults of processes and stores, and faults of receivers and clocks for the same time."""
    return (*KILLS, *STOPS, DISK, RESTART, *(STORES if stores else ())), (*RECEIVER, *CLOCKS)


def draw_schedule(seed: int, seconds: float, stores: bool) -> tuple[list[Fault], list[Fault]]:
    """Return the faults of both rows, in which each kind comes before a repeat."""
    hard, soft = kinds(stores)
    choose = random.Random(seed)
    return list(_row(choose, hard, seconds)), list(_row(choose, soft, seconds))


def _row(choose: random.Random, names: Sequence[str], seconds: float) -> Iterator[Fault]:
    at, left = choose.uniform(0, _PAUSE_S) + min(3.0, seconds / 20), list[str]()
    while True:
        if not left:
            left = list(names)
            choose.shuffle(left)
        kind = left.pop()
        lasts = min(LONGEST_S.get(kind.split()[0], 0.0), seconds * _SHARE)
        if at + lasts > seconds:
            return
        yield Fault(round(at, 2), kind, round(lasts, 2), choose.randrange(1 << 30))
        # Half of the pauses are too short for a recovery, which a fault then meets half-way.
        at += lasts + choose.choice((choose.uniform(0.2, _PAUSE_S), choose.uniform(_PAUSE_S, 3 * _PAUSE_S)))
