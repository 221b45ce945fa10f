"""The conversions that caps count (docs/spec/conversions.md#caps)."""

from collections.abc import Iterable
from decimal import Decimal

from sqlalchemy import Connection, func, select

from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import Count
from trackyard.domain.statistics.cap_stats import GroupedCount
from trackyard.store.engine.types import Amount
from trackyard.store.tables import conversion


def get_grouped_counts(conn: Connection, offer_id: int, statuses: Iterable[Status], since: int) -> list[GroupedCount]:
    """Return the conversions of an offer in these statuses by goal, affiliate and country.

    since: their earliest creation, UTC milliseconds.
    """
    alike = (conversion.c.goal, conversion.c.affiliate_id, conversion.c.country)
    rows = conn.execute(
        select(*alike, func.count(), func.sum(conversion.c.payout_base, type_=Amount))
        .where(
            conversion.c.offer_id == offer_id,
            conversion.c.status.in_([status.value for status in statuses]),
            conversion.c.created_at >= since,
        )
        .group_by(*alike)
    )
    return [
        GroupedCount(goal, affiliate_id, country, Count(int(n), Decimal(budget)))
        for goal, affiliate_id, country, n, budget in rows
    ]
