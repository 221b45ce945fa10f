"""Full caps of conversions or budgets, which reject clicks (docs/spec/conversions.md#caps)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from trackyard.domain.offers.caps import CapRule, Caps
from trackyard.domain.offers.counters import Count, Counter
from trackyard.domain.tracking.ruleset import FullCap, RulesetFullCaps
from trackyard.store.offers import caps as limits
from trackyard.store.offers import counters
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
