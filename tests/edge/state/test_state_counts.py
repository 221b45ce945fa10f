"""Click counts: exact, of all caps of a click or of none, in files that grow and are used again."""

import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.support.forms import PLAIN
from trackyard.decision.click.caps import NEVER, CappedCount, count_key
from trackyard.edge.state import counts_file
from trackyard.edge.state.counts import ClickCounts
from trackyard.edge.state.counts_file import REUSE_AFTER_S, ClickCount, CountsFull

NOW = 1_700_000_000


def key_of(number: int) -> bytes:
    return count_key(number, "cap", 0, None, 0)


def wanted(number: int, limit: int = 10, end: int = NOW + 3600) -> CappedCount:
    return CappedCount(key_of(number), limit, end)


@pytest.fixture
def open_counts(tmp_path: Path) -> Iterator[Callable[..., ClickCounts]]:
    opened: list[ClickCounts] = []

    def open_one(edge: int = 1, *, shared: bool = False) -> ClickCounts:
        counts = ClickCounts(tmp_path, edge, shared=shared)
        opened.append(counts)
        return counts

    yield open_one
    for part in opened:
        part.close()


def test_click_counts_stop_at_limit(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    assert [counts.reserve(1, [wanted(1, 3)], NOW) for _ in range(5)] == [-1, -1, -1, 0, 0]
    assert counts.count(key_of(1)) == 3
    assert counts.reserve(1, [wanted(2, 0)], NOW) == 0, "a cap of nothing is full"


def test_click_counts_take_all_caps_of_a_click_or_none(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    both = [wanted(1, 10), wanted(2, 2), wanted(3, 10)]
    assert [counts.reserve(1, both, NOW) for _ in range(4)] == [-1, -1, 1, 1]
    assert [counts.count(key_of(number)) for number in (1, 2, 3)] == [2, 2, 2]


def test_click_count_keys_differing_in_one_half_are_distinct(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    halves = [b"\1" * 8, b"\2" * 8, bytes(8)]
    keys = [one + other for one in halves[:2] for other in halves]
    assert [counts.reserve(1, [CappedCount(key, 1, NEVER)], NOW) for key in keys] == [-1] * 6
    assert [counts.count(key) for key in keys] == [1] * 6
    assert counts.count(b"\1" * 4 + b"\2" * 4 + b"\1" * 8) == 0


def test_click_counts_peek_takes_nothing(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    assert [counts.find_full([wanted(1, 1)]) for _ in range(3)] == [-1, -1, -1]
    assert counts.reserve(1, [wanted(1, 1)], NOW) == -1
    assert counts.find_full([wanted(2, 1), wanted(1, 1)]) == 1


def test_click_counts_survive_restart(open_counts: Callable[..., ClickCounts]) -> None:
    first = open_counts()
    assert first.fresh
    assert first.reserve(1, [wanted(1, 1, NEVER)], NOW) == -1
    second = open_counts()
    assert not second.fresh
    assert second.reserve(1, [wanted(1, 1, NEVER)], NOW) == 0


def test_click_counts_are_shared_by_edges(open_counts: Callable[..., ClickCounts]) -> None:
    first = open_counts(1, shared=True)
    assert first.reserve(1, [wanted(1, 3)], NOW) == -1
    second = open_counts(2, shared=True)
    assert second.reserve(1, [wanted(1, 3)], NOW) == -1
    assert first.reserve(1, [wanted(1, 3)], NOW) == -1
    assert first.find_full([wanted(1, 3)]) == second.find_full([wanted(1, 3)]) == 0
    assert first.reserve(1, [wanted(1, 3)], NOW) == second.reserve(1, [wanted(1, 3)], NOW) == 0
    assert first.count(key_of(1)) == second.count(key_of(1)) == 3


def test_click_counts_of_stopped_edge_still_count(open_counts: Callable[..., ClickCounts]) -> None:
    assert open_counts(2, shared=True).reserve(1, [wanted(1, 1)], NOW) == -1
    assert open_counts(1).reserve(1, [wanted(1, 1)], NOW) == 0


def test_click_counts_file_grows_without_loss(open_counts: Callable[..., ClickCounts]) -> None:
    counts, reader = open_counts(1, shared=True), open_counts(2, shared=True)
    for _ in range(2):
        assert all(counts.reserve(1, [wanted(number, 2)], NOW) == -1 for number in range(3000))
    assert all(counts.reserve(1, [wanted(number, 2)], NOW) == 0 for number in range(3000))
    assert {reader.count(key_of(number)) for number in range(3000)} == {2}
    assert sorted(counts.each()) == sorted(ClickCount(key_of(number), NOW + 3600, 2) for number in range(3000))


def test_click_counts_reuse_slots_of_ended_periods(open_counts: Callable[..., ClickCounts], tmp_path: Path) -> None:
    counts = open_counts()
    for hour in range(40):
        now = NOW + hour * 3600
        assert all(counts.reserve(1, [wanted(hour * 300 + n, 2, now + 3600)], now) == -1 for n in range(300))
        assert all(counts.count(key_of(hour * 300 + n)) == 1 for n in range(300))
        if hour == 2:
            size = (tmp_path / "counts-001.map").stat().st_size
    assert (tmp_path / "counts-001.map").stat().st_size == size
    assert counts.reserve(1, [wanted(50_000, 1, NOW + 1)], NOW) == -1
    assert counts.reserve(1, [wanted(50_000, 1, NOW + 1)], NOW + REUSE_AFTER_S) == 0, (
        "who is late still finds its count"
    )


@PLAIN
def test_click_counts_full_file_raises_and_takes_nothing(
    open_counts: Callable[..., ClickCounts], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts_file, "SEGMENTS", 1)
    counts = open_counts()
    with pytest.raises(CountsFull):
        for number in range(1, 20_000):
            counts.reserve(1, [wanted(0, NEVER), wanted(number)], NOW)
    assert counts.count(key_of(0)) == number - 1
    assert counts.reserve(1, [wanted(0, NEVER)], NOW) == -1, "known counts still count"


def test_click_counts_roll_back(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    kept, undone = [wanted(1), wanted(2)], [wanted(1), wanted(3)]
    for capped_counts in (kept, kept, kept, undone, undone):
        counts.reserve(1, capped_counts, NOW)
    for _ in range(2):
        counts.roll_back(undone)
    assert [counts.count(key_of(number)) for number in (1, 2, 3)] == [3, 3, 0]


def test_click_counts_changes_are_listed_once_and_restored(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    counts.reserve(1, [wanted(1), wanted(2, end=NEVER)], NOW)
    counts.reserve(1, [wanted(1)], NOW)
    changed = counts.take_changed()
    assert set(changed) == {ClickCount(key_of(1), NOW + 3600, 2), ClickCount(key_of(2), NEVER, 1)}
    assert counts.take_changed() == []
    counts.restore_changed(changed)
    assert counts.changes == 2


def test_click_counts_are_replaced_but_those_of_ended_periods(open_counts: Callable[..., ClickCounts]) -> None:
    counts = open_counts()
    counts.reserve(1, [wanted(1), wanted(2), wanted(3, end=NOW - 5)], NOW)
    totals = {key_of(number): ClickCount(key_of(number), NEVER, number) for number in (2, 4)}
    for _ in range(2):
        counts.replace(totals, NOW)
        assert [counts.count(key_of(number)) for number in (1, 2, 3, 4)] == [0, 2, 1, 4]


def _take_many(directory: Path, edge: int, go: "Event", results: "multiprocessing.Queue[int]") -> None:
    counts = ClickCounts(directory, edge, shared=True)
    go.wait(30)
    taken = 0
    for number in range(5000):
        taken += counts.reserve(3, [wanted(1, 1000), wanted(100 + number, 10)], NOW) == -1
    results.put(taken)


@pytest.mark.parametrize("edges", [1, 2, 4])
def test_click_counts_in_parallel_stop_exactly_at_limit(tmp_path: Path, edges: int) -> None:
    spawn = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[int] = spawn.Queue()
    go = spawn.Event()
    processes = [spawn.Process(target=_take_many, args=(tmp_path, edge, go, results)) for edge in range(1, edges + 1)]
    for process in processes:
        process.start()
    go.set()
    taken = [results.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
        process.close()
    results.close()
    results.join_thread()
    assert sum(taken) == 1000
