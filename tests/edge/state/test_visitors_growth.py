"""Growth of the file of visitors: what was seen stays seen, from the first segment to the last."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.waiting import wait_until
from trackyard.decision.visitor.visitor import VisitorKey
from trackyard.domain.tracking.ruleset import MAX_UNIQUE_HOURS
from trackyard.edge.state import unique, visitors_file
from trackyard.edge.state.growth import VisitorsGrowth
from trackyard.edge.state.unique import RETRY_S, WINDOW_S, UniqueVisitors

NOW = 1_700_000_000
FIRST = 8 * 1024
LONGEST_S = MAX_UNIQUE_HOURS * 3600
SIZE = 64 * FIRST
"""Three segments: 1,024, 8,192 and 65,536 entries."""


@pytest.fixture(autouse=True)
def _small_first_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", FIRST)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "visitors.map"


@pytest.fixture(params=[False, True], ids=["alone", "shared"])
def visitors(path: Path, request: pytest.FixtureRequest) -> Iterator[UniqueVisitors]:
    with closing(UniqueVisitors(path, size=SIZE, shared=request.param)) as made:
        yield made


def visitor(number: int) -> VisitorKey:
    return number, 1


def add(visitors: UniqueVisitors, numbers: range, now: int = NOW) -> int:
    """Return how many of the visitors were new."""
    return sum(visitors.claim(1, visitor(each), "", now, f"{each:024x}") is not None for each in numbers)


def count_seen(visitors: UniqueVisitors, numbers: range, now: int = NOW) -> int:
    """Count who is known both by the address and by the cookie."""
    return sum(
        visitors.seen(1, visitor(each), "", now) and visitors.seen(1, (-each, 2), f"{each:024x}", now)
        for each in numbers
    )


class FullDisk:
    """A disk that has no room for another segment while `is_full`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = True
        self.attempts = 0
        self._reserve = os.posix_fallocate
        monkeypatch.setattr(os, "posix_fallocate", self.reserve)

    def reserve(self, descriptor: int, offset: int, length: int) -> None:
        if offset and self.is_full:
            self.attempts += 1
            os.truncate(descriptor, offset + length // 2)  # as a file system leaves it
            raise OSError(errno.ENOSPC, "No space left on device")
        self._reserve(descriptor, offset, length)


@pytest.mark.parametrize("megabytes", [1, 4, 8, 9, 33, 64, 100, 255, 256, 1000, 4096])
def test_visitors_file_begins_below_8_mb_and_ends_at_its_setting(
    monkeypatch: pytest.MonkeyPatch, megabytes: int
) -> None:
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", 8 * 2**20)
    first, segments = visitors_file.layout_of(megabytes * 2**20)
    assert first * 256 <= 8 * 2**20
    last = visitors_file.buckets_of(first, segments - 1) * 256
    assert 0.995 < last / (megabytes * 2**20) <= 1
    assert visitors_file.start_of(first, segments - 1) <= 4096 + last // 7, "all others have a seventh of it"


def test_visitors_file_of_256_mb_takes_4_mb_of_disk(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", 8 * 2**20)
    with closing(UniqueVisitors(path, size=256 * 2**20)) as visitors:
        assert path.stat().st_size == 4 * 2**20 + 4096
        assert path.stat().st_blocks * 512 < 5 * 2**20
        assert visitors.used_bytes == 4 * 2**20


def test_visitors_stay_seen_while_file_grows_to_its_maximum(visitors: UniqueVisitors, path: Path) -> None:
    sizes = {path.stat().st_size}
    for start in range(0, 6000, 300):
        assert add(visitors, range(start, start + 300)) == 300
        assert count_seen(visitors, range(start + 300)) == start + 300
        sizes.add(path.stat().st_size)
    assert sizes == {4096 + FIRST, 4096 + 9 * FIRST, 4096 + 73 * FIRST}
    assert visitors.take_dropped() == 0
    assert visitors.used_bytes == 73 * FIRST
    assert add(visitors, range(6000)) == 0
    with closing(UniqueVisitors(path, size=SIZE)) as again:
        assert count_seen(again, range(6000)) == 6000, "a restart looks through every segment"


def test_visitors_file_at_maximum_drops_the_oldest(visitors: UniqueVisitors, path: Path) -> None:
    for start in range(0, 50_000, 1000):
        assert add(visitors, range(start, start + 1000), NOW + start) == 1000
    assert path.stat().st_size == 4096 + 73 * FIRST
    assert visitors.take_dropped() > 10_000
    assert count_seen(visitors, range(49_000, 50_000), NOW + 50_000) == 1000, "the youngest stay"


def test_visitors_file_grows_again_only_for_visitors_of_24_hours(visitors: UniqueVisitors, path: Path) -> None:
    for day in range(20):
        add(visitors, range(200 * day, 200 * day + 200), NOW + day * WINDOW_S)
    assert path.stat().st_size == 4096 + FIRST, "400 entries a day fit in the first segment"


def test_visitors_claim_of_outgrown_segment_rolls_back(visitors: UniqueVisitors) -> None:
    claim = visitors.claim(1, visitor(0), "", NOW, f"{0:024x}")
    assert claim is not None
    add(visitors, range(1, 5000))
    assert visitors.segments > 1
    visitors.roll_back(claim)
    assert count_seen(visitors, range(1)) == 0
    assert count_seen(visitors, range(1, 5000)) == 4999
    assert add(visitors, range(1)) == 1


def test_visitors_of_all_segments_can_be_forgotten(visitors: UniqueVisitors) -> None:
    for start in range(0, 10_000, 100):
        add(visitors, range(start, start + 100), NOW + start)
    assert visitors.segments == 3
    visitors.remove_since(NOW + 150)
    assert count_seen(visitors, range(200), NOW + 10_000) == 200
    assert [each for each in range(200, 10_000) if visitors.seen(1, visitor(each), "", NOW + 10_000)] == []


def test_visitors_read_from_journals_make_room(visitors: UniqueVisitors) -> None:
    """Records of 20 hours ago fill a segment now: it is looked through for 24 hours from now."""
    for each in range(10_000):
        visitors.remember(1, visitor(each), f"{each:024x}", NOW - 20 * 3600, NOW)
    assert visitors.segments == 3
    assert add(visitors, range(20_000, 20_001), NOW) == 1
    assert visitors.find_expired_segment(NOW + 3600 * 4 + 120) == -1
    assert count_seen(visitors, range(10_000)) == 10_000


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(5, 25), shared=st.booleans())
def test_visitors_of_any_history_equal_a_plain_dictionary(
    tmp_path_factory: pytest.TempPathFactory, seed: int, steps: int, shared: bool
) -> None:
    """Histories of at most 30,000 visitors in 24 hours: less than what fits, so that none is dropped."""
    chance, path, now = Random(seed), tmp_path_factory.mktemp("history") / "visitors.map", NOW
    new_at: dict[int, int] = {}
    visitors = UniqueVisitors(path, size=SIZE, shared=shared)
    for _ in range(steps):
        match chance.randrange(5):
            case 0:
                now += chance.choice([1, 3600, 20 * 3600])
            case 1:
                visitors.close()
                visitors = UniqueVisitors(path, size=SIZE, shared=shared)
            case 2:
                expired = visitors.find_expired_segment(now)
                if expired >= 0:
                    visitors.release(expired)
            case _:
                for each in chance.sample(range(10_000), chance.choice([10, 300, 1500])):
                    claim = visitors.claim(1, visitor(each), "", now, f"{each:016x}{now:08x}")
                    is_new = each not in new_at or now - new_at[each] >= WINDOW_S
                    assert (claim is not None) == is_new
                    if claim is not None and chance.random() < 0.1:
                        visitors.roll_back(claim)
                        new_at.pop(each, None)
                    elif claim is not None:
                        new_at[each] = now
        for each in chance.sample(range(10_000), 50):
            seen = each in new_at and now - new_at[each] < WINDOW_S
            assert visitors.seen(1, visitor(each), "", now) == seen
    assert visitors.take_dropped() == 0
    visitors.close()


# --- outgrown segments --------------------------------------------------------------------------------------


def test_outgrown_segment_is_released_when_no_visitor_of_it_is_kept(visitors: UniqueVisitors, path: Path) -> None:
    add(visitors, range(5000))
    assert visitors.segments == 3
    blocks = path.stat().st_blocks
    assert visitors.find_expired_segment(NOW + LONGEST_S) == -1
    later = NOW + LONGEST_S + 60
    released = [visitors.find_expired_segment(later) for _ in range(3)]
    assert released == [0, 1, -1]
    for number in released[:2]:
        visitors.release(number)
    assert path.stat().st_blocks * 512 <= blocks * 512 - 9 * FIRST
    assert visitors.used_bytes == 64 * FIRST
    assert add(visitors, range(5000, 10_000), later) == 5000
    assert count_seen(visitors, range(5000, 10_000), later) == 5000
    with closing(UniqueVisitors(path, size=SIZE)) as again:
        assert again.used_bytes == 64 * FIRST
        assert count_seen(again, range(10_000), later) == 5000
    assert path.stat().st_blocks * 512 <= blocks * 512 - 9 * FIRST


def test_visitors_thread_makes_room_before_a_bucket_is_full(
    visitors: UniqueVisitors, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve, threads = os.posix_fallocate, set[str]()

    def note(descriptor: int, offset: int, length: int) -> None:
        threads.add(threading.current_thread().name)
        reserve(descriptor, offset, length)

    monkeypatch.setattr(os, "posix_fallocate", note)
    growth, number, second = VisitorsGrowth(visitors), 0, NOW

    def has_grown(segments: int) -> bool:
        nonlocal second
        second += 1
        growth.tick(second)
        return visitors.segments >= segments

    for limit, segments in ((180, 2), (1700, 3)):
        add(visitors, range(number, limit), second)
        assert visitors.segments == segments - 1
        wait_until(partial(has_grown, segments))
        number = limit
    assert count_seen(visitors, range(number), second) == number
    assert {name.partition("_")[0] for name in threads} == {"visitors-growth"}
    second += LONGEST_S + 60
    wait_until(lambda: has_grown(3) and visitors.used_bytes == 64 * FIRST)
    growth.close()
    assert visitors_file.read_header(os.open(path, os.O_RDONLY)).live_segments() == [2]


# --- full disks, other files --------------------------------------------------------------------------------


def test_visitors_file_on_full_disk_drops_oldest_and_tries_again(
    visitors: UniqueVisitors, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FullDisk(monkeypatch)
    for start in range(0, 2000, 100):
        assert add(visitors, range(start, start + 100), NOW) == 100
    assert path.stat().st_size == 4096 + FIRST, "what was reserved in part went back to the disk"
    assert visitors.take_dropped() > 1000
    assert disk.attempts == 1
    add(visitors, range(2000, 3000), NOW + RETRY_S)
    assert disk.attempts == 2
    faults = [record for record in caplog.records if record.message == "unique visitors file not grown"]
    assert len(faults) == 1
    assert "No space left" in faults[0].__dict__["error"]
    disk.is_full = False
    visitors.take_dropped()
    add(visitors, range(3000, 8000), NOW + 2 * RETRY_S)
    assert visitors.segments == 3
    assert visitors.take_dropped() == 0
    assert count_seen(visitors, range(3000, 8000), NOW + 2 * RETRY_S) == 5000


def test_visitors_file_leaves_as_much_room_as_it_takes(
    visitors: UniqueVisitors, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = os.statvfs(path)

    def free(size: int) -> os.statvfs_result:
        fields = list(disk)
        fields[0], fields[1], fields[4] = 4096, 1, size
        return os.statvfs_result(fields)

    monkeypatch.setattr(os, "fstatvfs", lambda _: free(2 * 8 * FIRST - 1))
    with pytest.raises(OSError, match="less than 0 MB of free space"):
        visitors.grow(1, NOW)
    monkeypatch.setattr(os, "fstatvfs", lambda _: free(2 * 8 * FIRST))
    visitors.grow(1, NOW)
    assert visitors.refresh()


def test_visitors_file_of_earlier_version_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(((0x5456 << 16) | (hash((1, 2, 3)) & 0xFFFF)).to_bytes(4, "little") + bytes(4092 + SIZE))
    assert not unique.is_complete(path)
    with closing(UniqueVisitors(path, size=SIZE)) as visitors:
        assert visitors.fresh
        assert path.stat().st_size == 4096 + FIRST
        assert add(visitors, range(10)) == 10


def test_visitors_file_that_lost_its_end_is_replaced(path: Path) -> None:
    with closing(UniqueVisitors(path, size=SIZE)) as visitors:
        visitors.set_loaded()
        add(visitors, range(1000))
        assert visitors.segments == 2
    os.truncate(path, 4096 + FIRST)
    with closing(UniqueVisitors(path, size=SIZE)) as visitors:
        assert visitors.fresh
        assert count_seen(visitors, range(1000)) == 0


def test_visitors_segment_that_was_never_in_use_begins_empty(path: Path) -> None:
    """A power cut may leave blocks of a segment and no word of it in the header."""
    with closing(UniqueVisitors(path, size=SIZE)) as visitors:
        with path.open("ab") as file:
            file.write((NOW).to_bytes(4, "little") * (8 * FIRST // 4))
        visitors.grow(1, NOW)
        assert visitors.refresh()
        assert set(path.read_bytes()[4096 + FIRST :]) == {0}
        assert path.stat().st_size == 4096 + 9 * FIRST
