"""Counters under concurrency: opened once, counted exactly, on each engine."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.support.models.events import NOON
from tests.support.stores.seeds import add_conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import Count, LimitDefinition, LimitSide, Traits, counter_at
from trackyard.store.engine.database import Database, TransactionFailure, classify_failure
from trackyard.store.offers import counters

UTC = ZoneInfo("UTC")
COUNTED = frozenset({Status.CONFIRMED, Status.HOLD})
EACH = LimitSide(each=True)
HERE = Traits("1", 7, "DE", NOON)


def measure(number: int = 1, period: str = "day", **sides: Any) -> LimitDefinition:
    return LimitDefinition(1, f"{number:024x}", period, UTC, COUNTED, **sides)


def test_counter_store_counts_exactly_under_concurrency(database: Database) -> None:
    """Each thread counts in every period, some of them new, in its own order."""
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
                    if classify_failure(error) is not TransactionFailure.CONFLICT:
                        raise

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(count, range(threads)))
    with database.read() as conn:
        for days, each in ((2, measures[0]), (2, measures[1]), (1, measures[2]), (1, measures[3])):
            [held] = counters.get_counts(conn, [(each, HERE)]).values()
            assert held == Count(threads * rounds // days, Decimal(threads * rounds // days) * 3 / 2)


def _count(database: Database, wanted: list[tuple[LimitDefinition, Traits]]) -> None:
    with database.write() as conn:
        held = counters.lock_counters(conn, wanted)
        moved = [each.counter_of(traits) for each, traits in wanted]
        counts = {each.name: held.counts[each.name] for each in moved}
        added = {name: Count(held.conversions + 1, held.budget + Decimal("1.5")) for name, held in counts.items()}
        counters.write_counts(conn, moved, added)


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ({}, {(None, None, None): 4}),
        ({"goal": EACH}, {("1", None, None): 3, ("2", None, None): 1}),
        ({"affiliate": EACH, "country": EACH}, {(None, 1, "DE"): 2, (None, 1, ""): 1, (None, 2, "DE"): 1}),
        ({"goal": LimitSide(only=frozenset({"1"})), "affiliate": EACH}, {(None, 1, None): 2, (None, 2, None): 1}),
        ({"country": LimitSide(only=frozenset({"FR"}))}, {}),
    ],
)
def test_counter_store_starts_period_with_existing_conversions(
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
        computed = counters.get_period_counts(conn, asked, NOON)
    with database.write() as conn:
        period_counter = asked.period_counter_at(NOON)
        counters.lock_counters(conn, [(asked, HERE)])
        stored = counters.get_period_counts(conn, asked, NOON)
    assert dict(stored) == dict(computed)
    assert dict(stored) == {
        counter_at(period_counter, *values) if any(values) else period_counter: Count(held, Decimal("0.1") * held)
        for values, held in expected.items()
    }
