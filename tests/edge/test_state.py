"""Unique visitors: 24 hours, bounded, through restarts and several processes."""

import multiprocessing
from pathlib import Path

import pytest

from trackyard.edge.state import SEEN, WINDOW_S, UniqueVisitors

NOW = 1_700_000_000


def is_new(unique: UniqueVisitors, offer: int = 1, ip: str = "192.0.2.1", ua: str = "ua", now: int = NOW) -> bool:
    return unique.claim(offer, ip, ua, now) != SEEN


@pytest.mark.parametrize("shared", [False, True])
def test_a_visitor_is_new_once_for_each_offer(tmp_path: Path, shared: bool) -> None:
    unique = UniqueVisitors(tmp_path / "state" / "unique.map", size=64 * 1024, shared=shared)
    assert is_new(unique)
    assert not is_new(unique)
    assert is_new(unique, offer=2)
    assert is_new(unique, ip="192.0.2.2")
    assert is_new(unique, ua="other")
    assert not is_new(unique, offer=2)
    unique.close()


def test_the_window_counts_from_the_last_time_it_was_new(tmp_path: Path) -> None:
    unique = UniqueVisitors(tmp_path / "unique.map", size=64 * 1024)
    assert is_new(unique, now=NOW)
    assert not is_new(unique, now=NOW + WINDOW_S - 1)
    assert is_new(unique, now=NOW + WINDOW_S)
    assert not is_new(unique, now=NOW + WINDOW_S + 10)
    unique.close()


def test_a_released_claim_never_was(tmp_path: Path) -> None:
    unique = UniqueVisitors(tmp_path / "unique.map", size=64 * 1024)
    unique.release(unique.claim(1, "192.0.2.1", "ua", NOW))
    assert is_new(unique)
    unique.close()


def test_a_restart_remembers(tmp_path: Path) -> None:
    first = UniqueVisitors(tmp_path / "unique.map", size=64 * 1024)
    assert is_new(first)
    # Not closed: what was written is in the file all the same.
    second = UniqueVisitors(tmp_path / "unique.map", size=64 * 1024)
    assert not is_new(second)
    first.close()
    second.close()


def test_new_visitors_are_not_called_seen_and_the_file_does_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "unique.map"
    unique = UniqueVisitors(path, size=64 * 1024)
    # Five times what fits.
    assert all(is_new(unique, ip=f"10.0.{number // 256}.{number % 256}", now=NOW + number) for number in range(40_000))
    assert path.stat().st_size == 64 * 1024
    assert not is_new(unique, ip=f"10.0.{39_999 // 256}.{39_999 % 256}", now=NOW + 40_000), "the youngest stay"
    unique.close()


def _claim_many(path: Path, results: "multiprocessing.Queue[int]") -> None:
    unique = UniqueVisitors(path, size=1024 * 1024, shared=True)
    results.put(sum(is_new(unique, ip=f"10.0.{number // 256}.{number % 256}") for number in range(3000)))
    unique.close()


def test_two_processes_never_both_call_a_visitor_new(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[int] = spawn.Queue()
    processes = [spawn.Process(target=_claim_many, args=(tmp_path / "unique.map", results)) for _ in range(2)]
    for process in processes:
        process.start()
    counts = [results.get(timeout=30) for _ in processes]
    for process in processes:
        process.join()
        process.close()
    results.close()
    results.join_thread()
    assert sum(counts) == 3000
