"""Clicks that need the shared state: caps and unique visitors, from request to record."""

from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import publish
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import make_offer, make_ruleset, packed
from tests.support.clicks.state import NOW_MS, OFFER, rows, stateful_edge
from tests.support.forms import PLAIN
from trackyard.base.clock import ManualClock
from trackyard.decision.visitor.visitor import sub_visitor, visitor_key
from trackyard.domain.tracking.ruleset import ClickCap
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.state import counts_file
from trackyard.journal.records import Click

CLICK = "/click?pid=7&offer_id=3"
DAY_MS = 24 * 3_600_000


def cap(value: int, **changed: object) -> ClickCap:
    return ClickCap(id="c1", period="day", value=value, **changed)  # type: ignore[arg-type]


def clicks(journal: MemoryJournal) -> list[tuple[str, str, int]]:
    """reason, detail and uniq of each recorded click."""
    return [(click.reason, click.detail, click.uniq) for click in journal.records if isinstance(click, Click)]


def test_click_cap_rejects_until_period_ends(edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock) -> None:
    edge.ruleset = make_ruleset([make_offer(click_caps=(cap(2),)), *ROWS[1:]])
    for visitor in range(3):
        ask(edge, CLICK, peer=f"192.0.2.{visitor}")
    clock.advance(DAY_MS - NOW % DAY_MS)
    ask(edge, CLICK, peer="192.0.2.9")
    assert [reason for reason, _, _ in clicks(journal)] == ["", "", "overcap", ""]
    assert [uniq for _, _, uniq in clicks(journal)] == [1, 1, 0, 1]


def test_visitor_is_rejected_beyond_its_clicks_of_a_day(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock
) -> None:
    edge.ruleset = make_ruleset([make_offer(duplicate_clicks=2), *ROWS[1:]])
    for _ in range(3):
        ask(edge, CLICK, peer="192.0.2.1", user_agent=b"one")
    ask(edge, CLICK, peer="192.0.2.1", user_agent=b"another")
    ask(edge, CLICK, peer="192.0.2.2", user_agent=b"one")
    clock.advance(DAY_MS - NOW % DAY_MS)
    ask(edge, CLICK, peer="192.0.2.1", user_agent=b"one")
    assert [reason for reason, _, _ in clicks(journal)] == ["", "", "duplicate-clicks", "", "", ""]


def test_click_over_cap_does_not_use_up_uniqueness(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock
) -> None:
    edge.ruleset = make_ruleset([make_offer(click_caps=(cap(1),), restrictions=packed(unique_only=True)), *ROWS[1:]])
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK, peer="192.0.2.2")
    clock.advance(DAY_MS - NOW % DAY_MS)
    ask(edge, CLICK, peer="192.0.2.2")
    assert [(reason, uniq) for reason, _, uniq in clicks(journal)] == [("", 1), ("overcap", 0), ("", 1)]


def test_unique_only_offer_accepts_visitor_once(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(restrictions=packed(unique_only=True)), *ROWS[1:]])
    for _ in range(2):
        ask(edge, CLICK)
    assert [(reason, uniq) for reason, _, uniq in clicks(journal)] == [("", 1), ("non-unique-clicks", 0)]


def test_offer_that_counts_unique_visitors_only_accepts_the_others_without_counting_them(
    edge: EdgeHandler, journal: MemoryJournal
) -> None:
    counted_once = make_offer(restrictions=packed(hosts_only=True), click_caps=(cap(3),))
    edge.ruleset = make_ruleset([counted_once, *ROWS[1:]])
    first, second = ask(edge, CLICK, peer="192.0.2.1"), ask(edge, CLICK, peer="192.0.2.1")
    assert (first.status, second.status) == (302, 302) and second.location[:12] == first.location[:12]
    ask(edge, CLICK, peer="192.0.2.2")
    ask(edge, CLICK, peer="192.0.2.1")
    left_out, full = ("not-counted", "the visitor was seen", 0), ("overcap", "cap c1 is reached", 0)
    assert clicks(journal) == [("", "", 1), left_out, ("", "", 1), full], "caps count every accepted click"


def test_unique_ip_only_offer_identifies_visitor_by_address(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(restrictions=packed(unique_only=True)), *ROWS[1:]])
    ask(edge, CLICK, peer="192.0.2.1", user_agent=b"Mozilla/5.0 (Windows NT 10.0) Firefox/120.0")
    given = journal.click.id.encode()
    ask(edge, CLICK, peer="192.0.2.1", user_agent=b"Mozilla/5.0 (X11; Linux x86_64) Firefox/119.0")
    ask(edge, CLICK, peer="192.0.2.2", cookie=b"afuniq_3=" + given)
    assert [(reason, uniq) for reason, _, uniq in clicks(journal)] == [("", 1), ("non-unique-clicks", 0), ("", 1)]


