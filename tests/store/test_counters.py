"""Counters under concurrency: opened once, counted exactly, on each engine."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.support.events import NOON
from tests.support.seeds import add_conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import Count, Measure, Side, Traits, counter_at
from trackyard.store.engine.database import Database, Trouble, trouble_of
from trackyard.store.offers import counters

UTC = ZoneInfo("UTC")
COUNTED = frozenset({Status.CONFIRMED, Status.HOLD})
EACH = Side(each=True)
HERE = Traits("1", 7, "DE", NOON)


def measure(number: int = 1, period: str = "day", **sides: Any) -> Measure:
    return Measure(1, f"{number:024x}", period, UTC, COUNTED, **sides)


def test_what_is_held_by_several_at_once_is_counted_exactly(database: Database) -> None:
    """Each thread counts in every period, some of them for the first time, in an order of its own."""
    measures = [measure(1), measure(2, affiliate=EACH), measure(3, "all"), measure(4, "month", goal=EACH, country=EACH)]
    threads, rounds = 4, 8
    begin = Barrier(threads)

    def count(number: int) -> None:
        begin.wait()
        for turn in range(rounds):
            traits = Traits("1", 7, "DE", NOON + turn % 2 * 86_400_000)
            wanted = [(each, traits) for each in (measures[number:] + measures[:number])]
            while True:
                try:
                    _count(database, wanted)
                    break
                except Exception as error:
                    if trouble_of(error) is not Trouble.CONFLICT:
                        raise

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(count, range(threads)))
    with database.read() as conn:
        for days, each in ((2, measures[0]), (2, measures[1]), (1, measures[2]), (1, measures[3])):
            [held] = counters.find_counts(conn, [(each, HERE)]).values()
            assert held == Count(threads * rounds // days, Decimal(threads * rounds // days) * 3 / 2)


def _count(database: Database, wanted: list[tuple[Measure, Traits]]) -> None:
    with database.write() as conn:
        held = counters.hold(conn, wanted)
        moved = [each.counter_of(traits) for each, traits in wanted]
        counts = {each.name: held.counts[each.name] for each in moved}
        added = {name: Count(held.conversions + 1, held.budget + Decimal("1.5")) for name, held in counts.items()}
        counters.write(conn, moved, added)


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ({}, {(None, None, None): 4}),
        ({"goal": EACH}, {("1", None, None): 3, ("2", None, None): 1}),
        ({"affiliate": EACH, "country": EACH}, {(None, 1, "DE"): 2, (None, 1, ""): 1, (None, 2, "DE"): 1}),
        ({"goal": Side(only=frozenset({"1"})), "affiliate": EACH}, {(None, 1, None): 2, (None, 2, None): 1}),
        ({"country": Side(only=frozenset({"FR"}))}, {}),
    ],
)
def test_a_period_begins_with_the_conversions_that_are_there(
    database: Database, sides: dict[str, Any], expected: dict[tuple[object, ...], int]
) -> None:
    with database.write() as conn:
        add_conversion(conn, 1, country="DE", payout_base=Decimal("0.1"))
        add_conversion(conn, 2, country="DE", status="hold", affiliate_id=2, payout_base=Decimal("0.1"))
        add_conversion(conn, 3, country="DE", goal="2", payout_base=Decimal("0.1"))
        add_conversion(conn, 4, country="", payout_base=Decimal("0.1"))
        add_conversion(conn, 5, country="DE", status="declined")
        add_conversion(conn, 6, country="DE", offer_id=2)
        add_conversion(conn, 7, country="DE", created_at=NOON + 86_400_000)
        add_conversion(conn, 8, country="DE", created_at=NOON - 86_400_000)
    asked = measure(**sides)
    with database.read() as conn:
        computed = counters.list_period(conn, asked, NOON)
    with database.write() as conn:
        opening = asked.opening_at(NOON)
        counters.hold(conn, [(asked, HERE)])
        stored = counters.list_period(conn, asked, NOON)
    assert dict(stored) == dict(computed)
    assert dict(stored) == {
        counter_at(opening, *values) if any(values) else opening: Count(held, Decimal("0.1") * held)
        for values, held in expected.items()
    }
