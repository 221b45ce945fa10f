"""Compressed journals: every reader reads the same after any crash, and erased data is gone."""

import os
import shutil
import sys
from collections.abc import Collection
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from tests.journal.test_journal import START, each_range
from tests.support.models.events import new_click
from trackyard.base.clock import ManualClock
from trackyard.domain.platform.erasures import NOTHING_ERASED, ErasedSubjects, Erasure, ErasureSubject
from trackyard.journal import archive, packing, segments
from trackyard.journal.archive import Archive, ArchiveDamaged, archive_path
from trackyard.journal.packing import compress_journal, erase_archived
from trackyard.journal.reader import OffsetRange, next_range
from trackyard.journal.records import InboundPostback, RecordKind, decode_click, decode_postback, encode
from trackyard.journal.writer import ROTATE_AFTER_MS, JournalWriter

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


def find_no_erased(_ids: Collection[str]) -> frozenset[str]:
    return frozenset()


def recorded(directory: Path, clock: ManualClock, count: int = 3000, size: int = 100) -> str:
    """A finished journal of several ranges, longer than a block when `count` is high; its name."""
    writer = JournalWriter(directory, 1, clock)
    for number in range(count):
        writer.append(
            RecordKind.CLICK, encode(new_click(number, ip=f"198.51.100.{number % 256}", sub1=f"{number:0{size}d}"))
        )
        if number % 1000 == 999:
            clock.advance(400)
            writer.write_checkpoint_if_due(clock.now_ms())
    name = writer.name
    writer.close()
    return name


def plain(ranges: list[OffsetRange]) -> list[object]:
    return [(item.journal, item.start, item.end, item.frames, item.checkpoint_at, item.gaps) for item in ranges]


def test_journal_compressed_reads_like_plain(tmp_path: Path, clock: ManualClock) -> None:
    name = recorded(tmp_path, clock, size=1000)
    raw = segments.log_path(tmp_path, name).read_bytes()
    seal = segments.find_segment_end(tmp_path, name)
    before = plain(each_range(tmp_path))
    assert len(raw) > 2 * archive.BLOCK
    assert len(before) == 4
    compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
    assert plain(each_range(tmp_path)) == before
    assert segments.find_segment_end(tmp_path, name) == seal
    assert segments.list_journals(tmp_path, 1) == [name]
    assert segments.list_edges(tmp_path) == [1]
    assert segments.end_of(tmp_path, name) == len(raw)
    assert not list(tmp_path.glob("*.log")) and not list(tmp_path.glob("*.sealed"))
    path = archive_path(tmp_path, name)
    assert path.stat().st_size < len(raw) / 4
    assert zstd.decompress(path.read_bytes()) == raw, "any zstd gives the journal back"
    with Archive(path) as packed:
        for start, length in ((0, 10), (archive.BLOCK - 5, 10), (len(raw) - 3, 100), (len(raw), 1), (7, len(raw))):
            assert packed.read(start, length) == raw[start : start + length]


def test_journal_compression_omits_torn_tail(tmp_path: Path, clock: ManualClock) -> None:
    name = recorded(tmp_path, clock)
    path = segments.log_path(tmp_path, name)
    raw = path.read_bytes()
    with path.open("ab") as file:
        file.write(b"torn")
    compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
    assert zstd.decompress(archive_path(tmp_path, name).read_bytes()) == raw


