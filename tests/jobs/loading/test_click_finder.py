"""The click of a postback (docs/spec/conversions.md#the-click-of-a-postback)."""

from pathlib import Path

import pytest

from tests.support.models.events import NOON, new_click
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load, lookup_item
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_click_id
from trackyard.domain.conversions.sessions import (
    CLICK_LATENESS_MS,
    MAX_CLICK_WAIT_MS,
    MAX_FUTURE_WAIT_MS,
    is_click_wait_over,
)
from trackyard.jobs.loading.click_lookups import judge_clicks
from trackyard.jobs.loading.journals import ClickFinder
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.engine.database import Database
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking import edges

EDGES = {1, 2}
HOUR_MS = 3_600_000


def made(at_ms: int, edge: int) -> str:
    """Return a click id, the same in every run: test processes that share work compare names."""
    return new_click_id(at_ms, edge)[:10] + "0" * 14


@pytest.mark.parametrize(
    ("click_id", "now", "loaded_until", "settled"),
    [
        ("", NOON, {}, True),
        ("no id", NOON, {1: NOON}, True),
        (made(NOON, 9), NOON, {}, True),  # an edge that never was
        (made(NOON, 255), NOON, {}, True),  # of an import
        (made(NOON + CLICK_LATENESS_MS, 1), NOON, {1: NOON}, False),
        (made(NOON + CLICK_LATENESS_MS + 1000, 1), NOON, {1: NOON}, False),  # the clock of its edge may have been ahead
        (made(NOON + HOUR_MS, 1), NOON + MAX_FUTURE_WAIT_MS - 1, {1: NOON + CLICK_LATENESS_MS}, False),
        (made(NOON + HOUR_MS, 1), NOON + MAX_FUTURE_WAIT_MS, {1: NOON + CLICK_LATENESS_MS}, True),
        (made(NOON + HOUR_MS, 1), NOON + MAX_FUTURE_WAIT_MS, {1: NOON}, False),  # its journals are loaded late
        (made(NOON + HOUR_MS, 1), NOON + MAX_FUTURE_WAIT_MS, {1: NOON + HOUR_MS}, False),  # it was ahead
        (made(NOON, 1), NOON, {}, False),
        (made(NOON, 1), NOON + HOUR_MS, {1: NOON + CLICK_LATENESS_MS}, False),
        (made(NOON, 1), NOON + CLICK_LATENESS_MS + 1, {1: NOON + CLICK_LATENESS_MS + 1}, True),
        (made(NOON, 1), NOON + CLICK_LATENESS_MS, {1: NOON + HOUR_MS}, False),  # loaded before the clock was set back
        (made(NOON, 1), NOON + HOUR_MS, {2: NOON + CLICK_LATENESS_MS + 1}, False),  # another edge says nothing
        (made(NOON, 2), NOON + MAX_CLICK_WAIT_MS - 1, {}, False),
        (made(NOON, 2), NOON + MAX_CLICK_WAIT_MS, {}, True),
    ],
)
def test_click_lookup_is_settled_when_click_can_no_longer_arrive(
    click_id: str, now: int, loaded_until: dict[int, int], settled: bool
) -> None:
    assert is_click_wait_over(click_id, NOON, now, EDGES, loaded_until) is settled


def test_click_finder_reads_memory_and_store(analytics: Analytics) -> None:
    clicks = {new_click(number).id: encode(new_click(number)) for number in range(30)}
    load(analytics, "click_lookup", [lookup_item(payload) for payload in clicks.values()], "t")
    finder = ClickFinder(analytics, capacity=4)
    finder.remember(clicks.items())
    assert finder.find([*clicks, "nothing", ""]) == clicks


def test_clicks_of_postbacks_are_judged_by_store_and_loaded_journals(
    analytics: Analytics, database: Database, tmp_path: Path
) -> None:
    with database.write() as conn:
        edge = edges.claim_edge(conn, "d" * 24, 0, NOON)
        checkpoints.finish_range(conn, edge, "001-0", 0, 100, NOON, [])
    click = new_click(1)
    load(analytics, "click_lookup", [lookup_item(encode(click))], "t")
    asked = {
        click.id: "1",
        made(NOON - 60_000, edge): "0",  # its journal is loaded, and has no such click
        made(NOON, edge): "?",  # may still be loaded
        made(NOON + 60_000, edge): "?",  # the clock of its edge may have been ahead
        made(NOON - 60_000, 77): "0",  # of an edge that never was
    }
    assert judge_clicks(analytics, database, NOON, [*asked], tmp_path) == "".join(asked.values())


@pytest.mark.parametrize(("shift_ms", "sign"), [(0, "0"), (-HOUR_MS, "?")])
def test_click_of_edge_with_clock_set_back_is_not_judged_unknown(
    analytics: Analytics, sqlite_database: Database, tmp_path: Path, shift_ms: int, sign: str
) -> None:
    """Its last loaded mark is of a later time than the click, which is not loaded."""
    with sqlite_database.write() as conn:
        edge = edges.claim_edge(conn, "d" * 24, 0, NOON)
    clock = ManualClock(NOON)
    writer = JournalWriter(tmp_path, edge, clock)
    writer.write_checkpoint(NOON)
    with sqlite_database.write() as conn:
        checkpoints.finish_range(conn, edge, writer.name, 0, writer.end_position()[1], NOON, [])
    writer.append(RecordKind.CLICK, encode(new_click(1, time=NOON + shift_ms)))
    writer.close()
    assert judge_clicks(analytics, sqlite_database, NOON, [made(NOON - HOUR_MS, edge)], tmp_path) == sign