def test_visitor_of_offer_with_sub3_is_known_by_its_value_alone(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(restrictions=packed(by_sub3=True)), *ROWS[1:]])
    ask(edge, CLICK + "&sub3=ann", peer="192.0.2.1")
    given = journal.click.id.encode()
    ask(edge, CLICK + "&sub3=ann", peer="192.0.2.2", user_agent=b"Mozilla/5.0 (X11; Linux x86_64) Firefox/119.0")
    ask(edge, CLICK + "&sub3=bob", peer="192.0.2.1", cookie=b"afuniq_3=" + given)
    ask(edge, CLICK, peer="192.0.2.1")
    ask(edge, CLICK + "&sub3=", peer="192.0.2.1")
    assert [uniq for _, _, uniq in clicks(journal)] == [1, 0, 1, 1, 0], "without sub3 the address and user agent count"


def test_unique_ip_only_goes_before_sub3(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(restrictions=packed(by_sub3=True, unique_only=True)), *ROWS[1:]])
    ask(edge, CLICK + "&sub3=ann", peer="192.0.2.1")
    ask(edge, CLICK + "&sub3=bob", peer="192.0.2.1")
    ask(edge, CLICK + "&sub3=ann", peer="192.0.2.2")
    assert [(reason, uniq) for reason, _, uniq in clicks(journal)] == [("", 1), ("non-unique-clicks", 0), ("", 1)]


def test_visitor_with_cookie_is_known_from_other_address(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ask(edge, CLICK, peer="192.0.2.1")
    given = journal.click.id.encode()
    ask(edge, CLICK, peer="192.0.2.2", cookie=b"a=b; afuniq_3=" + given)
    ask(edge, CLICK, peer="192.0.2.3", cookie=b"afuniq_4=" + given)
    assert [uniq for _, _, uniq in clicks(journal)] == [1, 0, 1]


@pytest.mark.parametrize("target", [CLICK, "/click?pid=8&offer_id=3"])
def test_uncounted_click_takes_no_cap_slot(edge: EdgeHandler, journal: MemoryJournal, target: str) -> None:
    edge.ruleset = make_ruleset([make_offer(click_caps=(cap(1),)), *ROWS[1:]])
    ask(edge, target, method="HEAD")
    ask(edge, "/click?pid=8&offer_id=3")
    ask(edge, CLICK)
    assert clicks(journal)[-1][0] == ""
    assert ask(edge, CLICK, method="HEAD").status == 404


def test_click_not_journaled_releases_cap_and_uniqueness(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(click_caps=(cap(1),)), *ROWS[1:]])
    journal.full = True
    assert ask(edge, CLICK).status == 503
    journal.full = False
    assert ask(edge, CLICK).status == 302
    assert clicks(journal) == [("", "", 1)]


@PLAIN
def test_click_that_cannot_be_counted_is_503(
    edge: EdgeHandler, journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts_file, "SEGMENTS", 0)
    monkeypatch.setattr(counts_file, "_BUCKET_SIZE", 0)  # which has no place
    edge.ruleset = make_ruleset([make_offer(click_caps=(cap(1),)), *ROWS[1:]])
    assert ask(edge, CLICK).status == 503
    assert journal.records == []
    assert edge.journal_fault.startswith("click counts:")
    edge.ruleset = make_ruleset(ROWS)
    assert ask(edge, CLICK).status == 302
    assert clicks(journal) == [("", "", 1)], "it claimed nothing"


def test_edge_state_visitors_by_sub3_are_rebuilt_by_its_value(tmp_path: Path) -> None:
    changed = [make_offer(OFFER, restrictions=packed(by_sub3=True)), *rows()[1:]]
    publish(tmp_path / "rules", changed)
    with stateful_edge(tmp_path) as one:
        one.ruleset = make_ruleset(changed)
        one.click(1, sub3="ann")
        one.click(2)
        one.flush()
    (tmp_path / "state" / "visitors.map").unlink()
    with stateful_edge(tmp_path) as one:
        assert one.state is not None
        visitors, seconds = one.state.visitors, NOW_MS // 1000
        assert visitors.seen(OFFER, sub_visitor("ann"), "", seconds)
        assert not visitors.seen(OFFER, sub_visitor("bob"), "", seconds)
        assert [visitors.seen(OFFER, visitor_key(f"10.0.0.{n}", "ua"), "", seconds) for n in (1, 2)] == [False, True]