def test_journal_unfinished_is_not_compressed(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    with pytest.raises(ValueError, match="not finished"):
        compress_journal(tmp_path, writer.name, NOTHING_ERASED, find_no_erased)
    writer.close()


def test_journal_writer_continues_after_compressed_and_removed_segments(tmp_path: Path, clock: ManualClock) -> None:
    first = recorded(tmp_path, clock)
    compress_journal(tmp_path, first, NOTHING_ERASED, find_no_erased)
    clock.advance(-3_600_000)
    second = recorded(tmp_path, clock)
    assert second > first
    assert segments.list_journals(tmp_path, 1) == [first, second]
    compress_journal(tmp_path, second, NOTHING_ERASED, find_no_erased)
    end = segments.end_of(tmp_path, second)
    for name in (first, second):
        segments.remove_archived(tmp_path, 1, name)
    assert segments.list_journals(tmp_path, 1) == []
    third = recorded(tmp_path, clock)
    assert third > second, "or what it writes would never be loaded"
    found = next_range(tmp_path, 1, second, end)
    assert found is not None
    assert (found.journal, found.start) == (third, 0)


class PackingKilled(BaseException):
    """What a test dies of."""


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("dies_at", ["fsync", "rename", "sync_directory", "unlink log", "unlink seal", "nowhere"])
def test_journal_compression_killed_anywhere_keeps_one_whole_file(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, dies_at: str, again: bool
) -> None:
    name = recorded(tmp_path, clock)
    before = plain(each_range(tmp_path))
    if again:  # one that was compressed is rid of something
        compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
    what = ErasedSubjects.of([Erasure(1, ErasureSubject.CLICK, new_click(5).id, START)])

    def work() -> None:
        if again and not segments.log_path(tmp_path, name).exists():
            erase_archived(tmp_path, name, what, find_no_erased)
        else:
            compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)

    def die(*_arguments: object) -> None:
        raise PackingKilled

    real = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if dies_at == "unlink log" or (dies_at == "unlink seal" and path.suffix == ".sealed"):
            raise PackingKilled
        real(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink)
        owner = {"fsync": os, "rename": Path, "sync_directory": archive}.get(dies_at)
        if owner is not None:
            patch.setattr(owner, dies_at, die)
        with nullcontext() if dies_at == "nowhere" else suppress(PackingKilled):
            work()
    found = plain(each_range(tmp_path))
    assert [item[:3] for item in found] == [item[:3] for item in before]  # type: ignore[index]
    assert segments.list_journals(tmp_path, 1) == [name]
    if not again:
        assert found == before
    work()
    if not again:
        assert plain(each_range(tmp_path)) == before
        assert not segments.log_path(tmp_path, name).exists()


def test_journal_archive_damage_costs_one_block(tmp_path: Path, clock: ManualClock) -> None:
    name = recorded(tmp_path, clock, size=1000)
    count = sum(len(item.frames) for item in each_range(tmp_path))
    compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
    path = archive_path(tmp_path, name)
    data = bytearray(path.read_bytes())
    with Archive(path) as packed:
        sizes = packed.index.sizes
    at = sizes[0] + sizes[1] // 2
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    ranges = each_range(tmp_path)
    assert 0 < sum(len(item.frames) for item in ranges) < count
    assert any(item.gaps for item in ranges)
    assert list((tmp_path / "damaged").iterdir())
    path.write_bytes(data[:-1])
    with pytest.raises(ArchiveDamaged, match="does not end like an archive"):
        next_range(tmp_path, 1, None, 0)


