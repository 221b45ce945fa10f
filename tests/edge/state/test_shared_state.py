"""Two edges of two machines that share click caps and unique visitors through a real Valkey server."""

import itertools
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.clicks.edge import EdgeAnswer, RunningEdge, parse_answers, recorded, running_edge
from tests.support.clicks.rules import ADVERTISER, make_offer, packed
from tests.support.processes.valkey import ValkeyProcess, running_valkey
from tests.support.waiting import wait_until
from trackyard.domain.tracking.ruleset import (
    ClickCap,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetOffer,
    RulesetRow,
    RulesetSmartLink,
    RulesetSmartLinkOffer,
)
from trackyard.journal.records import Click

PLAIN, CAPPED, UNIQUE, SMALL = 1, 2, 3, 4
CAP, SMALL_CAP = 300, 10

_numbers = itertools.count()


def capped(offer: int, value: int) -> RulesetOffer:
    return make_offer(
        offer, click_caps=(ClickCap(id=f"cap-{offer}", period="month", value=value),), hash=f"{offer:024x}"
    )


ROWS: list[RulesetRow] = [
    make_offer(PLAIN, hash=f"{PLAIN:024x}"),
    capped(CAPPED, CAP),
    make_offer(UNIQUE, restrictions=packed(unique_only=True), hash=f"{UNIQUE:024x}"),
    capped(SMALL, SMALL_CAP),
    RulesetAffiliate(id=7),
    RulesetAdvertiser(id=ADVERTISER),
]


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def edges(tmp_path: Path, valkey: ValkeyProcess) -> Iterator[tuple[RunningEdge, RunningEdge]]:
    """Two edges with nothing in common but Valkey, which is empty and answers."""
    valkey.ask("FLUSHALL")
    with (
        running_edge(tmp_path / "a", ROWS, edge=1, redis_url=valkey.url, redis_slot="a-0") as first,
        running_edge(tmp_path / "b", ROWS, edge=2, redis_url=valkey.url, redis_slot="b-0") as second,
    ):
        for edge in (first, second):
            wait_until(lambda edge=edge: is_sharing(edge, valkey))
        yield first, second


def is_sharing(edge: RunningEdge, valkey: ValkeyProcess) -> bool:
    """Whether clicks of an edge reach Valkey. No other edge may have clicks meanwhile."""
    before = scripts_run(valkey)
    click(edge, UNIQUE, f"203.0.{next(_numbers) % 250}.{next(_numbers) % 250}")
    return scripts_run(valkey) > before


def click(edge: RunningEdge, offer: int, visitor: str) -> bool:
    """Whether a click of a visitor passes."""
    answer = edge.ask(f"/click?pid=7&offer_id={offer}", f"X-Forwarded-For: {visitor}")
    assert answer.status in (302, 404), answer
    return answer.status == 302


def click_of(offer: int, visitor: int) -> bytes:
    """A request for a click of a visitor, which has a number."""
    address = f"10.{visitor >> 16}.{visitor >> 8 & 255}.{visitor & 255}"
    return (
        f"GET /click?pid=7&offer_id={offer} HTTP/1.1\r\nHost: t.example\r\nX-Forwarded-For: {address}\r\n\r\n".encode()
    )


def passed(edge: RunningEdge, offer: int, visitors: range) -> int:
    """How many clicks pass, all sent at once on one connection, each of another visitor."""
    with edge.connect() as client:
        client.sendall(b"".join(click_of(offer, number) for number in visitors))
        data, answers = b"", list[EdgeAnswer]()
        while len(answers) < len(visitors):
            data += client.recv(65536)
            if data.count(b"\r\n\r\n") >= len(visitors):
                answers = parse_answers(data)
    return sum(answer.status == 302 for answer in answers)


def test_click_cap_is_exact_over_edges_that_fill_it_at_once(edges: tuple[RunningEdge, RunningEdge]) -> None:
    with ThreadPoolExecutor(4) as pool:
        counts = pool.map(lambda part: passed(edges[part % 2], CAPPED, range(part * 100, part * 100 + 100)), range(4))
        assert sum(counts) == CAP
    accepted = [
        item
        for edge, number in zip(edges, (1, 2), strict=True)
        for item in recorded(edge.options.journal_directory, number)
        if isinstance(item, Click) and item.offer == CAPPED and not item.reason
    ]
    assert len(accepted) == CAP


def test_unique_only_offer_accepts_visitor_once_over_edges(edges: tuple[RunningEdge, RunningEdge]) -> None:
    first, second = edges
    assert click(first, UNIQUE, "198.51.100.1")
    assert not click(second, UNIQUE, "198.51.100.1")
    assert not click(first, UNIQUE, "198.51.100.1")
    assert click(second, UNIQUE, "198.51.100.2")
    assert not click(first, UNIQUE, "198.51.100.2")


