"""Which click a call names (docs/spec/conversions.md#the-click-of-a-postback)."""

import pytest

from tests.support.events import NOON, new_click
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load, lookup_item
from trackyard.base.ids import new_click_id
from trackyard.domain.conversions.sessions import LATE_MS, PATIENCE_MS, is_settled
from trackyard.jobs.conversions.click_ids import ClickFinder
from trackyard.journal.records import encode

EDGES = {1, 2}


def made(at_ms: int, edge: int) -> str:
    """The id of a click, the same in every run: test processes that share work compare names."""
    return new_click_id(at_ms, edge)[:10] + "0" * 14


@pytest.mark.parametrize(
    ("click_id", "now", "loaded_until", "settled"),
    [
        ("", NOON, {}, True),
        ("no id", NOON, {1: NOON}, True),
        (made(NOON, 9), NOON, {}, True),  # an edge that never was
        (made(NOON, 255), NOON, {}, True),  # of an import
        (made(NOON + LATE_MS, 1), NOON, {1: NOON}, False),
        (made(NOON + LATE_MS + 1000, 1), NOON, {1: NOON}, True),
        (made(NOON, 1), NOON, {}, False),
        (made(NOON, 1), NOON, {1: NOON + LATE_MS}, False),
        (made(NOON, 1), NOON, {1: NOON + LATE_MS + 1}, True),
        (made(NOON, 1), NOON, {2: NOON + LATE_MS + 1}, False),  # another edge says nothing
        (made(NOON, 2), NOON + PATIENCE_MS - 1, {}, False),
        (made(NOON, 2), NOON + PATIENCE_MS, {}, True),
    ],
)
def test_when_a_click_will_never_be_found(click_id: str, now: int, loaded_until: dict[int, int], settled: bool) -> None:
    assert is_settled(click_id, NOON, now, EDGES, loaded_until) is settled


def test_clicks_are_found_in_memory_and_in_the_store(analytics: Analytics) -> None:
    clicks = {new_click(number).id: encode(new_click(number)) for number in range(30)}
    load(analytics, "click_lookup", [lookup_item(payload) for payload in clicks.values()], "t")
    finder = ClickFinder(analytics, capacity=4)
    finder.remember(clicks.items())
    assert finder.find([*clicks, "nothing", ""]) == clicks
