"""How many clicks of a visitor are unique, and for how long, where the advertiser says so."""

from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import publish, recorded
from tests.support.clicks.edge_handler import MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset, packed
from tests.support.clicks.state import NOW_MS, OFFER, StatefulEdge, rows, stateful_edge
from trackyard.base.clock import ManualClock
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetRow
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.state.unique import UniqueVisitors
from trackyard.journal.records import Click

CLICK = "/click?pid=7&offer_id=3"
HOUR_MS = 3_600_000


def advertiser(clicks: int = 1, hours: int = 24) -> RulesetAdvertiser:
    return RulesetAdvertiser(id=ADVERTISER, unique_clicks=clicks, unique_hours=hours)


def uniques(journal: MemoryJournal) -> list[int]:
    return [click.uniq for click in journal.records if isinstance(click, Click)]


@pytest.mark.parametrize("hours", [1, 24, 25, 48])
def test_visitor_is_new_again_after_the_hours_of_the_advertiser(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock, hours: int
) -> None:
    edge.ruleset = make_ruleset([*ROWS[:2], advertiser(hours=hours)])
    answer = ask(edge, CLICK, peer="192.0.2.1")
    given = journal.click.id
    assert f"afuniq_3={given}; Max-Age={hours * 3600}; ".encode() in answer.headers
    clock.advance(hours * HOUR_MS - 1000)
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK, peer="192.0.2.2", cookie=b"afuniq_3=" + given.encode())
    clock.advance(1000)
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK, peer="192.0.2.3", cookie=b"afuniq_3=" + given.encode())
    assert uniques(journal) == [1, 0, 0, 1, 1]


def test_visitor_has_as_many_unique_clicks_within_the_hours_as_the_advertiser_says(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock
) -> None:
    edge.ruleset = make_ruleset([make_offer(restrictions=packed(hosts_only=True)), ROWS[1], advertiser(2, hours=2)])
    for minutes, peer in ((0, 1), (90, 1), (15, 1), (0, 2), (15, 1), (0, 1), (90, 1), (0, 1)):
        clock.advance(minutes * 60_000)
        ask(edge, CLICK, peer=f"192.0.2.{peer}")
    assert uniques(journal) == [1, 1, 0, 1, 1, 0, 1, 0], "each unique click counts for two hours of its own"
    counted = [click.reason for click in journal.records if isinstance(click, Click)]
    assert [not reason for reason in counted] == [bool(each) for each in uniques(journal)], "statistics count these"


def test_several_unique_clicks_are_counted_without_the_cookie(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([*ROWS[:2], advertiser(2)])
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK, peer="192.0.2.2", cookie=b"afuniq_3=" + journal.click.id.encode())
    assert uniques(journal) == [1, 1]


def test_unique_ip_only_is_once_a_day_whatever_the_advertiser_says(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock
) -> None:
    unique_only = make_offer(restrictions=packed(unique_only=True))
    edge.ruleset = make_ruleset([unique_only, ROWS[1], advertiser(3, hours=1)])
    for hours in (0, 2, 22):
        clock.advance(hours * HOUR_MS)
        ask(edge, CLICK, peer="192.0.2.1")
    assert uniques(journal) == [1, 0, 1]


def test_rejected_click_takes_none_of_several_unique_clicks(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock
) -> None:
    edge.ruleset = make_ruleset([make_offer(duplicate_clicks=1), ROWS[1], advertiser(2)])
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK, peer="192.0.2.1")
    edge.ruleset = make_ruleset([make_offer(), ROWS[1], advertiser(2)])
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK, peer="192.0.2.1")
    assert uniques(journal) == [1, 0, 1, 0]


@pytest.mark.parametrize("clicks", [1, 3])
@pytest.mark.parametrize("hours", [2, 48])
def test_unique_clicks_survive_a_power_cut(tmp_path: Path, clicks: int, hours: int) -> None:
    """All but the last unique click are synced, and the last comes a minute after them."""
    own: list[RulesetRow] = [make_offer(OFFER), rows()[1], advertiser(clicks, hours)]
    publish(tmp_path / "rules", own)

    def click(one: StatefulEdge, count: int) -> list[int]:
        """Send clicks of the visitor and return which of them are unique."""
        one.ruleset = make_ruleset(own)
        for _ in range(count):
            one.click(1)
        one.flush()
        uniques = [each.uniq for each in recorded(tmp_path / "journal", 1) if isinstance(each, Click)]
        return uniques[len(uniques) - count :]

    def cut_power() -> None:
        (tmp_path / "state" / "boot").write_text("another")

    with stateful_edge(tmp_path) as one:
        assert click(one, clicks - 1) == [1] * (clicks - 1)
        assert one.state is not None
        one.state.tick(NOW_MS // 1000 + 40)
        one.clock.advance(60_000)
        assert click(one, 2) == [1, 0]
    cut_power()
    end_ms = NOW_MS + hours * HOUR_MS
    with stateful_edge(tmp_path, now_ms=end_ms - 1000) as one:
        assert click(one, 1) == [0]
    cut_power()
    with stateful_edge(tmp_path, now_ms=end_ms + 59_000) as one:
        assert click(one, clicks) == [1] * (clicks - 1) + [0]
        one.clock.advance(1000)
        assert click(one, 2) == [1, 0]


def test_unique_click_that_is_not_recorded_is_free_again(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        one.ruleset = make_ruleset([*rows()[:2], advertiser(2, 48)])
        for _ in range(3):
            assert one.ask(1)[1].is_new, "each batch undoes the one before, which was not recorded"


def test_look_without_a_claim_knows_how_many_unique_clicks_are_left(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        one.ruleset = make_ruleset([make_offer(OFFER), rows()[1], advertiser(2)])
        assert one.state is not None
        for is_left in (True, True, False):
            hit, _ = one.ask(1)
            one.state.roll_back()
            assert one.state.read_only.is_new(hit, one.ruleset.route_of(hit.params)) is is_left
            one.click(1)
            one.flush()


def test_entry_of_48_hours_is_found_until_they_are_over(tmp_path: Path) -> None:
    visitors = UniqueVisitors(tmp_path / "visitors.map", size=64 * 1024)
    now = NOW_MS // 1000
    assert visitors.claim(1, (1, 1), "", now, "a" * 24, hours=48) is not None
    assert visitors.seen(1, (1, 1), "", now + 48 * 3600 - 1)
    assert visitors.seen(1, (2, 1), "a" * 24, now + 48 * 3600 - 1)
    assert not visitors.seen(1, (1, 1), "", now + 48 * 3600)
    visitors.close()
