"""The watch for growth of journals."""

import os
from pathlib import Path

from trackyard.journal.watch import SETTLED_NS, JournalWatcher

NOW_NS = 1_800_000_000_000_000_000


def add_journal(directory: Path, name: str) -> None:
    """Create a file in one tick of the file system: the time of the directory stays the same."""
    (directory / name).touch()
    os.utime(directory, ns=(NOW_NS, NOW_NS))


def test_journal_watch_sees_two_files_of_one_tick(tmp_path: Path) -> None:
    watch = JournalWatcher(tmp_path, now_ns=lambda: NOW_NS)
    add_journal(tmp_path, "1.log")
    first = watch.state()
    add_journal(tmp_path, "2.log")
    assert watch.state() != first


def test_journal_watch_of_a_quiet_directory_reads_sizes_alone(tmp_path: Path) -> None:
    watch = JournalWatcher(tmp_path, now_ns=lambda: NOW_NS + SETTLED_NS + 1)
    add_journal(tmp_path, "1.log")
    first = watch.state()
    add_journal(tmp_path, "2.log")  # no file system would do this
    assert watch.state() == first
    (tmp_path / "1.log").write_bytes(b"record")
    assert watch.state() != first
