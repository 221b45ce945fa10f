"""Unique visitors: by address or cookie, 24 hours, bounded, through restarts and several processes."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from trackyard.decision.visitor.visitor import visitor_key
from trackyard.edge.state import visitors_file
from trackyard.edge.state.unique import WINDOW_S, UniqueVisitors

NOW = 1_700_000_000
SIZE = 64 * 1024
CLICK = "a" * 24


@pytest.fixture(params=[False, True], ids=["alone", "shared"])
def unique(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[UniqueVisitors]:
    made = UniqueVisitors(tmp_path / "state" / "visitors.map", size=SIZE, shared=request.param)
    yield made
    made.close()


def is_new(
    unique: UniqueVisitors,
    offer: int = 1,
    ip: str = "192.0.2.1",
    ua: str = "ua",
    now: int = NOW,
    cookie: str = "",
    given: str = "",
) -> bool:
    return unique.claim(offer, visitor_key(ip, ua), cookie, now, given) is not None


def test_unique_visitor_is_new_once_per_offer(unique: UniqueVisitors) -> None:
    assert is_new(unique)
    assert not is_new(unique)
    assert is_new(unique, offer=2)
    assert is_new(unique, ip="192.0.2.2")
    assert is_new(unique, ua="other")
    assert not is_new(unique, offer=2)


def test_unique_visitor_window_starts_at_last_unique_click(unique: UniqueVisitors) -> None:
    assert is_new(unique, now=NOW)
    assert not is_new(unique, now=NOW + WINDOW_S - 1)
    assert is_new(unique, now=NOW + WINDOW_S)
    assert not is_new(unique, now=NOW + WINDOW_S + 10)


def test_unique_visitor_is_known_by_cookie_of_the_offer(unique: UniqueVisitors) -> None:
    assert is_new(unique, given=CLICK)
    moved = {"ip": "198.51.100.9", "ua": "other"}
    assert not is_new(unique, cookie=CLICK, given="b" * 24, **moved)
    assert is_new(unique, offer=2, cookie=CLICK, given="b" * 24, **moved), "a cookie of another offer says nothing"
    assert not is_new(unique, cookie=CLICK, given="c" * 24, now=NOW + WINDOW_S - 1, **moved)
    assert is_new(unique, cookie=CLICK, given="d" * 24, now=NOW + WINDOW_S, **moved)


def test_unique_visitor_known_by_cookie_does_not_register_address(unique: UniqueVisitors) -> None:
    assert is_new(unique, given=CLICK)
    assert not is_new(unique, ip="198.51.100.9", cookie=CLICK, given="b" * 24)
    assert is_new(unique, ip="198.51.100.9", given="c" * 24), "only a unique click makes its address seen"


def test_unique_visitor_with_unknown_cookie_is_new(unique: UniqueVisitors) -> None:
    assert is_new(unique, cookie="f" * 24, given=CLICK)
    assert not is_new(unique, ip="198.51.100.9", cookie=CLICK, given="b" * 24), "the one given with the click is known"


def test_unique_visitor_address_is_no_cookie(unique: UniqueVisitors) -> None:
    assert is_new(unique, ip="", ua="")
    assert is_new(unique, ip="198.51.100.9", cookie="0" * 24, given=CLICK)


def test_unique_visitor_peek_claims_nothing(unique: UniqueVisitors) -> None:
    assert not unique.seen(1, visitor_key("192.0.2.1", "ua"), CLICK, NOW)
    assert is_new(unique, given=CLICK)
    assert unique.seen(1, visitor_key("192.0.2.1", "ua"), "", NOW + WINDOW_S - 1)
    assert unique.seen(1, visitor_key("198.51.100.9", "other"), CLICK, NOW + 5)
    assert not unique.seen(1, visitor_key("198.51.100.9", "other"), "", NOW + 5)
    assert not unique.seen(1, visitor_key("192.0.2.1", "ua"), CLICK, NOW + WINDOW_S)


def test_unique_visitor_claim_rolls_back(unique: UniqueVisitors) -> None:
    claim = unique.claim(1, visitor_key("192.0.2.1", "ua"), "", NOW, CLICK)
    assert claim is not None
    for _ in range(2):  # the second time does nothing
        unique.roll_back(claim)
    assert not unique.seen(1, visitor_key("192.0.2.1", "ua"), CLICK, NOW)
    assert is_new(unique)


def test_unique_visitors_survive_restart(tmp_path: Path) -> None:
    first = UniqueVisitors(tmp_path / "visitors.map", size=SIZE)
    assert is_new(first)
    # Not closed: what was written is in the file all the same.
    second = UniqueVisitors(tmp_path / "visitors.map", size=SIZE)
    assert not is_new(second)
    first.close()
    second.close()


def test_unique_visitor_file_of_other_size_is_recreated(tmp_path: Path) -> None:
    path = tmp_path / "visitors.map"
    for size in (SIZE, 2 * SIZE):
        unique = UniqueVisitors(path, size=size)
        assert unique.fresh
        unique.set_loaded()
        assert is_new(unique)
        unique.close()
        again = UniqueVisitors(path, size=size)
        assert not again.fresh
        again.close()


def test_unique_visitors_since_a_moment_can_be_forgotten(unique: UniqueVisitors) -> None:
    for number in range(500):
        assert is_new(unique, ip=f"10.0.{number // 256}.{number % 256}", now=NOW + number)
    unique.remove_since(NOW + 249)
    visitors = [visitor_key(f"10.0.{number // 256}.{number % 256}", "ua") for number in range(500)]
    kept = [number for number, who in enumerate(visitors) if unique.seen(1, who, "", NOW)]
    assert kept == list(range(250))


def test_unique_visitor_file_has_constant_size(unique: UniqueVisitors, tmp_path: Path) -> None:
    path = tmp_path / "state" / "visitors.map"
    size = path.stat().st_size
    # Five times what fits.
    assert all(is_new(unique, ip=f"10.0.{number // 256}.{number % 256}", now=NOW + number) for number in range(40_000))
    assert path.stat().st_size == size
    assert not is_new(unique, ip=f"10.0.{39_999 // 256}.{39_999 % 256}", now=NOW + 40_000), "the youngest stay"


@pytest.mark.parametrize(
    ("visitors", "size"),
    [
        (150_000, 4 * 1024 * 1024),
        pytest.param(10_000_000, 256 * 1024 * 1024, marks=pytest.mark.long),
    ],
)
def test_unique_visitor_error_rates_are_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visitors: int, size: int
) -> None:
    """The error rates of docs/decisions/0017, 39 visitors a kilobyte, with growth."""
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", size // 64)
    visitors = min(visitors, size * 10_000_000 // (256 * 1024 * 1024))
    unique = UniqueVisitors(tmp_path / "visitors.map", size=size)
    wrongly_seen = forgotten = 0
    for number in range(visitors):
        wrongly_seen += not is_new(
            unique, ip=_address(number), now=NOW + number * 86_000 // visitors, given=f"{number:024x}"
        )
    for number in range(visitors):
        forgotten += not unique.seen(1, visitor_key(_address(number), "ua"), "", NOW + 86_000)
    assert unique.segments == 3
    unique.close()
    assert wrongly_seen / visitors < 0.000_01
    assert forgotten / visitors < 0.001


def _address(number: int) -> str:
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def _claim_many(path: Path, results: "multiprocessing.Queue[int]") -> None:
    unique = UniqueVisitors(path, size=1024 * 1024, shared=True)
    results.put(sum(is_new(unique, ip=f"10.0.{n // 256}.{n % 256}", given=f"{n:024x}") for n in range(3000)))
    unique.close()


def test_unique_visitor_is_new_in_one_of_two_processes(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[int] = spawn.Queue()
    processes = [spawn.Process(target=_claim_many, args=(tmp_path / "visitors.map", results)) for _ in range(2)]
    for process in processes:
        process.start()
    counts = [results.get(timeout=30) for _ in processes]
    for process in processes:
        process.join()
        process.close()
    results.close()
    results.join_thread()
    assert sum(counts) == 3000
