"""The rebuild state that every load of the analytic store checks."""

import threading

import pytest

from tests.support.waiting import wait_until
from trackyard.store.engine.database import Database
from trackyard.store.platform import rebuilds
from trackyard.store.platform.rebuilds import NO_REBUILD, RebuildRunning, RebuildStage, RebuildStateChanged

OURS, THEIRS = "a" * 24, "b" * 24


def test_rebuild_gate_moved_rejects_load_commit(database: Database) -> None:
    with database.write() as conn:
        rebuilds.check_rebuild_state(conn, NO_REBUILD)
        gate = rebuilds.begin_rebuild(conn, OURS, 1)
    for stage in (RebuildStage.DUAL_WRITE, RebuildStage.SWAPPING, RebuildStage.SWAPPED):
        before = gate
        with database.write() as conn:
            rebuilds.check_rebuild_state(conn, before)
            gate = rebuilds.move_to_stage(conn, before, stage, 2)
        with pytest.raises(RebuildStateChanged), database.write() as conn:
            rebuilds.check_rebuild_state(conn, before)
        with database.read() as conn:
            assert rebuilds.get_rebuild_state(conn) == gate
        assert (gate.writes_shadow_tables, gate.loading_paused) == (
            stage is RebuildStage.DUAL_WRITE,
            stage is RebuildStage.SWAPPING,
        )
    with pytest.raises(RebuildStateChanged), database.write() as conn:
        rebuilds.check_rebuild_state(conn, NO_REBUILD)  # a whole rebuild went by during one load


def test_rebuild_gate_allows_one_rebuild(database: Database) -> None:
    with database.write() as conn:
        first = rebuilds.begin_rebuild(conn, OURS, 1)
    with pytest.raises(RebuildRunning), database.write() as conn:
        rebuilds.begin_rebuild(conn, THEIRS, 2)
    with database.write() as conn:
        rebuilds.move_to_stage(conn, first, RebuildStage.FAILED, 3)
        second = rebuilds.begin_rebuild(conn, THEIRS, 4)
    assert second.number > first.number
    with pytest.raises(RebuildStateChanged), database.write() as conn:
        rebuilds.move_to_stage(conn, first, RebuildStage.DUAL_WRITE, 5)


def test_rebuild_gate_waits_for_running_load_commits(database: Database) -> None:
    """Loads committed before a stage ends were loaded for that stage."""
    with database.write() as conn:
        gate = rebuilds.begin_rebuild(conn, OURS, 1)
    moved = threading.Event()

    def move() -> None:
        with database.write() as conn:
            rebuilds.move_to_stage(conn, gate, RebuildStage.DUAL_WRITE, 2)
        moved.set()

    thread = threading.Thread(target=move)
    with database.write() as conn:
        rebuilds.check_rebuild_state(conn, gate)
        thread.start()
        assert not moved.wait(0.3)
    wait_until(moved.is_set)
    thread.join()
