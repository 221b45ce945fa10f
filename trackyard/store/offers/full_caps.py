"""Full caps of conversions or budgets, which reject clicks (docs/spec/conversions.md#caps)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, or_, select

from trackyard.domain.offers.caps import CapRule, Caps
from trackyard.domain.offers.choices import TAKING_CLICKS
from trackyard.domain.offers.counters import CapType, Count, Counter
from trackyard.domain.tracking.ruleset import FullCap, RulesetFullCaps
from trackyard.store.offers import caps as limits
from trackyard.store.offers import counters
from trackyard.store.tables import counter as counter_table
from trackyard.store.tables import offer


def compile_full_caps(conn: Connection, offer_ids: Sequence[int]) -> list[RulesetFullCaps]:
    """Return the full caps of these offers; an offer without any is absent.

    The period of a cap may be over: edges check `until`.
    """
    query = select(offer.c.id, *limits.COLUMNS).where(
        offer.c.id.in_(offer_ids), offer.c.removed_at.is_(None), offer.c.is_redirect_overcap
    )
    # The calendar does not matter here: counters know their periods.
    caps = {row.id: limits.compile_stored_caps(row, _UTC) for row in conn.execute(query.order_by(offer.c.id))}
    counted: dict[int, list[tuple[Counter, Count]]] = defaultdict(list)
    for counter, count in counters.each_latest_count(conn, [offer_id for offer_id, each in caps.items() if each.rules]):
        counted[counter.offer_id].append((counter, count))
    compiled = (RulesetFullCaps(offer_id, _full(each, counted[offer_id])) for offer_id, each in caps.items())
    return [row for row in compiled if row.caps]


_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class FilledCap:
    """The fullest cap of an offer now. value, limit: conversions, or payouts in the platform's currency."""

    offer_id: int
    type: CapType
    value: Decimal
    limit: Decimal

    @property
    def share(self) -> Decimal:
        """Return how full it is; 1 = full."""
        return self.value / self.limit


def list_filled_caps(conn: Connection, now_ms: int, share: Decimal) -> list[FilledCap]:
    """Return the active offers with a cap of conversions or a budget that is so full, the fullest first."""
    columns = counter_table.c
    running = or_(columns.until.is_(None), columns.until > now_ms)
    counted = select(columns.offer_id).where(running, columns.conversions > 0)
    query = select(offer.c.id, *limits.COLUMNS).where(
        offer.c.id.in_(counted), offer.c.removed_at.is_(None), offer.c.status.in_(TAKING_CLICKS)
    )
    caps = {row.id: limits.compile_stored_caps(row, _UTC) for row in conn.execute(query)}
    fullest: dict[int, FilledCap] = {}
    for each, count in counters.each_latest_count(conn, list(caps)):
        for rule in caps[each.offer_id].with_limit_id(each.limit_id):
            if rule.value <= 0 or (each.until is not None and each.until <= now_ms):
                continue
            found = FilledCap(each.offer_id, rule.type, count.of(rule.type), rule.value)
            if found.share >= share and found.share > getattr(fullest.get(each.offer_id), "share", 0):
                fullest[each.offer_id] = found
    return sorted(fullest.values(), key=lambda cap: (-cap.share, cap.offer_id))


def _full(caps: Caps, counted: Sequence[tuple[Counter, Count]]) -> tuple[FullCap, ...]:
    """Return the full caps, with the affiliates of one cap and period together."""
    found: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for rule, affiliate_ids, countries, until in (*_zero_caps(caps), *_full_by_counters(caps, counted)):
        found[(rule.measure.id, countries, until)].update(affiliate_ids)
    return tuple(
        FullCap(limit_id, tuple(sorted(affiliate_ids)), countries, until)
        for (limit_id, countries, until), affiliate_ids in found.items()
    )


_FullCapEntry = tuple[CapRule, tuple[int, ...], tuple[str, ...], int | None]
"""A full cap, the affiliates and countries of the clicks that it rejects (empty = all), and its end."""


def _zero_caps(caps: Caps) -> Iterator[_FullCapEntry]:
    """Yield the caps of 0, which are full without a count."""
    for rule in caps.rules:
        if rule.value <= 0 and caps.rejects_clicks(rule):
            yield rule, _sorted_values(rule.measure.affiliate.only), _sorted_values(rule.measure.country.only), None


def _full_by_counters(caps: Caps, counted: Sequence[tuple[Counter, Count]]) -> Iterator[_FullCapEntry]:
    for counter, count in counted:
        for rule in caps.rejecting(counter):
            if rule.value > 0 and rule.is_reached(count):
                affiliates, countries = rule.measure.affiliate.only, rule.measure.country.only
                own = (counter.affiliate_id,) if counter.affiliate_id is not None else _sorted_values(affiliates)
                there = (counter.country,) if counter.country is not None else _sorted_values(countries)
                yield rule, own, there, counter.until


def _sorted_values(values: frozenset[Any] | None) -> tuple[Any, ...]:
    return () if values is None else tuple(sorted(values))
