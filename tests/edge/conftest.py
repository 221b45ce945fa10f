"""Fixtures of the edge's tests."""

from collections.abc import Callable, Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from tests.support.clicks.edge import RunningEdge, running_edge
from tests.support.clicks.edge_handler import NOW, MemoryJournal
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset
from trackyard.base.clock import ManualClock
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate, RulesetRow
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.endpoints.pixels import FindClick
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.state.click_state import EdgeState, StateOptions

ROWS: list[RulesetRow] = [make_offer(), RulesetAffiliate(id=7), RulesetAdvertiser(id=ADVERTISER)]


@pytest.fixture(scope="module")
def shared_edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEdge]:
    """Run one edge for the tests of a module that do not change it."""
    with running_edge(tmp_path_factory.mktemp("edge"), ROWS) as edge:
        yield edge


@pytest.fixture(scope="module")
def visitors() -> Iterator[VisitorLookup]:
    made = VisitorLookup()
    yield made
    made.close()


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def edge(edge_with: Callable[..., EdgeHandler]) -> EdgeHandler:
    return edge_with()


@pytest.fixture
def edge_with(
    tmp_path: Path, journal: MemoryJournal, clock: ManualClock, visitors: VisitorLookup
) -> Iterator[Callable[..., EdgeHandler]]:
    """Return a function that makes an edge with look-ups of clicks and a key of forwarded requests."""
    options = StateOptions(tmp_path / "state", tmp_path / "journal", tmp_path / "rules", 9, size=64 * 1024)
    state = EdgeState(options, lambda: (0, 0), NOW // 1000)

    def make(
        find_click: FindClick | None = None,
        forward_key: bytes = b"",
        senders: TrustedNetworks | None = None,
        hsts_seconds: int = 0,
    ) -> EdgeHandler:
        made = EdgeHandler(
            number=9,
            clock=clock,
            journal=journal,
            visitors=visitors,
            state=state,
            trusted=TrustedNetworks([ip_network("127.0.0.0/8")]),
            counters=Counters(),
            forward_key=forward_key,
            find_click=find_click,
            senders=senders,
            hsts_seconds=hsts_seconds,
        )
        made.ruleset = make_ruleset(ROWS)
        return made

    yield make
    state.close()
