"""Work of many owners for many hosts, done by a few threads."""

import threading

import pytest

from tests.support.waiting import wait_until
from trackyard.base.fair_work import AT_ONCE, FairWork

Piece = tuple[str, str]
"""An owner and a host."""


class Queue:
    """Pieces that are due, of which those for `slow.example` take until the test ends."""

    def __init__(self, *due: Piece) -> None:
        self.due, self.begun, self.done = list(due), list[Piece](), list[Piece]()
        self.go, self.lock = threading.Event(), threading.Lock()
        self.work = FairWork(lambda: [*self.due], lambda piece: piece, self.do)

    def do(self, piece: Piece) -> None:
        """Do a piece."""
        with self.lock:
            self.due.remove(piece)
            self.begun.append(piece)
        if piece[1].startswith("slow"):
            assert self.go.wait(60)
        self.done.append(piece)


class Failures:
    """The failures of a thread."""

    def __init__(self) -> None:
        self.of = list[str]()

    def failed(self, error: Exception) -> float:
        """Keep a failure."""
        self.of.append(str(error))
        return 0.0

    def worked(self) -> None:
        """Do nothing."""


def started(queue: Queue, stop: threading.Event) -> threading.Thread:
    """Start the threads of a queue."""
    thread = threading.Thread(target=queue.work.run, args=(stop, "work", 0.01, Failures))
    thread.start()
    return thread


def test_piece_that_takes_long_delays_its_owner_and_host_alone() -> None:
    slow, others = ("ann", "slow.example"), [("bob", "a.example"), ("cid", "b.example"), ("bob", "c.example")]
    queue = Queue(slow, ("ann", "d.example"), ("dan", "slow.example"), *others)
    stop = threading.Event()
    thread = started(queue, stop)
    wait_until(lambda: len(queue.done) == len(others))
    assert (sorted(queue.done), queue.begun.count(slow)) == (sorted(others), 1)
    assert sorted(queue.due) == [("ann", "d.example"), ("dan", "slow.example")]
    queue.go.set()
    wait_until(lambda: not queue.due and len(queue.done) == 6)
    stop.set()
    thread.join()


def test_as_many_pieces_run_at_once_as_may() -> None:
    queue = Queue(*((f"owner {number}", f"slow{number}.example") for number in range(AT_ONCE + 2)))
    stop = threading.Event()
    thread = started(queue, stop)
    wait_until(lambda: len(queue.begun) == AT_ONCE)
    assert (queue.done, len(queue.due)) == ([], 2)
    queue.go.set()
    wait_until(lambda: len(queue.done) == AT_ONCE + 2)
    stop.set()
    thread.join()


def test_failure_frees_owner_and_host() -> None:
    queue = Queue(("ann", "a.example"))
    queue.due.append(("ann", "b.example"))
    fail = iter([True, False])

    def do(piece: Piece) -> None:
        if next(fail):
            raise RuntimeError("no answer")
        queue.do(piece)

    work = FairWork(lambda: [*queue.due], lambda piece: piece, do)
    with pytest.raises(RuntimeError):
        work.do_one()
    assert work.do_one() and queue.done == [("ann", "a.example")]
