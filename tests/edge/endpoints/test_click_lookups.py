"""Look-ups of clicks for pixels: bounded in number and time."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import running_edge
from tests.support.models.events import NOON, new_click
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_click_id
from trackyard.domain.tracking.ruleset import RulesetPixels
from trackyard.edge.endpoints import click_lookups as lookups
from trackyard.edge.endpoints.click_lookups import (
    MAX_CONCURRENT,
    MAX_PER_SECOND,
    MAX_PER_SECOND_OF_NETWORK,
    ClickLookupClient,
)
from trackyard.jobs.loading import click_lookups
from trackyard.journal.records import Click, encode

NOW = NOON
Found = list[Click | None]


@contextmanager
def answering(path: Path, find: Callable[[str], bytes | None]) -> Iterator[None]:
    """The process with the store."""
    stop = threading.Event()
    thread = threading.Thread(target=click_lookups.ClickLookupServer(path, find).run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def looked_up(path: Path, *asked: tuple[str, str]) -> Found:
    """What look-ups at one moment find, by click id and address."""

    async def ask() -> Found:
        find, found = ClickLookupClient(path, ManualClock(NOW)), list[Click | None]()
        done = asyncio.Event()

        def take(click: Click | None) -> None:
            found.append(click)
            if len(found) == len(asked):
                done.set()

        for click_id, address in asked:
            find(click_id, address, take)
        await asyncio.wait_for(done.wait(), 20)
        return found

    return asyncio.run(ask())


@pytest.mark.parametrize("folder", ["short", "long" * 40])
def test_click_lookup_finds_click_at_any_socket_path_length(tmp_path: Path, folder: str) -> None:
    click = new_click(1, sub1="é")
    path = tmp_path / folder / "clicks.sock"
    with answering(path, {click.id: encode(click)}.get):
        assert looked_up(path, (click.id, "192.0.2.1")) == [click]
        assert looked_up(path, (new_click_id(NOW, 1), "192.0.2.1")) == [None]
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()


def test_click_lookup_socket_of_killed_process_is_replaced(tmp_path: Path) -> None:
    click, path = new_click(1), tmp_path / "clicks.sock"
    click_lookups.ClickLookupServer(path, lambda _: None)._listener.close()
    with answering(path, {click.id: encode(click)}.get):
        assert looked_up(path, (click.id, "")) == [click]


def test_click_lookup_without_server_finds_nothing(tmp_path: Path) -> None:
    assert looked_up(tmp_path / "clicks.sock", (new_click(1).id, "192.0.2.1")) == [None]


@pytest.mark.parametrize("record", [b"", b"[1", b"rubbish", b"\xff"])
def test_click_lookup_of_unreadable_record_finds_nothing(tmp_path: Path, record: bytes) -> None:
    path = tmp_path / "clicks.sock"
    with answering(path, lambda _: record):
        assert looked_up(path, (new_click(1).id, "192.0.2.1")) == [None]


def test_click_lookup_that_is_slow_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "TIMEOUT_S", 0.01)
    path, given_up = tmp_path / "clicks.sock", threading.Event()

    def find(_: str) -> bytes:
        given_up.wait(20)
        return encode(new_click(1))

    with answering(path, find):
        assert looked_up(path, (new_click(1).id, "192.0.2.1")) == [None]
        given_up.set()


def test_click_lookup_that_timed_out_reads_no_store(tmp_path: Path) -> None:
    first, path, asked, goes_on = new_click(1), tmp_path / "clicks.sock", list[str](), threading.Event()
    began = threading.Event()

    def find(click_id: str) -> bytes | None:
        asked.append(click_id)
        began.set()
        goes_on.wait(20)
        return None

    async def ask() -> None:
        running, first_writer = await asyncio.open_unix_connection(path)
        first_writer.write(first.id.encode() + b"\n")
        await asyncio.to_thread(began.wait, 20)
        _, writer = await asyncio.open_unix_connection(path)  # it waits behind the first
        writer.write(new_click(2).id.encode() + b"\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        goes_on.set()
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(new_click(3).id.encode() + b"\n")
        for each in (running, reader):
            await asyncio.wait_for(each.read(), 20)
        first_writer.close()
        writer.close()

    with answering(path, find):
        asyncio.run(ask())
    assert asked == [first.id, new_click(3).id]


def test_click_lookup_rate_is_limited_per_address_and_in_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "MAX_CONCURRENT", 1000)
    path, asked = tmp_path / "clicks.sock", list[str]()

    def find(click_id: str) -> bytes | None:
        asked.append(click_id)
        return None

    def ids(count: int) -> list[str]:
        return [new_click_id(NOW, 1) for _ in range(count)]

    with answering(path, find):
        assert set(looked_up(path, *((each, "2001:db8::1") for each in ids(50)))) == {None}
        assert len(asked) == MAX_PER_SECOND_OF_NETWORK
        asked.clear()
        looked_up(path, *((each, f"2001:db8::{n:x}") for n, each in enumerate(ids(50))))
        assert len(asked) == MAX_PER_SECOND_OF_NETWORK
        asked.clear()
        looked_up(path, *((each, f"192.0.2.{n}") for n, each in enumerate(ids(200))))
        assert len(asked) <= MAX_PER_SECOND


def test_click_lookups_in_parallel_are_limited(tmp_path: Path) -> None:
    async def ask() -> int:
        find = ClickLookupClient(tmp_path / "clicks.sock", ManualClock(NOW))
        refused: Found = []
        for number in range(MAX_CONCURRENT + 3):
            find(new_click_id(NOW, 1), f"192.0.2.{number}", refused.append)
        return len(refused)  # those that run have not answered yet

    assert asyncio.run(ask()) == 3


def test_click_lookup_limit_renews_each_second(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    find = ClickLookupClient(tmp_path / "clicks.sock", clock)
    may = [find._is_allowed(new_click_id(NOW, 1), "192.0.2.1") for _ in range(MAX_PER_SECOND_OF_NETWORK + 1)]
    assert may == [True] * MAX_PER_SECOND_OF_NETWORK + [False]
    clock.advance(1000)
    assert find._is_allowed(new_click_id(NOW, 1), "192.0.2.1")
    assert not find._is_allowed(new_click_id(NOW + 3_600_000, 1), "192.0.2.1"), "no click comes from the future"


def test_pixel_page_is_sent_once_click_is_found(tmp_path: Path) -> None:
    click, path = new_click(1, offer=3, affiliate=7, sub1="x"), tmp_path / "clicks.sock"
    rows = [*ROWS, RulesetPixels(offer=3, affiliate=7, codes=("<i>{clickid} {sub1}</i>",))]
    shown = f"<i>{click.id} x</i>".encode()
    answered, goes_on = threading.Event(), threading.Event()

    def find(click_id: str) -> bytes | None:
        answered.set()
        goes_on.wait(20)
        return encode(click) if click_id == click.id else None

    with running_edge(tmp_path, rows, lookup_socket=path) as edge:
        assert b"<body></body>" in edge.ask(f"/success.php?afclick={click.id}").body
        goes_on.set()
        with answering(path, find):
            assert shown in edge.ask(f"/success.php?afclick={click.id}").body
            assert b"<body></body>" in edge.ask(f"/success.php?afclick={'a' * 24}").body
            goes_on.clear()
            assert b"<body></body>" in edge.ask(f"/success.php?afclick={click.id}").body, "it waits 300 ms at most"
            assert answered.is_set() and edge.ask("/click?pid=7&offer_id=3").status == 302
            goes_on.set()
