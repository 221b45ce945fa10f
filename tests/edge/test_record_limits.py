"""Limits of records of strangers (docs/spec/tracking.md#limits-of-records)."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from ipaddress import ip_network
from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import EdgeAnswer, RunningEdge, recorded, running_edge
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import make_ruleset
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock, SystemClock
from trackyard.base.ids import new_click_id
from trackyard.base.logs.episodes import EPISODE_END_S, EpisodeLog
from trackyard.base.rate_limits import RateLimit
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.conversions.click_lookups import KNOWN, UNDECIDED, UNKNOWN
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints import known_clicks
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.record_limits import RecordLimits
from trackyard.edge.server import EdgeOptions, _EdgeProcess
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.jobs.loading.click_lookups import ClickLookupServer
from trackyard.journal.records import Click, Impression, InboundPostback

BURST = 5
SLOW = RateLimit(per_second=1, burst=BURST)
TRUSTED = TrustedNetworks([ip_network("127.0.0.0/8")])


class LimitedEdge:
    """The edge's handler with a small limit, its journal and its counts."""

    def __init__(self, directory: Path, visitors: VisitorLookup, state: EdgeState) -> None:
        self.counters = Counters()
        self.limits = RecordLimits(TRUSTED, self.counters, SLOW)
        self.journal = MemoryJournal()
        self.handler = EdgeHandler(
            number=9,
            clock=ManualClock(NOW),
            journal=self.journal,
            visitors=visitors,
            state=state,
            trusted=TRUSTED,
            counters=self.counters,
            limits=self.limits,
        )
        self.handler.ruleset = make_ruleset(ROWS)

    def statuses(self, target: str, count: int = 1, peer: str = "192.0.2.{}") -> list[int]:
        """Ask from several addresses of one network."""
        return [ask(self.handler, target, peer=peer.format(number % 250)).status for number in range(count)]


