"""How loading yields to requests."""

import threading

from tests.support.waiting import wait_until
from trackyard.jobs.loading.pace import LoadPace


class PacedLoad:
    """A load on a clock of its own. busy_until: requests run before this second."""

    def __init__(self, busy_until: float = 0.0) -> None:
        self.now, self.busy_until = 0.0, busy_until
        self.pace = LoadPace(lambda: self.now < self.busy_until, clock=lambda: self.now, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def piece(self, seconds: float) -> float:
        """Load a piece of so many seconds; return the seconds that it waited before."""
        asked = self.now
        with self.pace.turn():
            begun = self.now
            self.now += seconds
        return begun - asked


def test_pace_without_requests_waits_for_nothing() -> None:
    load = PacedLoad()
    assert [load.piece(1.0) for _ in range(3)] == [0, 0, 0]


def test_pace_waits_until_no_request_runs() -> None:
    load = PacedLoad()
    load.piece(4.0)
    load.busy_until = 4.5
    assert 0.5 <= load.piece(1.0) < 0.52


def test_pace_under_endless_requests_keeps_two_thirds_of_the_time() -> None:
    load = PacedLoad(busy_until=float("inf"))
    waits = [load.piece(seconds) for seconds in (1.0, 3.0, 0.5)]
    assert [round(wait, 1) for wait in waits] == [0.0, 0.5, 1.5]


def test_pace_loads_one_piece_at_a_time_while_requests_run() -> None:
    busy = True
    pace = LoadPace(lambda: busy)
    second_began, first_ends = threading.Event(), threading.Event()

    def first() -> None:
        with pace.turn():
            first_began.set()
            first_ends.wait(10)

    def second() -> None:
        with pace.turn():
            second_began.set()

    first_began = threading.Event()
    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert first_began.wait(10)
    threads[1].start()
    assert not second_began.wait(0.1)
    first_ends.set()
    wait_until(second_began.is_set)
    for thread in threads:
        thread.join()
