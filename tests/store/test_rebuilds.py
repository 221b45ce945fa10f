"""The gate that every load of the analytic store passes."""

import threading

import pytest

from tests.support.waiting import wait_until
from trackyard.store.engine.database import Database
from trackyard.store.platform import rebuilds
from trackyard.store.platform.rebuilds import NO_GATE, GateMoved, RebuildRuns, Stage

OURS, THEIRS = "a" * 24, "b" * 24


def test_a_load_that_saw_another_gate_is_not_committed(database: Database) -> None:
    with database.write() as conn:
        rebuilds.check_gate(conn, NO_GATE)
        gate = rebuilds.begin(conn, OURS, 1)
    for stage in (Stage.DOUBLING, Stage.SWAPPING, Stage.SWAPPED):
        before = gate
        with database.write() as conn:
            rebuilds.check_gate(conn, before)
            gate = rebuilds.move(conn, before, stage, 2)
        with pytest.raises(GateMoved), database.write() as conn:
            rebuilds.check_gate(conn, before)
        with database.read() as conn:
            assert rebuilds.find_gate(conn) == gate
        assert (gate.doubles, gate.closed) == (stage is Stage.DOUBLING, stage is Stage.SWAPPING)
    with pytest.raises(GateMoved), database.write() as conn:
        rebuilds.check_gate(conn, NO_GATE)  # a whole rebuild went by during one load


def test_one_rebuild_at_a_time(database: Database) -> None:
    with database.write() as conn:
        first = rebuilds.begin(conn, OURS, 1)
    with pytest.raises(RebuildRuns), database.write() as conn:
        rebuilds.begin(conn, THEIRS, 2)
    with database.write() as conn:
        rebuilds.move(conn, first, Stage.FAILED, 3)
        second = rebuilds.begin(conn, THEIRS, 4)
    assert second.number > first.number
    with pytest.raises(GateMoved), database.write() as conn:
        rebuilds.move(conn, first, Stage.DOUBLING, 5)


def test_the_gate_waits_for_loads_that_are_being_committed(database: Database) -> None:
    """What is committed before the gate moves is all that was loaded for it as it was."""
    with database.write() as conn:
        gate = rebuilds.begin(conn, OURS, 1)
    moved = threading.Event()

    def move() -> None:
        with database.write() as conn:
            rebuilds.move(conn, gate, Stage.DOUBLING, 2)
        moved.set()

    thread = threading.Thread(target=move)
    with database.write() as conn:
        rebuilds.check_gate(conn, gate)
        thread.start()
        assert not moved.wait(0.3)
    wait_until(moved.is_set)
    thread.join()
