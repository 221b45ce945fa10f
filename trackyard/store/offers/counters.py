"""Counters of caps and tiers, exact under concurrency (domain/offers/counters.py).

docs/spec/conversions.md#caps, docs/spec/conversions.md#commission-tiers. The opening counter of a limit's period is its
lock: a transaction that counts in the period holds it until its end. Without that counter the period is computed from
the stored conversions. So a transaction counts before it writes conversions. It has locked its offers, so that no other
transaction counts by limits that were edited in between.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, func, or_, select, update

from trackyard.base.money import ZERO
from trackyard.domain.conversions.conversions import DECLINED
from trackyard.domain.offers.counters import ZERO_COUNT, Count, Counter, LimitDefinition, Traits, counter_at
from trackyard.store.conversions.goals import every_spelling
from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.dialect import is_postgresql, upsert
from trackyard.store.engine.in_lists import ValueList, among
from trackyard.store.engine.rows import has_rows
from trackyard.store.engine.types import Amount
from trackyard.store.tables import conversion, counter

CounterRequest = tuple[LimitDefinition, Traits]
"""A requested counter: the counter of a limit for the traits of a conversion."""


@dataclass(frozen=True, slots=True)
class LockedCounters:
    """The current values of counters.

    counts: by name, for each requested counter.
    notified: names of the opening counters with a sent notice.
    created: names of the new opening counters.
    """

    counts: Mapping[str, Count]
    notified: frozenset[str] = frozenset()
    created: frozenset[str] = frozenset()


def lock_counters(conn: Connection, wanted: Iterable[CounterRequest]) -> LockedCounters:
    """Return these counters; no other transaction counts in their periods until this one ends."""
    requested, period_counters = _by_name(wanted)
    if not requested:
        return LockedCounters({})
    rows = _locked(conn, period_counters)
    made = _add_period_counters(
        conn, [period_counter for name, (_, period_counter) in sorted(period_counters.items()) if name not in rows]
    )
    for name in made:
        _recount(conn, *period_counters[name])
    if len(rows) < len(period_counters):  # some were opened since, here or by another transaction
        rows = _locked(conn, period_counters)
    counts = {name: Count(row.conversions, row.budget) for name, row in rows.items()}
    others = requested - period_counters.keys()
    found = _counts(conn, others)
    counts |= {name: found.get(name, ZERO_COUNT) for name in others}
    return LockedCounters(counts, frozenset(name for name, row in rows.items() if row.notified), frozenset(made))


def write_counts(conn: Connection, counters: Iterable[Counter], counts: Mapping[str, Count]) -> None:
    """Store the values of counters. This transaction holds their periods."""
    rows = {each.name: _row(each, counts[each.name]) for each in sorted(counters, key=lambda each: each.name)}
    if not rows:
        return
    if is_postgresql(conn):
        lists = {parameter: [row[name] for row in rows.values()] for parameter, name in _COUNT_LISTS.items()}
        stored = set(conn.execute(_UPDATE_COUNTS, lists).scalars())
        _NEW.add(conn, [list(row.values()) for name, row in rows.items() if name not in stored])
        return
    statement = upsert(conn, counter)
    changed = {"conversions": statement.excluded.conversions, "budget": statement.excluded.budget}
    conn.execute(statement.on_conflict_do_update(index_elements=["name"], set_=changed), list(rows.values()))


def record_notices(conn: Connection, names: Collection[str]) -> None:
    """Record that the notices of the periods of these opening counters are sent."""
    if names:
        conn.execute(update(counter).where(counter.c.name.in_(names)).values(notified=True))


def record_notice_once(conn: Connection, period_counter: Counter) -> bool:
    """Record the notice of a period of a click cap; return whether it was not sent before."""
    _add_period_counters(conn, [period_counter])
    unsent = update(counter).where(counter.c.name == period_counter.name, ~counter.c.notified).values(notified=True)
    return conn.execute(unsent).rowcount == 1


def get_counts(conn: Connection, wanted: Iterable[CounterRequest]) -> dict[str, Count]:
    """Return the values of counters by name, without locks or writes."""
    requested, period_counters = _by_name(wanted)
    known = _counts(conn, period_counters.keys() | requested)
    counted = {
        each.name: count
        for name, (measure, period_counter) in period_counters.items()
        if name not in known
        for each, count in _compute_counts(conn, measure, period_counter)
    }
    return {name: known.get(name) or counted.get(name, ZERO_COUNT) for name in requested}


def get_period_counts(conn: Connection, measure: LimitDefinition, at_ms: int) -> list[tuple[Counter, Count]]:
    """Return the counters of a limit in the period of a moment that are not 0."""
    period_counter = measure.period_counter_at(at_ms)
    columns = counter.c
    query = select(counter).where(
        columns.offer_id == period_counter.offer_id,
        columns.limit_id == period_counter.limit_id,
        columns.start == period_counter.start,
    )
    stored = [(_counter(row), Count(row.conversions, row.budget)) for row in conn.execute(query.order_by(columns.name))]
    if not any(each.name == period_counter.name for each, _ in stored):
        stored = _compute_counts(conn, measure, period_counter)
    return [(each, count) for each, count in stored if count.conversions]


def each_latest_count(conn: Connection, offer_ids: Collection[int]) -> Iterator[tuple[Counter, Count]]:
    """Yield the counters of the last counted period of each limit of these offers, by name."""
    columns = counter.c
    last = (
        select(columns.offer_id, columns.limit_id, func.max(columns.start).label("start"))
        .where(columns.offer_id.in_(offer_ids))
        .group_by(columns.offer_id, columns.limit_id)
        .subquery()
    )
    same = [last.c[name] == columns[name] for name in ("offer_id", "limit_id", "start")]
    for row in conn.execute(select(counter).join(last, and_(*same)).order_by(columns.name)):
        yield _counter(row), Count(row.conversions, row.budget)


def remove_counters(conn: Connection, offer_id: int, limit_ids: Collection[str] | None = None) -> None:
    """Remove the counters of some limits of an offer, or all (None).

    They are computed again when they are requested. This transaction has locked the offer.
    """
    own = counter.c.offer_id == offer_id
    conn.execute(delete(counter).where(own if limit_ids is None else and_(own, counter.c.limit_id.in_(limit_ids))))


def remove_all_counters(conn: Connection) -> None:
    """Remove every counter, while no other transaction counts."""
    conn.execute(delete(counter))


def has_ended_counters(conn: Connection, before_ms: int) -> bool:
    """Return whether the period of a counter ended before a moment."""
    return has_rows(conn, select(counter.c.name).where(counter.c.until < before_ms))


def remove_ended_counters(conn: Connection, before_ms: int, limit: int) -> int:
    """Remove the counters of periods that ended before a moment; return the number of periods.

    limit: of periods at once.
    """
    columns = counter.c
    query = (
        select(columns.offer_id, columns.limit_id, columns.start)
        .where(columns.until < before_ms, *(columns[name].is_(None) for name in _VALUES))
        .order_by(columns.until)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    periods = conn.execute(query).all()
    if periods:
        conn.execute(delete(counter).where(or_(*(_in_period(row) for row in periods))))
    return len(periods)


_NAMED: Final = select(counter.c.name, counter.c.conversions, counter.c.budget, counter.c.notified).where(
    among(counter.c.name, "names")
)
_LOCKED: Final = _NAMED.order_by(counter.c.name).with_for_update()

_COUNT_LISTS: Final = {"names": "name", "counted": "conversions", "budgets": "budget"}
_ARRAYS: Final = [
    bindparam(parameter, type_=ValueList(counter.c[name].type)) for parameter, name in _COUNT_LISTS.items()
]
_NEW_COUNTS: Final = func.unnest(*_ARRAYS).table_valued("name", "conversions", "budget").render_derived(name="held")
_UPDATE_COUNTS: Final = (  # on PostgreSQL: all stored counts, in one statement
    update(counter)
    .where(counter.c.name == _NEW_COUNTS.c.name)
    .values(conversions=_NEW_COUNTS.c.conversions, budget=_NEW_COUNTS.c.budget)
    .returning(counter.c.name)
)

_VALUES: Final = ("goal", "affiliate_id", "country")


def _by_name(wanted: Iterable[CounterRequest]) -> tuple[set[str], dict[str, tuple[LimitDefinition, Counter]]]:
    """Return the names of the requested counters, and the opening counters of their periods."""
    found = [(limit, limit.counter_of(traits)) for limit, traits in wanted]
    periods = {each.period_counter.name: (limit, each.period_counter) for limit, each in found}
    return {each.name for _, each in found}, periods


def _locked(conn: Connection, names: Collection[str]) -> dict[str, Any]:
    """Return the rows of opening counters, locked in the order of their names."""
    return {row.name: row for row in conn.execute(_LOCKED, {"names": sorted(names)})}


def _add_period_counters(conn: Connection, period_counters: Sequence[Counter]) -> set[str]:
    """Add opening counters; return the names that no other transaction has added."""
    if not period_counters:
        return set()
    statement = upsert(conn, counter).values([_row(each, ZERO_COUNT) for each in period_counters])
    added = statement.on_conflict_do_nothing(index_elements=["name"]).returning(counter.c.name)
    return set(conn.execute(added).scalars())


def _recount(conn: Connection, measure: LimitDefinition, period_counter: Counter) -> None:
    """Count the conversions of a period that was just opened."""
    counted = _compute_counts(conn, measure, period_counter)
    write_counts(conn, [each for each, _ in counted], {each.name: count for each, count in counted})


def _compute_counts(conn: Connection, measure: LimitDefinition, period_counter: Counter) -> list[tuple[Counter, Count]]:
    """Return the counters of a period that are not 0, from the stored conversions."""
    columns = conversion.c
    goals = None if measure.goal.only is None else every_spelling(conn, measure.goal.only)
    sides = (
        (columns.goal, measure.goal.each, goals),
        (columns.affiliate_id, measure.affiliate.each, measure.affiliate.only),
        (columns.country, measure.country.each, measure.country.only),
    )
    each = [column for column, is_each, _ in sides if is_each]
    conditions: list[ColumnElement[bool]] = [
        columns.offer_id == period_counter.offer_id,
        columns.created_at >= max(period_counter.start, measure.since),
        columns.status.in_(sorted(measure.statuses)),
        *(column.in_(sorted(only)) for column, _, only in sides if only is not None),
    ]
    if measure.statuses.intersection(DECLINED):  # declined as repeats are in no counter
        conditions.append(or_(~columns.repeated, columns.status.not_in(DECLINED)))
    if period_counter.until is not None:
        conditions.append(columns.created_at < period_counter.until)
    query = select(func.count(), func.sum(columns.payout_base, type_=Amount), *each).where(*conditions)
    rows = conn.execute(query.group_by(*each) if each else query)
    found: dict[str, tuple[Counter, Count]] = {}
    for row in rows:
        values = dict(zip((column.name for column in each), row[2:], strict=True))
        place = counter_at(period_counter, *(values.get(name) for name in _VALUES)) if each else period_counter
        first, held = found.get(place.name, (place, ZERO_COUNT))
        found[place.name] = first, Count(held.conversions + row[0], held.budget + (row[1] or ZERO))
    return list(found.values())


def _counts(conn: Connection, names: Collection[str]) -> dict[str, Count]:
    if not names:
        return {}
    rows = conn.execute(_NAMED, {"names": sorted(names)})
    return {row.name: Count(row.conversions, row.budget) for row in rows}


def _row(each: Counter, count: Count) -> dict[str, Any]:
    values = {"conversions": count.conversions, "budget": count.budget, "notified": False}
    return {name: getattr(each, name) for name in _FIELDS} | values


_FIELDS: Final = tuple(field.name for field in msgspec.structs.fields(Counter))


_NEW: Final = BulkInsert(counter, (*_FIELDS, "conversions", "budget", "notified"))


def _counter(row: Any) -> Counter:
    return Counter(*(getattr(row, name) for name in _FIELDS))


def _in_period(row: Any) -> ColumnElement[bool]:
    columns = counter.c
    return and_(columns.offer_id == row.offer_id, columns.limit_id == row.limit_id, columns.start == row.start)
