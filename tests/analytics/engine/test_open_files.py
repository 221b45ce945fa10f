"""The open files of chDB do not follow its busiest moment: each of its threads has three and stays."""

from pathlib import Path

from tests.support.processes.program import poll_until
from trackyard.analytics.engine.connection import Analytics

PARTS = 120
"""More than the 100 parts from which on chDB would remove them with many threads."""


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_parts_that_are_removed_at_once_leave_no_open_files(analytics: Analytics) -> None:
    def is_removed() -> bool:
        return analytics.rows("SELECT count() FROM system.parts WHERE table = 'part'", {}, tuple[int]) == [(0,)]

    soon = "old_parts_lifetime = 0, cleanup_delay_period = 0, max_cleanup_delay_period = 1"
    analytics.run(f"CREATE TABLE part (a UInt64) ENGINE = MergeTree PARTITION BY a ORDER BY a SETTINGS {soon}")
    analytics.run(f"INSERT INTO part SELECT number FROM numbers({PARTS}) SETTINGS max_partitions_per_insert_block = 0")
    before = open_files()
    analytics.run("TRUNCATE TABLE part")
    poll_until(is_removed, seconds=30, what="removed parts")
    assert open_files() < before + PARTS