@pytest.fixture
def limited(tmp_path: Path, visitors: VisitorLookup) -> Iterator[LimitedEdge]:
    options = StateOptions(tmp_path / "state", tmp_path / "journal", tmp_path / "rules", 9, size=64 * 1024)
    state = EdgeState(options, lambda: (0, 0), NOW // 1000)
    yield LimitedEdge(tmp_path, visitors, state)
    state.close()


@pytest.mark.parametrize(
    ("target", "kind", "status"),
    [
        ("/click?pid=7&offer_id=999", "click", 404),
        ("/sl?id=nothing&pid=7", "click", 404),
        ("/imp?aid=7&oid=999", "impression", 200),
        ("/postback?clickid=invented", "postback", 200),
        ("/postback", "postback", 200),
        ("/success.jpg?afclick=invented", "postback", 200),
        ("/success.php?afclick=invented", "postback", 200),
    ],
)
def test_junk_of_one_network_over_rate_is_answered_and_counted_only(
    limited: LimitedEdge, target: str, kind: str, status: int
) -> None:
    assert limited.statuses(target, 3 * BURST) == [status] * 3 * BURST
    assert len(limited.journal.records) == BURST
    assert limited.counters.unrecorded == {kind: 2 * BURST}
    assert limited.statuses(target, 2, peer="198.51.100.{}") == [status] * 2
    assert len(limited.journal.records) == BURST + 2, "another network has a rate of its own"


def test_junk_of_trusted_proxy_itself_has_no_rate(limited: LimitedEdge) -> None:
    limited.statuses("/click?pid=7&offer_id=999", 3 * BURST, peer="127.0.0.{}")
    limited.statuses("/postback?clickid=invented", 3 * BURST, peer="127.0.0.{}")
    assert len(limited.journal.records) == 6 * BURST


def test_honest_clicks_have_no_rate(limited: LimitedEdge) -> None:
    limited.statuses("/click?pid=7&offer_id=999", 3 * BURST)
    limited.statuses("/click?pid=7&offer_id=3", 3 * BURST)
    accepted = [record for record in limited.journal.records if isinstance(record, Click) and not record.reason]
    assert len(accepted) == 3 * BURST


def test_postback_that_may_be_known_is_recorded_over_rate_without_look_ups(limited: LimitedEdge) -> None:
    limited.statuses(f"/postback?clickid={new_click_id(NOW, 9)}", 3 * BURST)
    assert len(limited.journal.records) == 3 * BURST
    assert not limited.counters.unrecorded


def test_junk_is_not_recorded_while_disk_is_nearly_full_and_the_rest_is(limited: LimitedEdge) -> None:
    limited.limits.is_disk_low = True
    for target in ("/click?pid=7&offer_id=999", "/imp?aid=7&oid=999", "/postback?clickid=invented"):
        limited.statuses(target)
    assert limited.journal.records == []
    limited.statuses("/click?pid=7&offer_id=3")
    limited.statuses(f"/postback?clickid={new_click_id(NOW, 9)}")
    assert [type(record) for record in limited.journal.records] == [Click, InboundPostback]
    limited.limits.is_disk_low = False
    limited.statuses("/imp?aid=7&oid=999")
    assert isinstance(limited.journal.records[-1], Impression)


def test_edge_sees_that_disk_is_nearly_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    free = 9

    def disk(_path: object) -> os.statvfs_result:
        return os.statvfs_result((4096, 2**30, 100, free, free, 0, 0, 0, 0, 255))

    monkeypatch.setattr(os, "statvfs", disk)
    options = EdgeOptions("127.0.0.1", 0, 1, tmp_path / "journal", tmp_path / "rules", tmp_path / "state")
    with ExitStack() as stack, caplog.at_level(logging.INFO, "trackyard.edge"):
        loop = stack.enter_context(asyncio.Runner()).get_loop()
        process = _EdgeProcess(options, SystemClock(), loop, stack)
        for _ in range(3):
            process._report_limits()
        assert process._limits.is_disk_low
        free = 11
        process._report_limits()
        assert not process._limits.is_disk_low
    said = [record.message for record in caplog.records if "disk" in record.message]
    assert said == ["disk nearly full", "disk has room again"]


def test_unrecorded_requests_are_logged_at_their_begin_and_end(caplog: pytest.LogCaptureFixture) -> None:
    log = EpisodeLog(logging.getLogger("trackyard.edge"), "requests not recorded", "requests recorded again")
    with caplog.at_level(logging.INFO, "trackyard.edge"):
        for second, count in enumerate([0, 3, 0, 4, *[0] * int(EPISODE_END_S + 1)]):
            log.update(count, float(second))
    assert [record.message for record in caplog.records] == ["requests not recorded", "requests recorded again"]
    assert caplog.records[-1].__dict__["count"] == 7


# --- look-ups -------------------------------------------------------------------------------------------


@contextmanager
def asked_edge(directory: Path, judge: Callable[[Sequence[str]], str] | None) -> Iterator[RunningEdge]:
    """Run an edge that trusts no proxy, with a burst of one, next to the process that knows the clicks."""
    path, stop = directory / "run" / "clicks.sock", threading.Event()
    thread = None
    if judge is not None:
        server = ClickLookupServer(path, lambda _: None, judge)
        thread = threading.Thread(target=server.run, args=(stop,))
        thread.start()
    try:
        with running_edge(
            directory, ROWS, trusted_networks=(), lookup_socket=path, record_rate=RateLimit(per_second=1, burst=1)
        ) as edge:
            yield edge
    finally:
        stop.set()
        if thread is not None:
            thread.join()


def send_postbacks(edge: RunningEdge, ids: Sequence[str]) -> list[EdgeAnswer]:
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda click_id: edge.ask(f"/postback?clickid={click_id}"), ids))


def recorded_ids(edge: RunningEdge) -> set[str]:
    found = recorded(edge.options.journal_directory)
    return {record.params["clickid"] for record in found if isinstance(record, InboundPostback)}


