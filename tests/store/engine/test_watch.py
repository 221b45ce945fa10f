"""Watches that let an idle task look for work only when there may be some."""

import threading
from concurrent.futures import Future
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from sqlalchemy import text

from trackyard.journal.watch import JournalWatcher
from trackyard.store.engine.database import Database
from trackyard.store.engine.watch import MAX_CLOSED_SECONDS, ChangeGate, CommitWatcher


class Now:
    """A clock that is set by hand."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_change_gate_is_closed_while_nothing_changes_and_for_a_second_at_most() -> None:
    now, state = Now(), [1]
    gate = ChangeGate(lambda: state[0], now)
    assert gate.is_open() and gate.is_open(), "the task did not say that it had nothing to do"
    gate.set_idle()
    assert not gate.is_open()
    state[0] = 2
    assert gate.is_open()
    gate.set_idle()
    now.seconds = MAX_CLOSED_SECONDS - 0.01
    assert not gate.is_open()
    now.seconds = MAX_CLOSED_SECONDS
    assert gate.is_open()


def test_change_gate_stays_open_when_something_changes_while_the_task_looks() -> None:
    state = [1]
    gate = ChangeGate(lambda: state[0], Now())
    assert gate.is_open()
    state[0] = 2
    gate.set_idle()
    assert gate.is_open()


def test_commit_watcher_state_changes_with_commits_of_others(sqlite_database: Database) -> None:
    with closing(CommitWatcher(sqlite_database)) as watch:
        before = watch.state()
        assert watch.state() == before
        with sqlite_database.write() as connection:
            connection.execute(text("UPDATE setting SET name = name"))
            connection.execute(text("CREATE TABLE another (id INTEGER)"))
        assert watch.state() != before


def test_journal_watcher_state_changes_with_each_growth_and_each_new_journal(tmp_path: Path) -> None:
    watch, first = JournalWatcher(tmp_path), tmp_path / "001-1700000000000.log"
    states = [watch.state()]
    first.write_bytes(b"1")
    states.append(watch.state())
    with first.open("ab") as journal:
        journal.write(b"2")
    states.append(watch.state())
    first.rename(tmp_path / "001-1700000000000.zst")
    states.append(watch.state())
    assert all(one != other for one, other in pairwise(states))
    assert watch.state() == states[-1]


def test_change_gate_with_unreadable_state_is_open_so_that_the_task_meets_the_fault() -> None:
    def unreadable() -> object:
        raise OSError("the disk is gone")

    gate = ChangeGate(unreadable, Now())
    assert gate.is_open()
    gate.set_idle()
    assert gate.is_open()


def waiting(watch: CommitWatcher, stop: threading.Event) -> Future[None]:
    """Wait in a thread for a commit, and for nothing else."""
    done: Future[None] = Future()

    def wait() -> None:
        watch.wait(stop, 0, 60)
        done.set_result(None)

    threading.Thread(target=wait, daemon=True).start()
    return done


def lookouts() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "commits"]


def test_commit_wakes_all_that_wait_for_it_by_one_thread(sqlite_database: Database) -> None:
    stop, before = threading.Event(), len(lookouts())
    with closing(CommitWatcher(sqlite_database)) as first, closing(CommitWatcher(sqlite_database)) as second:
        for watch in (first, second):
            watch.wait(stop, 0)  # the first time at once
        assert len(lookouts()) == before + 1
        both = [waiting(watch, stop) for watch in (first, second)]
        assert not any(one.done() for one in both)
        with sqlite_database.write() as connection:
            connection.execute(text("CREATE TABLE another (id INTEGER)"))
        for one in both:
            one.result(20)
        both = [waiting(watch, stop) for watch in (first, second)]
        stop.set()
        for one in both:
            one.result(20)
    assert len(lookouts()) == before


def test_commit_while_the_task_worked_is_not_missed(sqlite_database: Database) -> None:
    stop = threading.Event()
    with closing(CommitWatcher(sqlite_database)) as watch, closing(CommitWatcher(sqlite_database)) as other:
        watch.wait(stop, 0)
        other.wait(stop, 0)
        with sqlite_database.write() as connection:
            connection.execute(text("CREATE TABLE another (id INTEGER)"))
        other.wait(stop, 0, 60)  # the commit was seen while `watch` did not wait
        waiting(watch, stop).result(20)
