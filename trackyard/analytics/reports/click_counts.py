"""How many clicks an offer had, as caps count them (docs/spec/conversions.md#caps)."""

from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.offers.counters import Count
from trackyard.domain.statistics.cap_stats import GroupedCount


def count_clicks(analytics: Analytics, offer_id: int, since: int) -> list[GroupedCount]:
    """The accepted clicks of an offer at `since` (UTC ms) or later, by affiliate and country, as far as they are
    loaded. Raises TooHeavy over the limits of one query."""
    sql = (
        "SELECT affiliate, country, count() FROM click "
        "WHERE offer = {offer:Int64} AND time >= {since:Int64} AND reason = '' GROUP BY affiliate, country"
    )
    rows = analytics.rows(sql, {"offer": offer_id, "since": since}, tuple[int, str, int])
    return [GroupedCount("", affiliate, country, Count(number)) for affiliate, country, number in rows]
