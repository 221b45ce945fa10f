"""What a process beside the edges sees of their state, without changing it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.edge import RunningEdge, running_edge
from tests.support.rules import ADVERTISER, an_offer, rules_of
from trackyard.base.clock import SystemClock
from trackyard.decision.click.hit import Hit
from trackyard.decision.visitor.visitor import Agent, Place, who_is
from trackyard.domain.tracking.ruleset import Advertiser, Affiliate, ClickCap, Row
from trackyard.edge.state.read_only import Onlooker
from trackyard.edge.state.unique import UniqueVisitors

CAP = ClickCap(id="c" * 24, period="all", value=2)
ROWS: list[Row] = [an_offer(click_caps=(CAP,)), Affiliate(id=7, active=True), Advertiser(id=ADVERTISER)]


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[RunningEdge]:
    with running_edge(tmp_path, ROWS) as running:
        yield running


def a_hit(ip: str) -> Hit:
    params = {"offer_id": "3", "pid": "7"}
    return Hit(rules_of(ROWS), SystemClock().now_ms(), "c" * 24, params, ip, Place(), "ua", Agent(), "", "")


def test_it_sees_what_the_edge_counted_and_counts_nothing(edge: RunningEdge) -> None:
    onlooker = Onlooker(edge.options.state_directory)
    click = ("/click?pid=7&offer_id=3", "User-Agent: ua", "X-Forwarded-For: 192.0.2.1")
    assert (onlooker.is_new(a_hit("192.0.2.1")), onlooker.full_cap(a_hit("192.0.2.1"))) == (True, "")
    assert edge.ask(*click).status == 302
    for _ in range(3):
        assert (onlooker.is_new(a_hit("192.0.2.1")), onlooker.full_cap(a_hit("192.0.2.1"))) == (False, "")
        assert onlooker.is_new(a_hit("192.0.2.2"))
    assert "shop.example" in edge.ask(*click).headers["location"]
    assert onlooker.full_cap(a_hit("192.0.2.1")) == CAP.id


def test_without_edges_nothing_was_seen(tmp_path: Path) -> None:
    onlooker = Onlooker(tmp_path)
    assert (onlooker.is_new(a_hit("192.0.2.1")), onlooker.full_cap(a_hit("192.0.2.1"))) == (True, "")
    assert list(tmp_path.iterdir()) == []


def test_files_that_an_edge_just_makes_stay_as_they_are(tmp_path: Path) -> None:
    onlooker = Onlooker(tmp_path)
    made = [tmp_path / "visitors.map", tmp_path / "counts-001.map"]
    for path in made:
        path.touch()
    assert (onlooker.is_new(a_hit("192.0.2.1")), onlooker.full_cap(a_hit("192.0.2.1"))) == (True, "")
    assert [path.stat().st_size for path in made] == [0, 0]


def test_visitors_of_another_size_are_looked_at(tmp_path: Path) -> None:
    with closing(UniqueVisitors(tmp_path / "visitors.map", size=512)) as visitors:
        visitors.claim(3, who_is("192.0.2.1", "ua"), "", SystemClock().now_ms() // 1000)
        with closing(UniqueVisitors(tmp_path / "visitors.map", size=1024, writes=False)) as looking:
            assert looking.seen(3, who_is("192.0.2.1", "ua"), "", SystemClock().now_ms() // 1000)
    assert (tmp_path / "visitors.map").stat().st_size == 4096 + 512
