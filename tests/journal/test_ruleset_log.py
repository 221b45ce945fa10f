"""The rules on their way to the edges."""

from pathlib import Path

import msgspec
import pytest

from trackyard.domain.tracking.ruleset import RulesetAffiliate
from trackyard.journal import frames, ruleset_log
from trackyard.journal.ruleset_log import RulesetEntry, RulesetLogReader, RulesetLogWriter, RulesetSnapshot


def entry(version: int, key: int = 1) -> RulesetEntry:
    return RulesetEntry(version, "affiliate", str(key), msgspec.msgpack.encode(RulesetAffiliate(id=key)))


def test_ruleset_log_unpublished_is_empty(tmp_path: Path) -> None:
    assert RulesetLogReader(tmp_path / "absent").poll() is None
    assert RulesetLogWriter(tmp_path).version == 0


def test_ruleset_log_reader_gets_snapshot_then_changes(tmp_path: Path) -> None:
    writer = RulesetLogWriter(tmp_path)
    reader = RulesetLogReader(tmp_path)
    writer.replace([entry(1), entry(2, 2)], 5)
    writer.append([entry(6)])
    assert reader.poll() == RulesetSnapshot(5, [entry(1), entry(2, 2)])
    assert reader.poll() == [entry(6)]
    assert reader.poll() is None
    gone = RulesetEntry(7, "affiliate", "1", None)
    writer.append([gone, entry(8)])
    assert reader.poll() == [gone, entry(8)]
    assert reader.version == writer.version == 8


def test_ruleset_log_empty_snapshot_is_valid(tmp_path: Path) -> None:
    writer = RulesetLogWriter(tmp_path)
    writer.replace([], 0)
    reader = RulesetLogReader(tmp_path)
    assert reader.poll() == RulesetSnapshot(0, [])
    writer.append([entry(1)])
    assert reader.poll() == [entry(1)]


def test_ruleset_log_new_snapshot_replaces_reader_state(tmp_path: Path) -> None:
    writer = RulesetLogWriter(tmp_path)
    writer.replace([entry(1)], 1)
    reader = RulesetLogReader(tmp_path)
    reader.poll()
    writer.append([entry(2)])
    writer.replace([entry(2)], 2)
    assert reader.poll() == RulesetSnapshot(2, [entry(2)])
    assert reader.poll() is None
    writer.append([entry(3)])
    assert reader.poll() == [entry(3)]


def test_ruleset_log_skips_entries_already_in_snapshot(tmp_path: Path) -> None:
    writer = RulesetLogWriter(tmp_path)
    writer.replace([], 1)
    writer.append([entry(2), entry(3)])
    log = (tmp_path / "rules.log").read_bytes()
    writer.replace([entry(2)], 2)
    (tmp_path / "rules.log").write_bytes(log)  # the moment between the two renames
    reader = RulesetLogReader(tmp_path)
    assert reader.poll() == RulesetSnapshot(2, [entry(2)])
    assert reader.poll() == [entry(3)]


@pytest.mark.parametrize("cut", range(1, len(frames.pack(2, msgspec.msgpack.encode(entry(3))))))
def test_ruleset_log_torn_end_is_truncated_to_last_whole_entry(tmp_path: Path, cut: int) -> None:
    writer = RulesetLogWriter(tmp_path)
    writer.replace([], 1)
    writer.append([entry(2), entry(3)])
    log = tmp_path / "rules.log"
    log.write_bytes(log.read_bytes()[:-cut])
    reader = RulesetLogReader(tmp_path)
    reader.poll()
    assert reader.poll() == [entry(2)]
    again = RulesetLogWriter(tmp_path)
    assert again.version == 2
    again.append([entry(3)])
    polled = [item for item in (reader.poll(), reader.poll()) if item]
    assert entry(3) in polled[0]


def test_ruleset_log_damaged_or_foreign_snapshot_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RulesetLogWriter(tmp_path).replace([entry(1)], 4)
    path = tmp_path / "rules.snapshot"
    good = path.read_bytes()
    path.write_bytes(good[:-1])
    assert RulesetLogReader(tmp_path).poll() is None
    assert RulesetLogWriter(tmp_path).version == 0
    path.write_bytes(good)
    monkeypatch.setattr(ruleset_log, "SCHEMA_VERSION", -1)
    assert RulesetLogReader(tmp_path).poll() is None
    assert RulesetLogWriter(tmp_path).version == 0
