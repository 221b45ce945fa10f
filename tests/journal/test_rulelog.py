"""The rules on their way to the edges."""

from pathlib import Path

import msgspec
import pytest

from trackyard.domain.tracking.ruleset import Affiliate
from trackyard.journal import frames, ruleset_log
from trackyard.journal.ruleset_log import Entry, RuleLogReader, RuleLogWriter, Snapshot


def entry(version: int, key: int = 1) -> Entry:
    return Entry(version, "affiliate", str(key), msgspec.msgpack.encode(Affiliate(id=key, active=True)))


def test_nothing_published_is_nothing(tmp_path: Path) -> None:
    assert RuleLogReader(tmp_path / "absent").poll() is None
    assert RuleLogWriter(tmp_path).version == 0


def test_a_reader_gets_the_snapshot_then_what_changed(tmp_path: Path) -> None:
    writer = RuleLogWriter(tmp_path)
    reader = RuleLogReader(tmp_path)
    writer.replace([entry(1), entry(2, 2)], 5)
    writer.append([entry(6)])
    assert reader.poll() == Snapshot(5, [entry(1), entry(2, 2)])
    assert reader.poll() == [entry(6)]
    assert reader.poll() is None
    gone = Entry(7, "affiliate", "1", None)
    writer.append([gone, entry(8)])
    assert reader.poll() == [gone, entry(8)]
    assert reader.version == writer.version == 8


def test_an_empty_snapshot_counts(tmp_path: Path) -> None:
    writer = RuleLogWriter(tmp_path)
    writer.replace([], 0)
    reader = RuleLogReader(tmp_path)
    assert reader.poll() == Snapshot(0, [])
    writer.append([entry(1)])
    assert reader.poll() == [entry(1)]


def test_a_new_snapshot_replaces_what_a_reader_knows(tmp_path: Path) -> None:
    writer = RuleLogWriter(tmp_path)
    writer.replace([entry(1)], 1)
    reader = RuleLogReader(tmp_path)
    reader.poll()
    writer.append([entry(2)])
    writer.replace([entry(2)], 2)
    assert reader.poll() == Snapshot(2, [entry(2)])
    assert reader.poll() is None
    writer.append([entry(3)])
    assert reader.poll() == [entry(3)]


def test_entries_already_in_the_snapshot_are_not_told_again(tmp_path: Path) -> None:
    writer = RuleLogWriter(tmp_path)
    writer.replace([], 1)
    writer.append([entry(2), entry(3)])
    log = (tmp_path / "rules.log").read_bytes()
    writer.replace([entry(2)], 2)
    (tmp_path / "rules.log").write_bytes(log)  # the moment between the two renames
    reader = RuleLogReader(tmp_path)
    assert reader.poll() == Snapshot(2, [entry(2)])
    assert reader.poll() == [entry(3)]


@pytest.mark.parametrize("cut", range(1, len(frames.pack(2, msgspec.msgpack.encode(entry(3))))))
def test_a_torn_log_goes_back_to_the_last_whole_entry(tmp_path: Path, cut: int) -> None:
    writer = RuleLogWriter(tmp_path)
    writer.replace([], 1)
    writer.append([entry(2), entry(3)])
    log = tmp_path / "rules.log"
    log.write_bytes(log.read_bytes()[:-cut])
    reader = RuleLogReader(tmp_path)
    reader.poll()
    assert reader.poll() == [entry(2)]
    again = RuleLogWriter(tmp_path)
    assert again.version == 2
    again.append([entry(3)])
    told = [item for item in (reader.poll(), reader.poll()) if item]
    assert entry(3) in told[0]


def test_a_snapshot_of_another_schema_or_a_damaged_one_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RuleLogWriter(tmp_path).replace([entry(1)], 4)
    path = tmp_path / "rules.snapshot"
    good = path.read_bytes()
    path.write_bytes(good[:-1])
    assert RuleLogReader(tmp_path).poll() is None
    assert RuleLogWriter(tmp_path).version == 0
    path.write_bytes(good)
    monkeypatch.setattr(ruleset_log, "SCHEMA", -1)
    assert RuleLogReader(tmp_path).poll() is None
    assert RuleLogWriter(tmp_path).version == 0
