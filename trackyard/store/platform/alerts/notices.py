"""Alerts that people are yet to get by mail (docs/spec/alerts.md#mails)."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from trackyard.domain.people.callers import Account
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import alert_notice

_COLUMNS: Final = alert_notice.c


def add_notice(conn: Connection, account: Account, alert_id: str, due_at: int) -> None:
    """Note that an account gets a new alert by mail."""
    conn.execute(insert(alert_notice).values(owner=account.name, alert_id=alert_id, due_at=due_at))


def add_end_notice(conn: Connection, account: Account, alert_id: str, due_at: int) -> None:
    """Note that an account gets the end of an alert by mail, unless its first mail is yet to say so."""
    row = upsert(conn, alert_notice).values(owner=account.name, alert_id=alert_id, due_at=due_at)
    conn.execute(row.on_conflict_do_nothing(index_elements=["owner", "alert_id"]))


def has_due(conn: Connection, now_ms: int) -> bool:
    """Return whether someone is to get a mail now."""
    return has_rows(conn, select(_COLUMNS.alert_id).where(_COLUMNS.due_at <= now_ms))


def find_due_owner(conn: Connection, now_ms: int) -> str | None:
    """Return the account that is due the longest, None without one."""
    due = select(_COLUMNS.owner).where(_COLUMNS.due_at <= now_ms).order_by(_COLUMNS.due_at, _COLUMNS.owner)
    return conn.execute(due.limit(1)).scalar_one_or_none()


def take_due(conn: Connection, owner: str, now_ms: int) -> list[str]:
    """Remove what an account is to get now, and return the ids of these alerts, each to one taker."""
    due = (_COLUMNS.owner == owner) & (_COLUMNS.due_at <= now_ms)
    return sorted(conn.execute(delete(alert_notice).where(due).returning(_COLUMNS.alert_id)).scalars())


def list_due(conn: Connection, owner: str, now_ms: int) -> list[str]:
    """Return the ids of the alerts that an account is to get now."""
    due = (_COLUMNS.owner == owner) & (_COLUMNS.due_at <= now_ms)
    return sorted(conn.execute(select(_COLUMNS.alert_id).where(due)).scalars())


def remove_of_alerts(conn: Connection, alert_ids: Collection[str]) -> None:
    """Remove what is about these alerts."""
    if alert_ids:
        conn.execute(delete(alert_notice).where(_COLUMNS.alert_id.in_(alert_ids)))


def remove_notices(conn: Connection, account: Account) -> None:
    """Remove what an account is to get."""
    conn.execute(delete(alert_notice).where(_COLUMNS.owner == account.name))
