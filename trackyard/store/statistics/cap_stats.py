"""The conversions that caps count (docs/spec/conversions.md#caps)."""

from collections.abc import Iterable
from decimal import Decimal

from sqlalchemy import Connection, func, select

from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import ZERO_COUNT, Count
from trackyard.domain.offers.goals import newest_uses, shown_spellings
from trackyard.domain.statistics.cap_stats import GroupedCount
from trackyard.store.engine.types import Amount
from trackyard.store.tables import conversion


def get_grouped_counts(conn: Connection, offer_id: int, statuses: Iterable[Status], since: int) -> list[GroupedCount]:
    """Return the conversions of an offer in these statuses by goal, affiliate and country.

    A goal has its newest spelling.

    since: their earliest creation, UTC milliseconds.
    """
    alike = (conversion.c.goal, conversion.c.affiliate_id, conversion.c.country)
    sums = (func.count(), func.sum(conversion.c.payout_base, type_=Amount), func.max(conversion.c.created_at))
    rows = conn.execute(
        select(*alike, *sums)
        .where(
            conversion.c.offer_id == offer_id,
            conversion.c.status.in_([status.value for status in statuses]),
            conversion.c.created_at >= since,
        )
        .group_by(*alike)
    ).all()
    shown = shown_spellings(newest_uses((goal, last) for goal, *_, last in rows))
    found: dict[tuple[str, int, str], Count] = {}
    for goal, affiliate_id, country, number, budget, _ in rows:
        place = shown[goal], affiliate_id, country
        before = found.get(place, ZERO_COUNT)
        found[place] = Count(before.conversions + int(number), before.budget + Decimal(budget))
    return [GroupedCount(*place, count) for place, count in found.items()]
