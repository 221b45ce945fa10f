"""Conversions that caps count, on both engines."""

from decimal import Decimal

from tests.support.stores.seeds import add_conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import Count
from trackyard.domain.statistics.cap_stats import GroupedCount
from trackyard.store.engine.database import Database
from trackyard.store.statistics.cap_stats import get_grouped_counts


def test_cap_store_groups_equal_conversions(database: Database) -> None:
    counted = frozenset({Status.CONFIRMED, Status.PENDING_CAP})
    with database.write() as conn:
        for number, (goal, affiliate, country, status, offer, at) in enumerate(
            [
                ("1", 1, "DE", "confirmed", 1, 10),
                ("1", 1, "DE", "pending_cap", 1, 11),
                ("1", 1, "", "confirmed", 1, 12),
                ("sale", 2, "DE", "confirmed", 1, 13),
                ("1", 1, "DE", "declined", 1, 14),
                ("1", 1, "DE", "confirmed", 2, 15),
                ("1", 1, "DE", "confirmed", 1, 9),
            ]
        ):
            own = {"goal": goal, "affiliate_id": affiliate, "country": country, "status": status, "offer_id": offer}
            add_conversion(conn, number, **own, created_at=at, payout_base=Decimal("0.1") * (number + 1))
        found = sorted(get_grouped_counts(conn, 1, counted, 10), key=lambda held: (held.goal, held.country))
        assert found == [
            GroupedCount("1", 1, "", Count(1, Decimal("0.3"))),
            GroupedCount("1", 1, "DE", Count(2, Decimal("0.3"))),
            GroupedCount("sale", 2, "DE", Count(1, Decimal("0.4"))),
        ]
        assert get_grouped_counts(conn, 1, frozenset(), 0) == []