def test_offer_without_caps_and_uniqueness_never_asks_redis(
    edges: tuple[RunningEdge, RunningEdge], valkey: ValkeyProcess
) -> None:
    before = scripts_run(valkey)
    assert click(edges[0], PLAIN, "198.51.100.1")
    assert scripts_run(valkey) == before
    assert click(edges[0], SMALL, "198.51.100.1")
    assert scripts_run(valkey) == before + 1


def test_clicks_of_one_turn_of_the_loop_share_a_round_trip(
    edges: tuple[RunningEdge, RunningEdge], valkey: ValkeyProcess
) -> None:
    edge = edges[0]
    with ExitStack() as stack:
        clients = [stack.enter_context(edge.connect()) for _ in range(60)]
        for client in clients:  # each connection is accepted
            client.sendall(click_of(PLAIN, 1))
            assert b" 302 " in client.recv(4096)
        before = scripts_run(valkey), reads_done(valkey)
        assert edge.process.pid is not None
        os.kill(edge.process.pid, signal.SIGSTOP)  # so that all of them wait for one turn
        for number, client in enumerate(clients):
            client.sendall(click_of(CAPPED, number))
        os.kill(edge.process.pid, signal.SIGCONT)
        assert all(b" 302 " in client.recv(4096) for client in clients)
    assert scripts_run(valkey) - before[0] == 60
    assert reads_done(valkey) - before[1] <= 10


def reads_done(valkey: ValkeyProcess) -> int:
    """How often the server read from a client; the question for it is one."""
    found = re.search(rb"total_reads_processed:(\d+)", valkey.ask("INFO stats"))
    assert found is not None
    return int(found[1])


def scripts_run(valkey: ValkeyProcess) -> int:
    lines = valkey.ask("INFO commandstats").decode().splitlines()
    return sum(int(line.partition("calls=")[2].partition(",")[0]) for line in lines if "evalsha:" in line)


def test_edges_go_on_without_redis_and_agree_again_after_it_lost_everything(
    edges: tuple[RunningEdge, RunningEdge], valkey: ValkeyProcess
) -> None:
    first, second = edges
    assert passed(first, SMALL, range(4)) == 4
    assert passed(second, SMALL, range(10, 13)) == 3
    valkey.kill()
    try:
        assert click(first, SMALL, "198.51.100.1")
        assert click(first, UNIQUE, "198.51.100.9")
        assert not click(first, UNIQUE, "198.51.100.9"), "a machine knows its own visitors"
    finally:
        valkey.start()
    for edge in edges:
        wait_until(lambda edge=edge: is_sharing(edge, valkey), seconds=20)
    assert not click(second, UNIQUE, "198.51.100.9"), "the visitor of the outage is known to all"
    assert passed(second, SMALL, range(20, 24)) == 2, "4 + 3 + 1 clicks were counted"
    assert passed(first, SMALL, range(30, 34)) == 0


def test_click_is_decided_by_its_edge_when_redis_hangs(
    edges: tuple[RunningEdge, RunningEdge], valkey: ValkeyProcess
) -> None:
    valkey.send(signal.SIGSTOP)
    try:
        assert click(edges[0], SMALL, "198.51.100.1")
    finally:
        valkey.send(signal.SIGCONT)
    wait_until(lambda: is_sharing(edges[0], valkey), seconds=20)
    assert passed(edges[1], SMALL, range(12)) == SMALL_CAP - 1


def test_smartlink_passes_over_offer_that_another_machine_filled(tmp_path: Path, valkey: ValkeyProcess) -> None:
    link = RulesetSmartLink(id="5" * 24, offers=(RulesetSmartLinkOffer(SMALL, 2), RulesetSmartLinkOffer(PLAIN, 1)))
    valkey.ask("FLUSHALL")
    with (
        running_edge(tmp_path / "a", [*ROWS, link], edge=1, redis_url=valkey.url, redis_slot="a-0") as first,
        running_edge(tmp_path / "b", [*ROWS, link], edge=2, redis_url=valkey.url, redis_slot="b-0") as second,
    ):
        for edge in (first, second):
            wait_until(lambda edge=edge: is_sharing(edge, valkey))
        assert passed(first, SMALL, range(SMALL_CAP)) == SMALL_CAP
        assert second.ask(f"/sl?id={link.id}&pid=7", "X-Forwarded-For: 198.51.100.3").status == 302
        clicks = [item for item in recorded(second.options.journal_directory, 2) if isinstance(item, Click)]
    assert [(item.offer, item.reason) for item in clicks if item.smart_id] == [(PLAIN, "")]
