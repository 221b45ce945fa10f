"""The state of edges as another process reads it, without a change."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.decision.clicks import GOOD, build_hit
from tests.support.clicks.edge import RunningEdge, running_edge
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset
from trackyard.base.clock import SystemClock
from trackyard.decision.click.hit import Hit
from trackyard.decision.visitor.geo import GeoRecord
from trackyard.decision.visitor.visitor import Agent, visitor_key
from trackyard.domain.tracking.ruleset import ClickCap, RulesetAdvertiser, RulesetAffiliate, RulesetRow
from trackyard.edge.state.read_only import ReadOnlyEdgeState
from trackyard.edge.state.unique import UniqueVisitors

CAP = ClickCap(id="c" * 24, period="all", value=2)
ROWS: list[RulesetRow] = [
    make_offer(click_caps=(CAP,)),
    RulesetAffiliate(id=7),
    RulesetAdvertiser(id=ADVERTISER),
]


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[RunningEdge]:
    with running_edge(tmp_path, ROWS) as running:
        yield running


RULESET = make_ruleset(ROWS)
ROUTE = RULESET.route_of(GOOD)


def make_visitor_hit(ip: str) -> Hit:
    return build_hit(RULESET, GOOD, now=SystemClock().now_ms(), ip=ip, place=GeoRecord(), ua="ua", agent=Agent())


def look(state: ReadOnlyEdgeState, ip: str) -> tuple[bool, str]:
    hit = make_visitor_hit(ip)
    return state.is_new(hit, ROUTE), state.find_full_cap(hit, ROUTE)


def test_read_only_state_sees_edge_counts_and_counts_nothing(edge: RunningEdge) -> None:
    state = ReadOnlyEdgeState(edge.options.state_directory)
    click = ("/click?pid=7&offer_id=3", "User-Agent: ua", "X-Forwarded-For: 192.0.2.1")
    assert look(state, "192.0.2.1") == (True, "")
    assert edge.ask(*click).status == 302
    for _ in range(3):
        assert look(state, "192.0.2.1") == (False, "")
        assert look(state, "192.0.2.2")[0]
    assert "shop.example" in edge.ask(*click).headers["location"]
    assert look(state, "192.0.2.1")[1] == CAP.id


def test_read_only_state_without_edges_is_empty(tmp_path: Path) -> None:
    state = ReadOnlyEdgeState(tmp_path)
    assert look(state, "192.0.2.1") == (True, "")
    assert list(tmp_path.iterdir()) == []


def test_read_only_state_leaves_new_files_untouched(tmp_path: Path) -> None:
    state = ReadOnlyEdgeState(tmp_path)
    made = [tmp_path / "visitors.map", tmp_path / "counts-001.map"]
    for path in made:
        path.touch()
    assert look(state, "192.0.2.1") == (True, "")
    assert [path.stat().st_size for path in made] == [0, 0]


def test_read_only_state_reads_visitor_file_of_other_size(tmp_path: Path) -> None:
    with closing(UniqueVisitors(tmp_path / "visitors.map", size=512)) as visitors:
        visitors.claim(3, visitor_key("192.0.2.1", "ua"), "", SystemClock().now_ms() // 1000)
        with closing(UniqueVisitors(tmp_path / "visitors.map", size=1024, writes=False)) as looking:
            assert looking.seen(3, visitor_key("192.0.2.1", "ua"), "", SystemClock().now_ms() // 1000)
    assert (tmp_path / "visitors.map").stat().st_size == 4096 + 512
