"""Parts that chDB has merged stay while a power cut could need them, then go without many threads."""

import os
from pathlib import Path

from tests.support.processes.program import poll_until
from trackyard.analytics.engine.connection import Analytics

PARTS = 120
"""More than the 100 from which on chDB would remove them with threads that stay, each with three open files."""


def test_merged_parts_replace_a_part_that_a_power_cut_left_without_rows(analytics: Analytics) -> None:
    analytics.run("CREATE TABLE merged (a UInt64) ENGINE = MergeTree ORDER BY a")
    for first in (0, 1_000):
        analytics.run(f"INSERT INTO merged SELECT number + {first} FROM numbers(1000)")
    analytics.run("OPTIMIZE TABLE merged FINAL")
    [(path,)] = analytics.rows("SELECT path FROM system.parts WHERE table = 'merged' AND active", {}, tuple[str])
    analytics.run("DETACH TABLE merged")
    os.truncate(Path(path) / "data.bin", 0)  # as a disk has it that the kernel had not written yet
    analytics.run("ATTACH TABLE merged")
    assert analytics.rows("SELECT count(), sum(a) FROM merged", {}, tuple[int, int]) == [(2_000, 1_999_000)]
    setting = "SELECT value FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime'"
    assert analytics.rows(setting, {}, tuple[str]) == [("60",)], "seconds, in which the kernel writes files"


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
