"""Adjust counters when staff change the caps or commission tiers of an offer.

docs/spec/conversions.md#changes-of-caps-and-tiers.
"""

from zoneinfo import ZoneInfo

from trackyard.domain.offers.caps import NO_CAPS
from trackyard.domain.offers.counters import LimitDefinition, Traits
from trackyard.domain.offers.offers import Offer
from trackyard.store.engine.database import Connection
from trackyard.store.offers import caps as limits
from trackyard.store.offers import counters
from trackyard.store.tracking import rulesets


def reset_changed_counters(conn: Connection, before: Offer | None, after: Offer, zone: ZoneInfo, now_ms: int) -> None:
    """Remove the counters of limits that an edit of an offer changed; the offer is locked.

    before: None = it is new.
    zone: the platform's.
    A changed limit counts its conversions again: for the edges at once, else at the next use. Where only the value
    changed, counters stay.
    """
    known, wanted = {} if before is None else _measures(before, zone), _measures(after, zone)
    stale = [limit_id for limit_id, measure in known.items() if wanted.get(limit_id) != measure]
    if stale:
        counters.remove_counters(conn, after.id, stale)
    caps = limits.compile_stored_caps(after, zone)
    if caps != (NO_CAPS if before is None else limits.compile_stored_caps(before, zone)):
        if caps.redirects:
            now = Traits("", 0, "", now_ms)
            counters.lock_counters(conn, [(rule.measure, now) for rule in caps.rules])
        rulesets.touch(conn, "full_caps", after.id)


def _measures(offer: Offer, zone: ZoneInfo) -> dict[str, LimitDefinition]:
    """Return the definition of each limit of an offer, by its id."""
    measures = [rule.measure for rule in limits.compile_stored_caps(offer, zone).rules]
    measures += [ladder.measure for ladder in limits.tier_groups_in(offer, zone)]
    return {measure.id: measure for measure in measures}
