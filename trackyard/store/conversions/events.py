"""Conversions for the events of a rebuild, page by page (docs/decisions/0030)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, func, select

from trackyard.domain.conversions.statuses import Status
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import conversion, outbox


@dataclass(frozen=True, slots=True)
class RebuildConversion:
    """A conversion as it is stored, for its events."""

    id: str
    version: int
    created_at: int
    click_time: int
    click_id: str
    status: Status
    goal: str
    offer_id: int
    affiliate_id: int
    advertiser_id: str
    currency: str
    payment_type: str
    sum: Decimal
    charge: Decimal
    payout: Decimal
    charge_base: Decimal
    payout_base: Decimal
    click: Mapping[str, Any]


_NAMES = [field.name for field in fields(RebuildConversion)]
_COLUMNS = [conversion.c[name] for name in _NAMES]
_STATUS = _NAMES.index("status")
_STATUSES = {status.value: status for status in Status}


def list_rebuild_conversions(conn: Connection, after_id: str, limit: int) -> list[RebuildConversion]:
    """Return the conversions after an id, by id."""
    query = select(*_COLUMNS).where(conversion.c.id > after_id).order_by(conversion.c.id).limit(limit)
    found = []
    for row in conn.execute(query):
        values: list[Any] = list(row)
        values[_STATUS] = _STATUSES[values[_STATUS]]
        found.append(RebuildConversion(*values))
    return found


def count_conversions(conn: Connection) -> int:
    """Return the number of conversions."""
    return int(conn.execute(select(func.count()).select_from(conversion)).scalar_one())


def last_pending_event_id(conn: Connection) -> int:
    """Return the last id of the outbox with conversion events; 0 = none."""
    query = select(func.max(outbox.c.id)).where(outbox.c.target == "fact")
    return int(conn.execute(query).scalar_one() or 0)


def has_pending_events(conn: Connection, until_id: int) -> bool:
    """Return whether conversion events of the outbox are left up to this id.

    Events that were committed before `last_pending_event_id` was read are among them.
    """
    return has_rows(conn, select(outbox.c.id).where(outbox.c.target == "fact", outbox.c.id <= until_id))
