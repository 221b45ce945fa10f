"""Payment systems (docs/api/payment-systems.md)."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.store.tables import affiliate, payment_system


def list_payment_systems(conn: Connection, *, lock: bool = False) -> list[PaymentSystem]:
    """Return all, oldest first; with `lock` no other transaction changes them meanwhile."""
    query = select(payment_system).order_by(payment_system.c.id)
    rows = conn.execute(query.with_for_update(read=True) if lock else query)
    return [PaymentSystem(**row._mapping) for row in rows]


def find_payment_system(conn: Connection, system_id: int, *, lock: bool = False) -> PaymentSystem | None:
    """Return the payment system of an id; with `lock` no other transaction changes it meanwhile."""
    query = select(payment_system).where(payment_system.c.id == system_id)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else PaymentSystem(**row._mapping)


def add_payment_system(conn: Connection, new: PaymentSystem) -> int:
    """Store a new payment system and return its id."""
    values = asdict(new)
    del values["id"]
    return int(conn.execute(insert(payment_system).values(**values).returning(payment_system.c.id)).scalar_one())


def edit_payment_system(conn: Connection, system_id: int, values: dict[str, Any]) -> None:
    """Set columns of a payment system."""
    conn.execute(update(payment_system).where(payment_system.c.id == system_id).values(**values))


def remove_payment_system(conn: Connection, system_id: int) -> None:
    """Remove a payment system; the caller checks `is_used` in the same transaction."""
    conn.execute(delete(payment_system).where(payment_system.c.id == system_id))


def is_used(conn: Connection, system_id: int) -> bool:
    """Return whether an affiliate is paid by it."""
    rows = conn.execute(select(affiliate.c.payment_systems))
    return any(item["system_id"] == system_id for chosen in rows.scalars() for item in chosen)