def test_plausible_ids_over_rate_are_looked_up_and_only_known_ones_recorded(tmp_path: Path) -> None:
    now = SystemClock().now_ms()
    known, unknown = ({new_click_id(now, 1) for _ in range(40)} for _ in range(2))

    def judge(ids: Sequence[str]) -> str:
        return "".join(KNOWN if click_id in known else UNKNOWN for click_id in ids)

    with asked_edge(tmp_path, judge) as edge:
        edge.ask("/postback?clickid=first")
        answers = send_postbacks(edge, [*known, *unknown])
        assert {(answer.status, answer.body) for answer in answers} == {(200, b'{"status":1}')}
        found = recorded_ids(edge)
    assert known <= found, "an honest postback is always recorded"
    assert len(found & unknown) <= 3, "those that the rate allows meanwhile"


def test_postback_waits_for_click_that_may_still_be_loaded(tmp_path: Path) -> None:
    signs = iter([UNDECIDED, UNDECIDED, KNOWN])
    click_id = new_click_id(SystemClock().now_ms(), 1)
    with asked_edge(tmp_path, lambda ids: next(signs)) as edge:
        edge.ask("/postback?clickid=first")
        assert edge.ask(f"/postback?clickid={click_id}").status == 200
        assert click_id in recorded_ids(edge)


@pytest.mark.parametrize("judge", [None, lambda ids: "", lambda ids: 1 / 0])
def test_postback_is_recorded_over_rate_when_no_look_up_answers(
    tmp_path: Path, judge: Callable[[Sequence[str]], str] | None
) -> None:
    ids = {new_click_id(SystemClock().now_ms(), 1) for _ in range(5)}
    with asked_edge(tmp_path, judge) as edge:
        edge.ask("/postback?clickid=first")
        assert {answer.status for answer in send_postbacks(edge, [*ids])} == {200}
        assert ids <= recorded_ids(edge)


def test_known_postback_is_recorded_although_its_client_went(tmp_path: Path) -> None:
    click_id, asked, answered = new_click_id(SystemClock().now_ms(), 1), threading.Event(), threading.Event()

    def judge(ids: Sequence[str]) -> str:
        asked.set()
        assert answered.wait(10)
        return KNOWN

    with asked_edge(tmp_path, judge) as edge:
        edge.ask("/postback?clickid=first")
        with edge.connect() as client:
            client.sendall(f"GET /postback?clickid={click_id} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
            assert asked.wait(10)
        answered.set()
        edge.ask("/postback?clickid=second")
        wait_until(lambda: click_id in recorded_ids(edge))


def test_look_ups_take_networks_in_turn_and_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_clicks, "MAX_WAITING", 200)
    batches: list[list[str]] = []

    def judge(ids: Sequence[str]) -> str:
        batches.append(list(ids))
        return UNKNOWN * len(ids)

    async def flood(path: Path) -> list[bool]:
        clicks, decided, all_decided = known_clicks.KnownClicks(path), list[bool](), asyncio.Event()

        def decide(known: bool) -> None:
            decided.append(known)
            if len(decided) == 200:
                all_decided.set()

        taken = [clicks.ask(f"{number:024x}", "flood", decide) for number in range(199)]
        taken += [clicks.ask("f" * 24, "honest", decide), clicks.ask("e" * 24, "honest", decide)]
        await asyncio.wait_for(all_decided.wait(), 20)
        assert decided == [False] * 200
        return taken

    path, stop = tmp_path / "clicks.sock", threading.Event()
    thread = threading.Thread(target=ClickLookupServer(path, lambda _: None, judge).run, args=(stop,))
    thread.start()
    try:
        assert asyncio.run(flood(path)) == [True] * 200 + [False]
    finally:
        stop.set()
        thread.join()
    assert "f" * 24 in batches[0], "behind one share of the network before it, not behind all of it"
    assert max(map(len, batches)) <= known_clicks.MAX_OF_NETWORK + 1
