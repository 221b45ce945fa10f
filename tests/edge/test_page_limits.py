"""Limits of pages of the tracking listener (docs/spec/tracking.md#limits-of-pages)."""

import time
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import read_answers, running_edge
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import make_ruleset
from trackyard.base.clock import ManualClock
from trackyard.base.rate_limits import RateLimit
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import HeldResponse, Response
from trackyard.edge.page_limits import DELAY_S, RATE, PageLimits
from trackyard.edge.state.click_state import EdgeState, StateOptions

BURST = 5
MORE = 60
"""More requests than a busy machine gives tokens for while it answers a burst."""
TRUSTED = TrustedNetworks([ip_network("127.0.0.0/8")])


class LimitedPages:
    """The edge's handler with a small limit of pages, and the answers that wait."""

    def __init__(self, visitors: VisitorLookup, state: EdgeState) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []
        self.counters = Counters()
        self.handler = EdgeHandler(
            number=9,
            clock=ManualClock(NOW),
            journal=MemoryJournal(),
            visitors=visitors,
            state=state,
            trusted=TRUSTED,
            counters=self.counters,
            page_limits=PageLimits(TRUSTED, self._call_later, RateLimit(per_second=1, burst=BURST)),
        )
        self.handler.ruleset = make_ruleset(ROWS)

    def _call_later(self, seconds: float, run: Callable[[], None]) -> None:
        self.waiting.append((seconds, run))


@pytest.fixture
def pages(tmp_path: Path, visitors: VisitorLookup) -> Iterator[LimitedPages]:
    options = StateOptions(tmp_path / "state", tmp_path / "journal", tmp_path / "rules", 9, size=64 * 1024)
    state = EdgeState(options, lambda: (0, 0), NOW // 1000)
    yield LimitedPages(visitors, state)
    state.close()


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [
        ("/healthz", "GET", 200),
        ("/readyz", "GET", 200),
        ("/metrics", "GET", 404),
        ("/robots.txt", "GET", 200),
        ("/nothing", "GET", 404),
        ("/healthz", "DELETE", 405),
    ],
)
def test_page_over_rate_waits_and_is_refused(pages: LimitedPages, target: str, method: str, status: int) -> None:
    answers = [ask(pages.handler, target, method=method, peer=f"192.0.2.{number}") for number in range(BURST)]
    assert [answer.status for answer in answers] == [status] * BURST
    held = ask(pages.handler, target, method=method)
    assert isinstance(held, HeldResponse) and held.decided is None
    [(seconds, settle)] = pages.waiting
    settle()
    decided: Response | None = held.decided
    assert seconds == DELAY_S and decided is not None
    assert (decided.status, decided.durable) == (429, False) and b"Retry-After" in decided.headers
    assert pages.counters.requests[(target if target != "/nothing" else "other"), 429] == 1
    assert ask(pages.handler, target, method=method, peer="198.51.100.1").status == status, "another network"


def test_tracking_addresses_do_not_count_as_pages(pages: LimitedPages) -> None:
    for _ in range(3 * BURST):
        ask(pages.handler, "/click?pid=7&offer_id=3")
        ask(pages.handler, "/postback?clickid=nothing")
        ask(pages.handler, "/imp?aid=7&oid=3")
    assert not pages.waiting
    assert ask(pages.handler, "/healthz").status == 200


def test_page_limits_count_visitors_of_a_proxy_by_their_addresses(pages: LimitedPages) -> None:
    for number in range(3 * BURST):
        assert ask(pages.handler, "/healthz", peer="127.0.0.1").status == 200, "the proxy itself"
        forwarded = {"x-forwarded-for": f"192.0.2.{number}".encode()}
        ask(pages.handler, "/healthz", peer="127.0.0.1", **forwarded)
    assert len(pages.waiting) == 2 * BURST


def test_pages_over_rate_on_the_wire_wait_and_keep_their_order(tmp_path: Path) -> None:
    with running_edge(tmp_path, ROWS, trusted_networks=()) as edge:
        sent = b"GET /healthz HTTP/1.1\r\nHost: t.example\r\n\r\n" * (RATE.burst + MORE - 1)
        last = b"GET /robots.txt HTTP/1.1\r\nHost: t.example\r\nConnection: close\r\n\r\n"
        begun = time.monotonic()
        answers = read_answers(edge, sent + last)
    assert time.monotonic() - begun >= DELAY_S
    statuses = [answer.status for answer in answers]
    assert len(statuses) == RATE.burst + MORE and set(statuses[: RATE.burst]) == {200} and 429 in statuses[RATE.burst :]
    assert b"User-agent" in answers[-1].body or statuses[-1] == 429
