"""Conversions, their history, and finding them for a decision."""

from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, insert, or_, select, update

from trackyard.domain.conversions import Change, Conversion
from trackyard.domain.payments import document_of, payment_of
from trackyard.domain.statuses import Status
from trackyard.store.tables import conversion, conversion_event

Identity = tuple[int, str, str]
"""(offer, goal, identity): unique among conversions."""

_COLUMNS = [conversion.c[field.name] for field in fields(Conversion)]
_CHANGING = (
    *("version", "status", "sent_status", "comment", "hold_until", "updated_at"),
    *("currency", "rate", "sum", "charge", "payout", "charge_base", "payout_base"),
)


def find_by_identity(conn: Connection, identities: Collection[Identity]) -> dict[Identity, Conversion]:
    """The stored conversions of these identities; on PostgreSQL locked until the transaction ends."""
    if not identities:
        return {}
    columns = conversion.c
    # One condition each: SQLite answers a list of row values by reading the whole index.
    each = [
        and_(columns.offer_id == offer, columns.goal == goal, columns.identity == identity)
        for offer, goal, identity in sorted(identities)
    ]
    query = select(*_COLUMNS).where(or_(*each)).order_by(conversion.c.id).with_for_update()
    found = (_conversion(row) for row in conn.execute(query))
    return {(item.offer_id, item.goal, item.identity): item for item in found}


def find(conn: Connection, conversion_id: str) -> Conversion | None:
    """One conversion; None when there is none of that id."""
    row = conn.execute(select(*_COLUMNS).where(conversion.c.id == conversion_id)).one_or_none()
    return None if row is None else _conversion(row)


def has_held_until(conn: Connection, until: int) -> bool:
    """Whether the hold of a conversion ends at or before `until` (UTC ms). Cheap."""
    query = select(conversion.c.id).where(conversion.c.hold_until <= until, conversion.c.status == Status.HOLD)
    return conn.execute(query.limit(1)).first() is not None


def list_held_until(conn: Connection, until: int, limit: int) -> list[Conversion]:
    """Conversions whose hold ends at or before `until` (UTC ms), earliest first, locked on PostgreSQL."""
    query = (
        select(*_COLUMNS)
        .where(conversion.c.hold_until <= until, conversion.c.status == Status.HOLD)
        .order_by(conversion.c.hold_until)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [_conversion(row) for row in conn.execute(query)]


def record(conn: Connection, changes: Sequence[Change]) -> None:
    """Writes changes and their history. The changes of one conversion stand in their order.

    A new identity that is taken, or a version that exists, is an integrity error: nothing is doubled.
    """
    if not changes:
        return
    new = [_values(change.after) for change in changes if change.before is None]
    if new:
        conn.execute(insert(conversion), new)
    edited = [_edit(change.after) for change in changes if change.before is not None]
    if edited:
        columns = conversion.c
        statement = update(conversion).where(columns.id == bindparam("key"), columns.version < bindparam("version"))
        conn.execute(statement.values({name: bindparam(name) for name in _CHANGING}), edited)
    conn.execute(insert(conversion_event), [_event(change) for change in changes])


def _conversion(row: Row[Any]) -> Conversion:
    values: dict[str, Any] = dict(row._mapping)
    payment = values["payment"]
    values |= {
        "status": Status(values["status"]),
        "sent_status": Status(values["sent_status"]),
        "payment": None if payment is None else payment_of(payment),
    }
    return Conversion(**values)


def _values(item: Conversion) -> dict[str, Any]:
    click = item.click
    plain = {field.name: getattr(item, field.name) for field in fields(Conversion)}
    return plain | {
        "status": item.status.value,
        "sent_status": item.sent_status.value,
        "payment": None if item.payment is None else document_of(item.payment),
        "country": click["country"][:2],
        "os": click["os"][:64],
        "device": click["device"][:32],
        "browser": click["browser"][:64],
    }


def _edit(item: Conversion) -> dict[str, Any]:
    changed = {name: getattr(item, name) for name in _CHANGING}
    return changed | {"key": item.id, "status": item.status.value, "sent_status": item.sent_status.value}


def _event(change: Change) -> dict[str, Any]:
    after = change.after
    return {
        "conversion_id": after.id,
        "version": after.version,
        "at": after.updated_at,
        "actor": change.actor,
        "status": after.status.value,
        "charge": after.charge,
        "payout": after.payout,
        "currency": after.currency,
        "comment": after.comment,
    }
