"""Events, stored with their change, numbered by a job, read by number (docs/spec/events.md#numbers).

The clock is one row. Who gives numbers, or makes notices, holds its lock to the commit: numbers have no gap, and none
is given twice, whichever process does it.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from trackyard.domain.events.events import Event
from trackyard.domain.events.kinds import EventKind
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows, has_rows
from trackyard.store.events import conversion_events
from trackyard.store.tables import bell_item, conversion_event, event, event_clock

_ROWS: Final = Rows[Event, str](event, Event)


def add_events(conn: Connection, new: Sequence[Event]) -> None:
    """Store events without numbers, in the caller's transaction."""
    if new:
        conn.execute(insert(event), [asdict(each) for each in new])


def has_event(conn: Connection, kind: EventKind, subject: str, affiliate_id: int | None, since_ms: int) -> bool:
    """Return whether there is an event of a kind about an object since a time.

    affiliate_id: the affiliate that the event has; None = no affiliate.
    """
    of_kind = select(event.c.id).where(event.c.kind == kind, event.c.subject == subject, event.c.at >= since_ms)
    return has_rows(conn, of_kind.where(event.c.affiliate_id.is_not_distinct_from(affiliate_id)))


def has_unnumbered(conn: Connection) -> bool:
    """Return whether an event waits for its number."""
    return any(has_rows(conn, select(table.c.at).where(table.c.seq.is_(None))) for table in (event, conversion_event))


def number_events(conn: Connection, most: int) -> int:
    """Number committed events, the oldest first; return how many.

    most: of conversions, and of others.

    The states of one conversion get their numbers in their order.
    """
    last = int(conn.execute(select(event_clock.c.numbered).with_for_update()).scalar_one())
    waiting = select(event.c.id).where(event.c.seq.is_(None)).order_by(event.c.at, event.c.id).limit(most)
    ids = conn.execute(waiting).scalars().all()
    if ids:
        numbers = [{"key": event_id, "number": seq} for seq, event_id in enumerate(ids, start=last + 1)]
        conn.execute(update(event).where(event.c.id == bindparam("key")).values(seq=bindparam("number")), numbers)
    of_conversions = _number_conversions(conn, last + len(ids), most)
    if total := len(ids) + of_conversions:
        conn.execute(update(event_clock).values(numbered=last + total))
    return total


def _number_conversions(conn: Connection, last: int, most: int) -> int:
    """Number states of conversions from the number after `last` on, in one statement; return how many."""
    columns, order = conversion_event.c, (conversion_event.c.at, conversion_event.c.conversion_id)
    waiting = select(columns.conversion_id, columns.version, columns.at).where(columns.seq.is_(None))
    chosen = waiting.order_by(*order, columns.version).limit(most).subquery()
    place = func.row_number().over(order_by=(chosen.c.at, chosen.c.conversion_id, chosen.c.version))
    ranked = select(chosen.c.conversion_id, chosen.c.version, place.label("place")).subquery()
    statement = update(conversion_event).where(
        columns.conversion_id == ranked.c.conversion_id, columns.version == ranked.c.version
    )
    return conn.execute(statement.values(seq=ranked.c.place + last)).rowcount


def find_event(conn: Connection, event_id: str) -> Event | None:
    """Return an event by its id, or None."""
    return _ROWS.find(conn, event_id)


def has_unnoticed(conn: Connection) -> bool:
    """Return whether a numbered event waits for its notices."""
    noticed = select(event_clock.c.noticed).scalar_subquery()
    return has_rows(conn, select(event.c.id).where(event.c.seq > noticed))


def claim_unnoticed(conn: Connection) -> Event | None:
    """Return the next numbered event that has no notices yet, None without one.

    The caller makes the notices in this transaction, in which the event counts as done.
    """
    after = int(conn.execute(select(event_clock.c.noticed).with_for_update()).scalar_one())
    found = next(iter(_list_stored(conn, after, 1)), None)  # conversions have no notices
    if found is not None:
        conn.execute(update(event_clock).values(noticed=found.seq))
    return found


def list_after(conn: Connection, seq: int, most: int) -> list[Event]:
    """Return up to `most` numbered events after a number, in order, with the states of conversions."""
    found = [*_list_stored(conn, seq, most), *conversion_events.list_after(conn, seq, most)]
    return sorted(found, key=lambda each: each.seq or 0)[:most]


def _list_stored(conn: Connection, seq: int, most: int) -> list[Event]:
    return _ROWS.read(conn, select(event).where(event.c.seq > seq).order_by(event.c.seq).limit(most))


def list_by_seq(conn: Connection, seqs: Sequence[int]) -> dict[int, Event]:
    """Return events by their number."""
    found = _ROWS.read(conn, select(event).where(among_values(event.c.seq, list(seqs))))
    return {each.seq: each for each in found if each.seq is not None}


def remove_before(conn: Connection, until_ms: int, most: int) -> int:
    """Remove up to `most` old events that have their notices, and their bells; return how many.

    until_ms: UTC milliseconds; events from then on stay.
    """
    done = select(event_clock.c.noticed).scalar_subquery()
    old = select(event.c.seq).where(event.c.at < until_ms, event.c.seq <= done).order_by(event.c.at).limit(most)
    seqs = conn.execute(old).scalars().all()
    if seqs:
        conn.execute(delete(bell_item).where(bell_item.c.seq.in_(seqs)))
        conn.execute(delete(event).where(event.c.seq.in_(seqs)))
    return len(seqs)


def has_before(conn: Connection, until_ms: int) -> bool:
    """Return whether there are events before a time, in UTC milliseconds."""
    return has_rows(conn, select(event.c.id).where(event.c.at < until_ms, event.c.seq.is_not(None)))


def redact_affiliate(conn: Connection, affiliate_id: int) -> None:
    """Remove what the events of an affiliate say, and the bells that have them. Their numbers stay."""
    own = event.c.affiliate_id == affiliate_id
    conn.execute(delete(bell_item).where(bell_item.c.seq.in_(select(event.c.seq).where(own))))
    conn.execute(update(event).where(own).values(payload={}, actor="", account=""))
