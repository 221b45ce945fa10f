"""Writer and reader together: acknowledged records stay, a repeat is the same, damage stays local."""

import errno
import os
from pathlib import Path

import pytest

from trackyard.base.clock import ManualClock
from trackyard.journal import frames, segments
from trackyard.journal.reader import OffsetRange, next_range
from trackyard.journal.records import Checkpoint, RecordKind, encode
from trackyard.journal.writer import EdgeNumberTaken, JournalFull, JournalUnwritable, JournalWriter

START = 1_700_000_000_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


def each_range(directory: Path, edge: int = 1) -> list[OffsetRange]:
    found: list[OffsetRange] = []
    place: tuple[str | None, int] = (None, 0)
    while (item := next_range(directory, edge, *place)) is not None:
        found.append(item)
        place = (item.journal, item.end)
    return found


def payloads(ranges: list[OffsetRange]) -> list[bytes]:
    return [payload for item in ranges for _, _, payload in item.frames]


def write_marked(directory: Path, clock: ManualClock, records: list[bytes], edge: int = 1) -> JournalWriter:
    writer = JournalWriter(directory, edge, clock)
    append_marked(writer, clock, *records)
    return writer


def append_marked(writer: JournalWriter, clock: ManualClock, *records: bytes) -> None:
    for record in records:
        writer.append(RecordKind.CLICK, record)
    clock.advance(400)
    writer.write_checkpoint_if_due(clock.now_ms())


def flip(directory: Path, name: str, at: int) -> int:
    """Damage the byte `at` of a journal; return the size of the journal."""
    path = segments.log_path(directory, name)
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)
    return len(data)


