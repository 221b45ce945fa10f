"""Writer and reader together: nothing acknowledged is lost, a repeat is the same, damage costs only itself."""

import errno
import os
from pathlib import Path

import pytest

from trackyard.base.clock import ManualClock
from trackyard.journal import frames, segments
from trackyard.journal.reader import Range, next_range
from trackyard.journal.records import Kind, Mark, encode
from trackyard.journal.writer import EdgeTaken, JournalFull, JournalUnwritable, Writer

START = 1_700_000_000_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


def each_range(directory: Path, edge: int = 1) -> list[Range]:
    found: list[Range] = []
    place: tuple[str | None, int] = (None, 0)
    while (item := next_range(directory, edge, *place)) is not None:
        found.append(item)
        place = (item.journal, item.end)
    return found


def payloads(ranges: list[Range]) -> list[bytes]:
    return [payload for item in ranges for _, _, payload in item.frames]


def write_marked(directory: Path, clock: ManualClock, records: list[bytes], edge: int = 1) -> Writer:
    writer = Writer(directory, edge, clock)
    for record in records:
        writer.append(Kind.CLICK, record)
    clock.advance(400)
    writer.mark_if_due(clock.now_ms())
    return writer


def test_records_come_back_with_their_positions(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    positions = [writer.append(Kind.CLICK, b"[1]"), writer.append(Kind.CALL, b"[2]")]
    assert next_range(tmp_path, 1, None, 0) is None
    clock.advance(400)
    writer.mark_if_due(clock.now_ms())
    found = next_range(tmp_path, 1, None, 0)
    assert found is not None
    assert found.frames == [(positions[0], Kind.CLICK, b"[1]"), (positions[1], Kind.CALL, b"[2]")]
    assert (found.journal, found.start, found.marked_at, found.gaps) == (writer.name, 0, START + 400, [])
    assert next_range(tmp_path, 1, found.journal, found.end) is None
    writer.close()


def test_who_comes_late_takes_in_several_marks(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    ends = []
    for number in range(5):
        writer.append(Kind.CLICK, b"[%d]" % number)
        clock.advance(400)
        writer.mark_if_due(clock.now_ms())
        ends.append(each_range(tmp_path)[-1].end)
    writer.append(Kind.CLICK, b"[5]")
    all_marked = next_range(tmp_path, 1, writer.name, 0, records=10_000)
    assert all_marked is not None
    assert payloads([all_marked]) == [b"[0]", b"[1]", b"[2]", b"[3]", b"[4]"]
    assert (all_marked.marks, all_marked.end, all_marked.marked_at) == (5, ends[4], START + 5 * 400)
    three = next_range(tmp_path, 1, writer.name, 0, records=3)
    assert three is not None and (three.end, payloads([three])) == (ends[2], [b"[0]", b"[1]", b"[2]"])
    assert next_range(tmp_path, 1, writer.name, 0, until=ends[2]) == three
    assert next_range(tmp_path, 1, writer.name, ends[2], records=10_000) == next_range(
        tmp_path, 1, writer.name, ends[2], until=ends[4]
    )
    writer.close()


def test_several_marks_end_before_damage(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[0]"])
    for number in range(1, 4):
        writer.append(Kind.CLICK, b"[%d]" % number)
        clock.advance(400)
        writer.mark_if_due(clock.now_ms())
    writer.close()
    path = segments.log_path(tmp_path, writer.name)
    data = bytearray(path.read_bytes())
    data[data.index(b"[2]")] ^= 1
    path.write_bytes(data)
    sound = next_range(tmp_path, 1, writer.name, 0, records=10_000)
    assert sound is not None and (payloads([sound]), sound.marks, sound.gaps) == ([b"[0]", b"[1]"], 2, [])
    damaged = next_range(tmp_path, 1, writer.name, sound.end, records=10_000)
    assert damaged is not None and (payloads([damaged]), damaged.marks, len(damaged.gaps)) == ([], 1, 1)
    rest = next_range(tmp_path, 1, writer.name, damaged.end, records=10_000)
    assert rest is not None and (payloads([rest]), rest.gaps) == ([b"[3]"], [])


def test_an_idle_journal_is_marked_every_five_seconds(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    for _ in range(101):
        clock.advance(100)
        writer.mark_if_due(clock.now_ms())
    found = each_range(tmp_path)
    assert [item.marked_at for item in found] == [START + 5000, START + 10000]
    assert payloads(found) == []
    writer.close()


def test_ten_thousand_records_are_a_batch(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    for _ in range(10_001):
        writer.append(Kind.CLICK, b"[]")
    assert [len(item.frames) for item in each_range(tmp_path)] == [10_000]
    writer.close()


def test_a_clean_stop_marks_and_seals(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    writer.append(Kind.CLICK, b"[1]")
    clock.advance(7)
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[1]"]
    seal = segments.find_seal(tmp_path, writer.name)
    assert seal is not None
    assert (seal.end, seal.sealed_at, seal.gaps) == (
        segments.log_path(tmp_path, writer.name).stat().st_size,
        START + 7,
        [],
    )


def test_rotation_goes_on_in_the_next_journal(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock, rotate_at=2000)
    records = [b"[%d]" % number for number in range(400)]
    for record in records:
        writer.append(Kind.CLICK, record)
    writer.close()
    ranges = each_range(tmp_path)
    assert payloads(ranges) == records
    names = segments.list_journals(tmp_path, 1)
    assert len(names) > 2
    assert [item.journal for item in ranges] == names
    assert len({segments.start_of(name) for name in names}) == len(names)


def test_a_torn_tail_of_any_length_loses_only_the_torn_record(tmp_path: Path, clock: ManualClock) -> None:
    last = frames.pack(Kind.CLICK, b'["torn"]')
    for cut in range(len(last)):
        directory = tmp_path / str(cut)
        writer = write_marked(directory, clock, [b"[1]"])
        writer.append(Kind.CLICK, b"[2]")
        name = writer.name
        abandon(writer)
        with segments.log_path(directory, name).open("ab") as file:
            file.write(last[:cut])
        assert payloads(each_range(directory)) == [b"[1]"], "an unsealed end is no end"
        clock.advance(1)
        Writer(directory, 1, clock).close()
        ranges = each_range(directory)
        assert payloads(ranges) == [b"[1]", b"[2]"]
        assert [gap for item in ranges for gap in item.gaps] == []
        assert ranges[1].marked_at == clock.now_ms(), "the time of the seal stands for the missing mark"


def test_what_lies_behind_the_last_whole_record_is_kept(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]"])
    abandon(writer)
    path = segments.log_path(tmp_path, writer.name)
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"what is this")
    Writer(tmp_path, 1, clock).close()
    assert (tmp_path / "damaged" / f"{writer.name}-{size}-{size + 12}.bin").read_bytes() == b"what is this"
    assert payloads(each_range(tmp_path)) == [b"[1]"]


@pytest.mark.parametrize("seal", [b"", bytes(40), b"{}", b'{"end": "far"}'])
def test_a_damaged_seal_is_made_anew(tmp_path: Path, clock: ManualClock, seal: bytes) -> None:
    writer = Writer(tmp_path, 1, clock)
    writer.append(Kind.CLICK, b"[1]")
    writer.close()
    whole = segments.find_seal(tmp_path, writer.name)
    assert whole is not None
    (tmp_path / f"{writer.name}.sealed").write_bytes(seal)
    assert payloads(each_range(tmp_path)) == [b"[1]"]
    Writer(tmp_path, 1, clock).close()
    again = segments.find_seal(tmp_path, writer.name)
    assert again is not None and again.end == whole.end
    assert payloads(each_range(tmp_path)) == [b"[1]"]


def test_a_flipped_byte_anywhere_costs_one_record(tmp_path: Path, clock: ManualClock) -> None:
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


def test_damage_before_the_last_good_frame_is_in_the_seal(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]", b"[2]"])
    writer.append(Kind.CLICK, b"[3]")
    name = writer.name
    abandon(writer)
    path = segments.log_path(tmp_path, name)
    damaged = bytearray(path.read_bytes())
    damaged[0] ^= 0xFF
    path.write_bytes(damaged)
    Writer(tmp_path, 1, clock).close()
    seal = segments.find_seal(tmp_path, name)
    assert seal is not None
    assert seal.end == len(damaged)
    assert seal.gaps == [segments.Gap(0, len(frames.pack(1, b"[1]")))]
    assert payloads(each_range(tmp_path)) == [b"[2]", b"[3]"]


def test_a_sealed_end_that_went_bad_is_a_gap(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    writer.append(Kind.CLICK, b"[1]")
    writer.close()
    path = segments.log_path(tmp_path, writer.name)
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    (found,) = each_range(tmp_path)
    assert found.end == len(damaged)
    assert found.gaps == [segments.Gap(len(frames.pack(1, b"[1]")), len(damaged))]


def test_a_damaged_mark_joins_two_batches(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]"])
    at = len(frames.pack(1, b"[1]"))
    writer.append(Kind.CLICK, b"[2]")
    clock.advance(400)
    writer.mark_if_due(clock.now_ms())
    path = segments.log_path(tmp_path, writer.name)
    damaged = bytearray(path.read_bytes())
    damaged[at + 3] ^= 0xFF
    path.write_bytes(damaged)
    assert [payloads([item]) for item in each_range(tmp_path)] == [[b"[1]", b"[2]"]]
    writer.close()


def test_two_readers_get_the_same_ranges(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock, rotate_at=30_000)
    early: list[Range] = []
    place: tuple[str | None, int] = (None, 0)
    for number in range(3000):
        writer.append(Kind.CLICK, b'["%d"]' % number)
        clock.advance(number % 50)
        writer.mark_if_due(clock.now_ms())
        if number % 7 == 0 and (item := next_range(tmp_path, 1, *place)) is not None:
            early.append(item)
            place = (item.journal, item.end)
    writer.close()
    late = each_range(tmp_path)
    assert early == late[: len(early)]
    assert len(early) > 50
    assert len(payloads(late)) == 3000


def test_a_batch_larger_than_the_first_read_is_one_range(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    for _ in range(400):
        writer.append(Kind.CALL, b'["' + b"x" * 10_000 + b'"]')
    writer.close()
    assert [len(item.frames) for item in each_range(tmp_path)] == [400]


def test_edges_do_not_see_each_other(tmp_path: Path, clock: ManualClock) -> None:
    writers = [write_marked(tmp_path, clock, [b"[%d]" % edge], edge) for edge in (1, 2)]
    assert segments.list_edges(tmp_path) == [1, 2]
    assert payloads(each_range(tmp_path, 2)) == [b"[2]"]
    for writer in writers:
        writer.close()


def test_a_second_holder_of_a_number_is_refused(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    with pytest.raises(EdgeTaken):
        Writer(tmp_path, 1, clock)
    writer.append(Kind.CLICK, b"[1]")
    writer.close()
    Writer(tmp_path, 1, clock).close()
    assert payloads(each_range(tmp_path)) == [b"[1]"]


def test_a_clock_that_went_back_keeps_the_order(tmp_path: Path, clock: ManualClock) -> None:
    write_marked(tmp_path, clock, [b"[1]"]).close()
    clock.advance(-86_400_000)
    write_marked(tmp_path, clock, [b"[2]"]).close()
    assert payloads(each_range(tmp_path)) == [b"[1]", b"[2]"]


def test_a_journal_that_is_gone_is_stepped_over(tmp_path: Path, clock: ManualClock) -> None:
    first = write_marked(tmp_path, clock, [b"[1]"])
    first.close()
    write_marked(tmp_path, clock, [b"[2]"]).close()
    segments.log_path(tmp_path, first.name).unlink()
    found = next_range(tmp_path, 1, first.name, 999)
    assert found is not None
    assert payloads([found]) == [b"[2]"]


class Disk:
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
def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]"])
    path = segments.log_path(tmp_path, writer.name)
    size = path.stat().st_size
    disk = Disk(room)
    monkeypatch.setattr("trackyard.journal.writer.os.write", disk.write)
    with pytest.raises(JournalFull):
        writer.append(Kind.CLICK, b'["too much"]')
    assert path.stat().st_size == size
    disk.room = 1_000_000
    assert writer.append(Kind.CLICK, b"[2]") == size
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[1]", b"[2]"]


def test_records_put_together_are_written_together(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock)
    path = segments.log_path(tmp_path, writer.name)
    for number in range(3):
        writer.put(Kind.CLICK, b"[%d]" % number)
    assert path.stat().st_size == 0
    writer.flush()
    writer.flush()
    writer.put(Kind.CLICK, b"[3]")
    writer.append(Kind.CALL, b"[4]")
    writer.put(Kind.CLICK, b"[5]")
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[%d]" % number for number in range(6)]


def test_a_full_disk_takes_all_of_what_was_put_or_nothing(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(tmp_path, 1, clock)
    disk = Disk(room=20)
    monkeypatch.setattr("trackyard.journal.writer.os.write", disk.write)
    writer.put(Kind.CLICK, b"[1]")
    writer.put(Kind.CLICK, b"[2]")
    with pytest.raises(JournalFull):
        writer.flush()
    disk.room = 100_000
    writer.put(Kind.CLICK, b"[3]")
    writer.close()
    assert payloads(each_range(tmp_path)) == [b"[3]"]


def test_short_writes_are_finished(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trackyard.journal.writer.os.write", Disk(100_000, most=3).write)
    write_marked(tmp_path, clock, [b'["a long record"]', b"[2]"]).close()
    assert payloads(each_range(tmp_path)) == [b'["a long record"]', b"[2]"]


def test_a_full_disk_at_the_end_of_a_journal_is_told_and_mended(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(tmp_path, 1, clock, rotate_at=50)
    records = [b"[%d]" % number for number in range(8)]
    for record in records:
        writer.append(Kind.CLICK, record)

    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("trackyard.journal.segments.write_durably", full)
        for _ in range(2):
            with pytest.raises(JournalFull):
                writer.sync()
    writer.append(Kind.CLICK, b"[8]")
    writer.sync()
    *ended, _ = segments.list_journals(tmp_path, 1)
    assert len(ended) == 2
    assert all(segments.find_seal(tmp_path, name) for name in ended)
    writer.close()
    assert payloads(each_range(tmp_path)) == [*records, b"[8]"]


def test_a_full_journal_is_left_at_once_and_sealed_by_the_next_sync(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock, rotate_at=50)
    for number in range(3):
        writer.append(Kind.CLICK, b'["%040d"]' % number)
    first = segments.list_journals(tmp_path, 1)[0]
    assert segments.find_seal(tmp_path, first) is None
    assert writer.name != first
    assert len(payloads(each_range(tmp_path))) == 1, "an unsealed end is no end"
    writer.sync()
    assert segments.find_seal(tmp_path, first) is not None
    assert len(payloads(each_range(tmp_path))) == 2
    writer.close()


def test_a_kill_before_a_full_journal_is_sealed_loses_nothing(tmp_path: Path, clock: ManualClock) -> None:
    writer = Writer(tmp_path, 1, clock, rotate_at=50)
    records = [b'["%040d"]' % number for number in range(5)]
    for record in records:
        writer.append(Kind.CLICK, record)
    for ended in writer._ended:
        os.close(ended.descriptor)
    abandon(writer)
    clock.advance(1)
    Writer(tmp_path, 1, clock).close()
    assert payloads(each_range(tmp_path)) == records


def test_a_sync_holds_for_a_journal_that_is_left_meanwhile(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written before the call is on the disk after it, wherever the writer has got to."""
    writer = Writer(tmp_path, 1, clock, rotate_at=50)
    writer.append(Kind.CALL, b'["%040d"]' % 0)
    first = writer.name
    fdatasync, synced = os.fdatasync, list[str]()

    def slow(descriptor: int) -> None:
        if not synced:  # the other thread goes on
            writer.append(Kind.CALL, b'["%040d"]' % 1)
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().stem)
        fdatasync(descriptor)

    monkeypatch.setattr("trackyard.journal.writer.os.fdatasync", slow)
    writer.sync()
    assert writer.name != first
    assert synced == [first, first]
    assert segments.find_seal(tmp_path, first) is not None
    writer.sync()
    assert synced[2:] == [writer.name]
    writer.close()


def test_a_failing_sync_is_told(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(tmp_path, 1, clock)
    writer.append(Kind.CALL, b"[1]")
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


def test_the_mark_says_how_many_records_it_closes(tmp_path: Path, clock: ManualClock) -> None:
    writer = write_marked(tmp_path, clock, [b"[1]", b"[2]"])
    data = segments.log_path(tmp_path, writer.name).read_bytes()
    assert data.endswith(frames.pack(Kind.MARK, encode(Mark(START + 400, 2))))
    writer.close()


def abandon(writer: Writer) -> None:
    """What a kill leaves: the descriptors closed, no mark, no seal."""
    os.close(writer._descriptor)
    os.close(writer._lock)
