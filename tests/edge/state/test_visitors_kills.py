"""Growth of the file of visitors by several processes, some of them killed meanwhile."""

import fcntl
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import pytest

from trackyard.decision.visitor.visitor import VisitorKey
from trackyard.edge.state import visitors_file
from trackyard.edge.state.unique import UniqueVisitors

pytestmark = pytest.mark.chaos

NOW = 1_700_000_000
FIRST = 8 * 1024
SIZE = 64 * FIRST
SPAWN = multiprocessing.get_context("spawn")


def visitor(number: int) -> VisitorKey:
    return number, 1


def claim(visitors: UniqueVisitors, number: int) -> bool:
    return visitors.claim(1, visitor(number), "", NOW, f"{number:024x}") is not None


def count_seen(visitors: UniqueVisitors, end: int) -> int:
    """Count who is known both by the address and by the cookie."""
    return sum(
        visitors.seen(1, visitor(each), "", NOW) and visitors.seen(1, (-each, 2), f"{each:024x}", NOW)
        for each in range(end)
    )


def open_small(path: Path, *, shared: bool = False) -> UniqueVisitors:
    return UniqueVisitors(path, size=SIZE, shared=shared)


class Process:
    """A process that runs `work(path, connection)`."""

    def __init__(self, work: Callable[[Path, "Connection[Any, Any]"], None], path: Path) -> None:
        self.connection, other = SPAWN.Pipe()
        self.process = SPAWN.Process(target=run, args=(work, path, other), daemon=True)
        self.process.start()
        other.close()

    def receive(self) -> Any:
        assert self.connection.poll(60), "no answer within 60 s"
        return self.connection.recv()

    def kill(self) -> None:
        self.process.kill()
        self.end()

    def end(self) -> None:
        self.process.join(60)
        self.process.close()
        self.connection.close()


def run(work: Callable[[Path, "Connection[Any, Any]"], None], path: Path, connection: "Connection[Any, Any]") -> None:
    visitors_file.FIRST_SIZE = FIRST  # type: ignore[misc]  # this process has no other tests
    work(path, connection)
    connection.close()


@pytest.fixture(autouse=True)
def _small_first_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", FIRST)


# --- a kill at every step of a growth ------------------------------------------------------------------------

STEPS = ((fcntl, "flock"), (os, "pread"), (os, "fstatvfs"), (os, "ftruncate"), (os, "posix_fallocate"), (os, "pwrite"))


def die_at(step: int) -> None:
    """Kill this process before the call number `step` of those that growth consists of."""
    left = [step]

    def wrapped(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object) -> object:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return call(*arguments)

        return called

    for module, name in STEPS:
        setattr(module, name, wrapped(name, getattr(module, name)))


def kill_at_each_step(path: Path, connection: "Connection[Any, Any]") -> None:
    """Send for each step: whether the process was killed, what was seen, segments; then of the whole."""
    step, killed = 0, True
    while killed:
        file = path.with_name(f"visitors-{step}.map")
        with closing(open_small(file)) as visitors:
            visitors.set_loaded()
            added = 0
            while visitors.segments == 1 and added < 250:
                added += claim(visitors, added)
        child = os.fork()
        if not child:
            visitors = open_small(file)
            die_at(step)
            visitors.grow(1, NOW)
            visitors.refresh()
            os._exit(0)
        killed = os.waitpid(child, 0)[1] == signal.SIGKILL
        with closing(open_small(file)) as visitors:
            fresh, seen = visitors.fresh, count_seen(visitors, added)
            for each in range(added, 1000):
                claim(visitors, each)
            connection.send((killed, fresh, seen == added, count_seen(visitors, 1000), visitors.segments))
        step += 1


def test_visitors_survive_kill_at_every_step_of_growth(tmp_path: Path) -> None:
    process, steps = Process(kill_at_each_step, tmp_path / "visitors.map"), 0
    killed = True
    while killed:
        killed, fresh, all_seen, seen_later, segments = process.receive()
        assert not fresh
        assert all_seen
        assert (seen_later, segments) == (1000, 2), "the file grows after it"
        steps += 1
    process.end()
    assert steps > 8, "growth consists of at least so many calls"


# --- several processes ---------------------------------------------------------------------------------------


def claim_all(path: Path, connection: "Connection[Any, Any]") -> None:
    with closing(open_small(path, shared=True)) as visitors:
        connection.send("ready")
        connection.recv()
        new = [number for number in range(3500) if claim(visitors, number)]
        connection.send((new, visitors.take_dropped(), visitors.segments, count_seen(visitors, 3500)))


def test_visitors_are_new_in_one_of_three_processes_while_file_grows(tmp_path: Path) -> None:
    processes = [Process(claim_all, tmp_path / "visitors.map") for _ in range(3)]
    assert [each.receive() for each in processes] == ["ready"] * 3
    for each in processes:
        each.connection.send("go")
    results = [each.receive() for each in processes]
    for each in processes:
        each.end()
    assert sorted(number for new, *_ in results for number in new) == list(range(3500))
    assert [result[1:] for result in results] == [(0, 3, 3500)] * 3


def test_visitors_that_another_process_added_after_growth_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "visitors.map"
    with closing(open_small(path, shared=True)) as one, closing(open_small(path, shared=True)) as other:
        other.grow(1, NOW)
        assert other.refresh()
        assert claim(other, 1)
        assert one.segments == 1
        assert one.seen(1, visitor(1), "", NOW)
        assert one.segments == 2
        other.grow(2, NOW)
        assert other.refresh()
        assert claim(other, 2)
        assert not claim(one, 2)
        taken = other.claim(1, visitor(3), "", NOW)
        assert taken is not None
        other.roll_back(taken)
        assert claim(one, 3)
    with closing(open_small(path, shared=True)) as one, closing(open_small(path, shared=True)) as other:
        assert one.claim(1, (5, 5), f"{2:024x}", NOW, f"{9:024x}") is None, "known by the cookie"


def claim_on(path: Path, connection: "Connection[Any, Any]") -> None:
    """Claim visitors from a number on, and send each number that is claimed."""
    with closing(open_small(path, shared=True)) as visitors:
        number = connection.recv()
        while number < 4000:
            for each in range(number, number + 20):
                claim(visitors, each)
            number += 20
            connection.send(number)
        connection.send(sys.maxsize)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)])
def test_visitors_survive_kill_9_of_processes_that_add_them(tmp_path: Path, seed: int) -> None:
    path, chance = tmp_path / "visitors.map", Random(seed)
    with closing(open_small(path)) as visitors:
        visitors.set_loaded()
    known = kills = 0
    while known < 4000:
        processes = [Process(claim_on, path) for _ in range(2)]
        for each in processes:
            each.connection.send(known)
        more, last = chance.randrange(300, 1300), 0
        while last < known + more:
            last = processes[0].receive()
        for each in processes:
            each.kill()
        kills += 1
        known = min(last, 4000)
        with closing(open_small(path, shared=True)) as visitors:
            assert not visitors.fresh
            # Not by the cookie: a click that was killed gave none, and what it claimed counts as seen.
            assert [number for number in range(known) if claim(visitors, number)] == []
    assert kills > 2
    with closing(open_small(path)) as visitors:
        assert visitors.segments == 3