def test_journal_records_are_read_with_positions(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    positions = [writer.append(RecordKind.CLICK, b"[1]"), writer.append(RecordKind.POSTBACK, b"[2]")]
    assert next_range(tmp_path, 1, None, 0) is None
    clock.advance(400)
    writer.write_checkpoint_if_due(clock.now_ms())
    found = next_range(tmp_path, 1, None, 0)
    assert found is not None
    assert found.frames == [(positions[0], RecordKind.CLICK, b"[1]"), (positions[1], RecordKind.POSTBACK, b"[2]")]
    assert (found.journal, found.start, found.checkpoint_at, found.gaps) == (writer.name, 0, START + 400, [])
    assert next_range(tmp_path, 1, found.journal, found.end) is None
    writer.close()


def test_journal_reader_catching_up_merges_checkpoints(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    ends = []
    for number in range(5):
        append_marked(writer, clock, b"[%d]" % number)
        ends.append(each_range(tmp_path)[-1].end)
    writer.append(RecordKind.CLICK, b"[5]")
    all_marked = next_range(tmp_path, 1, writer.name, 0, records=10_000)
    assert all_marked is not None
    assert payloads([all_marked]) == [b"[0]", b"[1]", b"[2]", b"[3]", b"[4]"]
    assert (all_marked.checkpoints, all_marked.end, all_marked.checkpoint_at) == (5, ends[4], START + 5 * 400)
    three = next_range(tmp_path, 1, writer.name, 0, records=3)
    assert three is not None and (three.end, payloads([three])) == (ends[2], [b"[0]", b"[1]", b"[2]"])
    assert next_range(tmp_path, 1, writer.name, 0, until=ends[2]) == three
    assert next_range(tmp_path, 1, writer.name, ends[2], records=10_000) == next_range(
        tmp_path, 1, writer.name, ends[2], until=ends[4]
    )
    writer.close()


def test_journal_reader_ends_merged_range_before_damage(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[0]"])
    for number in range(1, 4):
        append_marked(writer, clock, b"[%d]" % number)
    writer.close()
    flip(tmp_path, writer.name, segments.log_path(tmp_path, writer.name).read_bytes().index(b"[2]"))
    sound = next_range(tmp_path, 1, writer.name, 0, records=10_000)
    assert sound is not None and (payloads([sound]), sound.checkpoints, sound.gaps) == ([b"[0]", b"[1]"], 2, [])
    damaged = next_range(tmp_path, 1, writer.name, sound.end, records=10_000)
    assert damaged is not None and (payloads([damaged]), damaged.checkpoints, len(damaged.gaps)) == ([], 1, 1)
    rest = next_range(tmp_path, 1, writer.name, damaged.end, records=10_000)
    assert rest is not None and (payloads([rest]), rest.gaps) == ([b"[3]"], [])


def test_journal_idle_gets_checkpoint_every_five_seconds(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    for _ in range(101):
        clock.advance(100)
        writer.write_checkpoint_if_due(clock.now_ms())
    found = each_range(tmp_path)
    assert [item.checkpoint_at for item in found] == [START + 5000, START + 10000]
    assert payloads(found) == []
    writer.close()


def test_journal_batch_is_at_most_ten_thousand_records(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    for _ in range(10_001):
        writer.append(RecordKind.CLICK, b"[]")
    assert [len(item.frames) for item in each_range(tmp_path)] == [10_000]
    writer.close()


def test_journal_clean_stop_writes_checkpoint_and_closes_segment(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    writer.append(RecordKind.CLICK, b"[1]")
    clock.advance(7)
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[1]"]
    seal = segments.find_segment_end(tmp_path, writer.name)
    assert seal is not None
    assert (seal.end, seal.sealed_at, seal.gaps) == (
        segments.log_path(tmp_path, writer.name).stat().st_size,
        START + 7,
        [],
    )


def test_journal_rotation_continues_in_next_segment(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock, rotate_at=2000)
    records = [b"[%d]" % number for number in range(400)]
    for record in records:
        writer.append(RecordKind.CLICK, record)
    writer.close()
    ranges = each_range(tmp_path)
    assert payloads(ranges) == records
    names = segments.list_journals(tmp_path, 1)
    assert len(names) > 2
    assert [item.journal for item in ranges] == names
    assert len({segments.start_of(name) for name in names}) == len(names)


def test_journal_torn_tail_loses_only_torn_record(tmp_path: Path, clock: ManualClock) -> None:
    last = frames.pack(RecordKind.CLICK, b'["torn"]')
    for cut in range(len(last)):
        directory = tmp_path / str(cut)
        writer = write_marked(directory, clock, [b"[1]"])
        writer.append(RecordKind.CLICK, b"[2]")
        name = writer.name
        abandon(writer)
        with segments.log_path(directory, name).open("ab") as file:
            file.write(last[:cut])
        assert payloads(each_range(directory)) == [b"[1]"], "an unsealed end is not an end"
        clock.advance(1)
        JournalWriter(directory, 1, clock).close()
        ranges = each_range(directory)
        assert payloads(ranges) == [b"[1]", b"[2]"]
        assert [gap for item in ranges for gap in item.gaps] == []
        assert ranges[1].checkpoint_at == clock.now_ms(), "without a checkpoint it is the time of the end"


def test_journal_bytes_after_last_whole_record_are_quarantined(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]"])
    abandon(writer)
    path = segments.log_path(tmp_path, writer.name)
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"what is this")
    JournalWriter(tmp_path, 1, clock).close()
    assert (tmp_path / "damaged" / f"{writer.name}-{size}-{size + 12}.bin").read_bytes() == b"what is this"
    assert payloads(each_range(tmp_path)) == [b"[1]"]


@pytest.mark.parametrize("seal", [b"", bytes(40), b"{}", b'{"end": "far"}'])
def test_journal_damaged_segment_footer_is_rebuilt(tmp_path: Path, clock: ManualClock, seal: bytes) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    writer.append(RecordKind.CLICK, b"[1]")
    writer.close()
    whole = segments.find_segment_end(tmp_path, writer.name)
    assert whole is not None
    (tmp_path / f"{writer.name}.sealed").write_bytes(seal)
    assert payloads(each_range(tmp_path)) == [b"[1]"]
    JournalWriter(tmp_path, 1, clock).close()
    again = segments.find_segment_end(tmp_path, writer.name)
    assert again is not None and again.end == whole.end
    assert payloads(each_range(tmp_path)) == [b"[1]"]


def test_journal_flipped_byte_costs_one_record(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b'["first"]', b'["second"]', b'["third"]'])
    path = segments.log_path(tmp_path, writer.name)
    good = path.read_bytes()
    size = len(frames.pack(1, b'["first"]'))
    for place in range(size, size + len(frames.pack(1, b'["second"]'))):
        damaged = bytearray(good)
        damaged[place] ^= 0x41
        path.write_bytes(damaged)
        ranges = each_range(tmp_path)
        assert payloads(ranges) == [b'["first"]', b'["third"]'], place
        assert ranges[0].gaps == [segments.Gap(size, size + len(frames.pack(1, b'["second"]')))]
    kept = tmp_path / "damaged" / f"{writer.name}-{size}-{ranges[0].gaps[0].end}.bin"
    assert len(kept.read_bytes()) == ranges[0].gaps[0].end - size
    writer.close()


def test_journal_damage_before_last_good_frame_is_listed_in_footer(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]", b"[2]"])
    writer.append(RecordKind.CLICK, b"[3]")
    name = writer.name
    abandon(writer)
    size = flip(tmp_path, name, 0)
    JournalWriter(tmp_path, 1, clock).close()
    seal = segments.find_segment_end(tmp_path, name)
    assert seal is not None
    assert seal.end == size
    assert seal.gaps == [segments.Gap(0, len(frames.pack(1, b"[1]")))]
    assert payloads(each_range(tmp_path)) == [b"[2]", b"[3]"]


def test_journal_damage_at_closed_end_is_a_gap(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    writer.append(RecordKind.CLICK, b"[1]")
    writer.close()
    size = flip(tmp_path, writer.name, -1)
    (found,) = each_range(tmp_path)
    assert found.end == size
    assert found.gaps == [segments.Gap(len(frames.pack(1, b"[1]")), size)]


def test_journal_damaged_checkpoint_merges_two_batches(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]"])
    at = len(frames.pack(1, b"[1]"))
    append_marked(writer, clock, b"[2]")
    flip(tmp_path, writer.name, at + 3)
    assert [payloads([item]) for item in each_range(tmp_path)] == [[b"[1]", b"[2]"]]
    writer.close()


def test_journal_two_readers_get_same_ranges(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock, rotate_at=30_000)
    early: list[OffsetRange] = []
    place: tuple[str | None, int] = (None, 0)
    for number in range(3000):
        writer.append(RecordKind.CLICK, b'["%d"]' % number)
        clock.advance(number % 50)
        writer.write_checkpoint_if_due(clock.now_ms())
        if number % 7 == 0 and (item := next_range(tmp_path, 1, *place)) is not None:
            early.append(item)
            place = (item.journal, item.end)
    writer.close()
    late = each_range(tmp_path)
    assert early == late[: len(early)]
    assert len(early) > 50
    assert len(payloads(late)) == 3000


def test_journal_batch_larger_than_first_read_is_one_range(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    for _ in range(400):
        writer.append(RecordKind.POSTBACK, b'["' + b"x" * 10_000 + b'"]')
    writer.close()
    assert [len(item.frames) for item in each_range(tmp_path)] == [400]


def test_journal_edges_are_separate(tmp_path: Path, clock: ManualClock) -> None:
    writers = [write_marked(tmp_path, clock, [b"[%d]" % edge], edge) for edge in (1, 2)]
    assert segments.list_edges(tmp_path) == [1, 2]
    assert payloads(each_range(tmp_path, 2)) == [b"[2]"]
    for writer in writers:
        writer.close()


def test_journal_second_writer_of_an_edge_is_rejected(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    with pytest.raises(EdgeNumberTaken):
        JournalWriter(tmp_path, 1, clock)
    writer.append(RecordKind.CLICK, b"[1]")
    writer.close()
    JournalWriter(tmp_path, 1, clock).close()
    assert payloads(each_range(tmp_path)) == [b"[1]"]


def test_journal_order_survives_clock_set_back(tmp_path: Path, clock: ManualClock) -> None:
    write_marked(tmp_path, clock, [b"[1]"]).close()
    clock.advance(-86_400_000)
    write_marked(tmp_path, clock, [b"[2]"]).close()
    assert payloads(each_range(tmp_path)) == [b"[1]", b"[2]"]


def test_journal_missing_segment_is_skipped(tmp_path: Path, clock: ManualClock) -> None:
    first = write_marked(tmp_path, clock, [b"[1]"])
    first.close()
    write_marked(tmp_path, clock, [b"[2]"]).close()
    segments.log_path(tmp_path, first.name).unlink()
    found = next_range(tmp_path, 1, first.name, 999)
    assert found is not None
    assert payloads([found]) == [b"[2]"]


class LimitedDisk:
    """A disk that takes `room` more bytes, at most `most` in one write."""

    def __init__(self, room: int, most: int = 1_000_000) -> None:
        self.room = room
        self.most = most
        self._write = os.write

    def write(self, descriptor: int, content: bytes) -> int:
        count = min(self.room, self.most, len(content))
        if count == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= count
        return self._write(descriptor, content[:count])


@pytest.mark.parametrize("room", range(14))
def test_journal_full_disk_leaves_no_partial_record(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]"])
    path = segments.log_path(tmp_path, writer.name)
    size = path.stat().st_size
    disk = LimitedDisk(room)
    monkeypatch.setattr("trackyard.journal.writer.os.write", disk.write)
    with pytest.raises(JournalFull):
        writer.append(RecordKind.CLICK, b'["too much"]')
    assert path.stat().st_size == size
    disk.room = 1_000_000
    assert writer.append(RecordKind.CLICK, b"[2]") == size
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[1]", b"[2]"]


def test_journal_buffered_records_are_written_together(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    path = segments.log_path(tmp_path, writer.name)
    for number in range(3):
        writer.put(RecordKind.CLICK, b"[%d]" % number)
    assert path.stat().st_size == 0
    writer.flush()
    writer.flush()
    writer.put(RecordKind.CLICK, b"[3]")
    writer.append(RecordKind.POSTBACK, b"[4]")
    writer.put(RecordKind.CLICK, b"[5]")
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[%d]" % number for number in range(6)]


def test_journal_full_disk_writes_all_buffered_records_or_none(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    disk = LimitedDisk(room=20)
    monkeypatch.setattr("trackyard.journal.writer.os.write", disk.write)
    writer.put(RecordKind.CLICK, b"[1]")
    writer.put(RecordKind.CLICK, b"[2]")
    with pytest.raises(JournalFull):
        writer.flush()
    disk.room = 100_000
    writer.put(RecordKind.CLICK, b"[3]")
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[3]"]


def test_journal_short_writes_are_completed(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackyard.journal.writer.os.write", LimitedDisk(100_000, most=3).write)
    write_marked(tmp_path, clock, [b'["a long record"]', b"[2]"]).close()
    assert payloads(each_range(tmp_path)) == [b'["a long record"]', b"[2]"]


def test_journal_full_disk_at_segment_end_is_reported_and_recovered(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = JournalWriter(tmp_path, 1, clock, rotate_at=50)
    records = [b"[%d]" % number for number in range(8)]
    for record in records:
        writer.append(RecordKind.CLICK, record)

    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("trackyard.journal.segments.write_durably", full)
        for _ in range(2):
            with pytest.raises(JournalFull):
                writer.sync()
    writer.append(RecordKind.CLICK, b"[8]")
    writer.sync()
    *ended, _ = segments.list_journals(tmp_path, 1)
    assert len(ended) == 2
    assert all(segments.find_segment_end(tmp_path, name) for name in ended)
    writer.close()
    assert payloads(each_range(tmp_path)) == [*records, b"[8]"]


def test_journal_full_segment_is_left_at_once_and_closed_by_next_sync(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock, rotate_at=50)
    for number in range(3):
        writer.append(RecordKind.CLICK, b'["%040d"]' % number)
    first = segments.list_journals(tmp_path, 1)[0]
    assert segments.find_segment_end(tmp_path, first) is None
    assert writer.name != first
    assert len(payloads(each_range(tmp_path))) == 1, "an unsealed end is not an end"
    writer.sync()
    assert segments.find_segment_end(tmp_path, first) is not None
    assert len(payloads(each_range(tmp_path))) == 2
    writer.close()


def test_journal_kill_before_segment_is_closed_loses_nothing(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock, rotate_at=50)
    records = [b'["%040d"]' % number for number in range(5)]
    for record in records:
        writer.append(RecordKind.CLICK, record)
    for ended in writer._unclosed:
        os.close(ended.descriptor)
    abandon(writer)
    clock.advance(1)
    JournalWriter(tmp_path, 1, clock).close()
    assert payloads(each_range(tmp_path)) == records


def test_journal_sync_covers_segment_left_meanwhile(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written before the call is on the disk after it, wherever the writer has got to."""
    writer = JournalWriter(tmp_path, 1, clock, rotate_at=50)
    writer.append(RecordKind.POSTBACK, b'["%040d"]' % 0)
    first = writer.name
    fdatasync, synced = os.fdatasync, list[str]()

    def slow(descriptor: int) -> None:
        if not synced:  # the other thread continues
            writer.append(RecordKind.POSTBACK, b'["%040d"]' % 1)
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().stem)
        fdatasync(descriptor)

    monkeypatch.setattr("trackyard.journal.writer.os.fdatasync", slow)
    writer.sync()
    assert writer.name != first
    assert synced == [first, first]
    assert segments.find_segment_end(tmp_path, first) is not None
    writer.sync()
    assert synced[2:] == [writer.name]
    writer.close()


def test_journal_failing_sync_raises(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    writer.append(RecordKind.POSTBACK, b"[1]")
    assert writer.dirty
    writer.sync()
    assert not writer.dirty

    def broken(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("trackyard.journal.writer.os.fdatasync", broken)
        with pytest.raises(JournalUnwritable):
            writer.sync()
    writer.close()


def test_journal_checkpoint_has_record_count(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]", b"[2]"])
    data = segments.log_path(tmp_path, writer.name).read_bytes()
    assert data.endswith(frames.pack(RecordKind.CHECKPOINT, encode(Checkpoint(START + 400, 2))))
    writer.close()


def abandon(writer: JournalWriter) -> None:
    """What a kill leaves: the descriptors closed, no mark, no seal."""
    os.close(writer._descriptor)
    os.close(writer._lock)
