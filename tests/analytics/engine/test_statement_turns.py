"""chDB runs few statements at once, so that its threads and open files do not grow with a burst of work."""

import threading
from pathlib import Path

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.statement_turns import MOST_AT_ONCE, StatementTurns


def test_statements_beyond_the_most_wait_for_their_turn() -> None:
    turns, seen = StatementTurns(most=2, longest_wait_s=60), list[int]()
    running, lock = 0, threading.Lock()

    def run() -> None:
        nonlocal running
        with turns.turn():
            with lock:
                running += 1
                seen.append(running)
            with turns.turn():  # within another one
                pass
            with lock:
                running -= 1

    threads = [threading.Thread(target=run) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(seen) == 20 and max(seen) <= 2


def test_statement_that_waits_long_runs_all_the_same() -> None:
    turns, done = StatementTurns(most=1, longest_wait_s=0.01), list[bool]()

    def run() -> None:
        with turns.turn():
            done.append(True)

    with turns.turn():
        other = threading.Thread(target=run)
        other.start()
        other.join(10)
    assert done == [True]


def test_open_files_of_chdb_do_not_grow_with_bursts_of_statements(analytics: Analytics) -> None:
    def burst() -> int:
        threads = [threading.Thread(target=ask) for _ in range(4 * MOST_AT_ONCE)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    def ask() -> None:
        assert analytics.rows("SELECT sum(number) FROM numbers_mt(200000)", {}, tuple[int])

    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    assert max(burst() for _ in range(3)) < before + 12 * MOST_AT_ONCE
    assert len(analytics._open) <= MOST_AT_ONCE + 2
