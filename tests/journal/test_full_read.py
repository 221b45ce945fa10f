"""A journal read from its beginning."""

from pathlib import Path

import pytest

from trackyard.base.clock import ManualClock
from trackyard.journal import segments
from trackyard.journal.reader import each_part
from trackyard.journal.records import RecordKind
from trackyard.journal.segments import Gap
from trackyard.journal.writer import JournalWriter

PAYLOADS = [b"[%d]" % number * (number % 7 + 1) for number in range(50)]


@pytest.fixture
def name(tmp_path: Path) -> str:
    """A sealed journal of 50 records."""
    clock = ManualClock(1_700_000_000_000)
    writer = JournalWriter(tmp_path, 1, clock)
    for number, payload in enumerate(PAYLOADS):
        writer.append(RecordKind.CLICK, payload)
        if number % 10 == 9:
            writer.write_checkpoint(clock.now_ms())
    made = writer.name
    writer.close()
    return made


def _read(directory: Path, name: str, end: int, step: int) -> tuple[list[tuple[int, bytes]], list[Gap]]:
    records: list[tuple[int, bytes]] = []
    gaps: list[Gap] = []
    for part in each_part(directory, name, end, step=step):
        records += [(position, payload) for position, kind, payload in part.records if kind == RecordKind.CLICK]
        gaps += part.gaps
    return records, gaps


@pytest.mark.parametrize("step", [1, 3, 13, 64, 1000, 10**6])
def test_journal_read_from_start_is_independent_of_step_size(tmp_path: Path, name: str, step: int) -> None:
    end = segments.end_of(tmp_path, name)
    records, gaps = _read(tmp_path, name, end, step)
    assert ([payload for _, payload in records], gaps) == (PAYLOADS, [])
    some, _ = _read(tmp_path, name, records[20][0], step)
    assert some == records[:20]


@pytest.mark.parametrize("step", [5, 64, 10**6])
@pytest.mark.parametrize("damaged", [[0], [7], [7, 8], [7, 20], [48, 49]])
def test_journal_read_from_start_reports_damaged_gaps(tmp_path: Path, name: str, step: int, damaged: list[int]) -> None:
    end = segments.end_of(tmp_path, name)
    whole, _ = _read(tmp_path, name, end, 10**6)
    path = segments.log_path(tmp_path, name)
    data = bytearray(path.read_bytes())
    for place in damaged:
        data[whole[place][0] + 12] ^= 0xFF
    path.write_bytes(data)
    records, gaps = _read(tmp_path, name, end, step)
    assert records == [each for place, each in enumerate(whole) if place not in damaged]
    for place, (position, _) in enumerate(whole):
        assert any(gap.start <= position < gap.end for gap in gaps) == (place in damaged)


def test_journal_read_from_start_reports_missing_end_as_gap(tmp_path: Path, name: str) -> None:
    end = segments.end_of(tmp_path, name)
    whole, _ = _read(tmp_path, name, end, 10**6)
    with segments.log_path(tmp_path, name).open("r+b") as file:
        file.truncate(whole[30][0] + 4)
    records, gaps = _read(tmp_path, name, end, 64)
    assert (records, gaps[-1].end) == (whole[:30], end)
    assert min(gap.start for gap in gaps) == whole[30][0]


def test_journal_read_from_start_without_file_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(each_part(tmp_path, "001-1700000000000", 10))