def test_journal_compression_is_verified_before_plain_file_is_removed(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = recorded(tmp_path, clock)
    before = plain(each_range(tmp_path))
    compress = zstd.compress
    monkeypatch.setattr(zstd, "compress", lambda block, options: compress(bytes(len(block))))
    with pytest.raises(ArchiveDamaged, match="does not hold what was written"):
        compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
    assert segments.log_path(tmp_path, name).exists()
    assert plain(each_range(tmp_path)) == before


PERSON = {"ip": "203.0.113.9", "ua": "Someone's browser", "referrer": "https://me.example/", "user_id": "u-77"}


def record_visitors(directory: Path, clock: ManualClock) -> tuple[str, str, str]:
    """A finished journal: a click of u-77 and a call for it, a click of another visitor.

    Its name, the clicks' ids.
    """
    writer = JournalWriter(directory, 1, clock)
    one, other = new_click(1, affiliate=5, **PERSON), new_click(2, affiliate=6, ip="192.0.2.1", ua="Other")
    params = {"clickid": one.id, "ip": "203.0.113.9", "goal": "sale"}
    for kind, record in (
        (RecordKind.CLICK, one),
        (RecordKind.CLICK, other),
        (
            RecordKind.POSTBACK,
            InboundPostback(
                START, "c" * 24, "postback", "GET", "203.0.113.9", "Someone's", "ip=203.0.113.9", "", params
            ),
        ),
    ):
        writer.append(kind, encode(record))
    name = writer.name
    writer.close()
    return name, one.id, other.id


@pytest.mark.parametrize("packed_before", [False, True])
@pytest.mark.parametrize(
    "asked", [(ErasureSubject.CLICK, ""), (ErasureSubject.USER, "u-77"), (ErasureSubject.AFFILIATE, "5")]
)
def test_journal_erasure_empties_records_in_place(
    tmp_path: Path, clock: ManualClock, asked: tuple[ErasureSubject, str], packed_before: bool
) -> None:
    name, one, _ = record_visitors(tmp_path, clock)
    before = each_range(tmp_path)[0].frames
    what = ErasedSubjects.of([Erasure(1, asked[0], asked[1] or one, START * 2)])

    def find_erased(ids: Collection[str]) -> frozenset[str]:
        assert set(ids) == {one}
        return frozenset({one})

    if packed_before:
        compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
        assert erase_archived(tmp_path, name, what, find_erased)
    else:
        compress_journal(tmp_path, name, what, find_erased)
    after = each_range(tmp_path)[0].frames
    assert [item[:2] for item in after] == [item[:2] for item in before], "records are known by their position"
    raw = zstd.decompress(archive_path(tmp_path, name).read_bytes())
    for text in PERSON.values():
        assert text.encode() not in raw
    gone = decode_click(after[0][2])
    assert (gone.id, gone.affiliate, gone.country) == (one, 5, "DE")
    assert after[1] == before[1]
    assert decode_postback(after[2][2]).params == {"clickid": one, "goal": "sale"}
    assert not erase_archived(tmp_path, name, what, find_erased), "a second time nothing is left"


def test_journal_without_erased_records_is_not_rewritten(tmp_path: Path, clock: ManualClock) -> None:
    name, _, _ = record_visitors(tmp_path, clock)
    compress_journal(tmp_path, name, NOTHING_ERASED, find_no_erased)
    shutil.copy(archive_path(tmp_path, name), tmp_path / "before")
    assert not erase_archived(
        tmp_path, name, ErasedSubjects.of([Erasure(1, ErasureSubject.USER, "u-78", START * 2)]), find_no_erased
    )
    assert archive_path(tmp_path, name).read_bytes() == (tmp_path / "before").read_bytes()


def test_journal_erasure_progress_is_stored(tmp_path: Path) -> None:
    assert packing.erased_until(tmp_path) == 0
    packing.set_erased_until(tmp_path, 7)
    assert packing.erased_until(tmp_path) == 7


def test_journal_segment_ends_after_a_day(tmp_path: Path, clock: ManualClock) -> None:
    writer = JournalWriter(tmp_path, 1, clock)
    writer.append(RecordKind.CLICK, b"[1]")
    clock.advance(ROTATE_AFTER_MS - 1)
    writer.write_checkpoint_if_due(clock.now_ms())
    assert len(segments.list_journals(tmp_path, 1)) == 1
    clock.advance(1)
    writer.write_checkpoint_if_due(clock.now_ms())
    writer.append(RecordKind.CLICK, b"[2]")
    writer.sync()
    first, second = segments.list_journals(tmp_path, 1)
    assert (segments.find_segment_end(tmp_path, first) is None, second) == (False, writer.name)
    writer.close()
    assert [payload for item in each_range(tmp_path) for _, _, payload in item.frames] == [b"[1]", b"[2]"]
