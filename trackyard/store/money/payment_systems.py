"""Payment systems (docs/api/payment-systems.md)."""

from typing import Final

from sqlalchemy import Connection, select

from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import affiliate, payment_system

_ROWS: Final = Rows[PaymentSystem, int](payment_system, PaymentSystem)
add_payment_system = _ROWS.add_numbered
find_payment_system = _ROWS.find
edit_payment_system = _ROWS.edit
remove_payment_system = _ROWS.remove
"""The caller checks `is_used` in the same transaction."""


def list_payment_systems(conn: Connection, *, lock: bool = False) -> list[PaymentSystem]:
    """Return all, oldest first. lock: no other transaction changes them until the end of this one."""
    query = select(payment_system).order_by(payment_system.c.id)
    return _ROWS.read(conn, query.with_for_update(read=True) if lock else query)


def is_used(conn: Connection, system_id: int) -> bool:
    """Return whether an affiliate is paid by it."""
    rows = conn.execute(select(affiliate.c.payment_systems))
    return any(item["system_id"] == system_id for chosen in rows.scalars() for item in chosen)
