"""Alerts, open and closed (docs/spec/alerts.md#opening-and-closing)."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update

from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.alerts.causes import Alert, SeenCause
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import alert

_ROWS: Final = Rows[Alert, str](alert, Alert)
_COLUMNS: Final = alert.c
by_id = _ROWS.by_id


def add_if_new(conn: Connection, opened: Alert) -> bool:
    """Store an alert; return False where its cause has an open one."""
    return _ROWS.add_if_free(conn, opened, "open_key", numbered=False) is not None


def continue_alert(conn: Connection, alert_id: str, cause: SeenCause, source: str, now_ms: int) -> None:
    """Note that the cause of an alert was seen again, and how."""
    values = {"seen_at": now_ms, "source": source, "evidence": dict(cause.finding.evidence)}
    _ROWS.edit(conn, alert_id, values)


def close_alert(conn: Connection, alert_id: str, now_ms: int) -> bool:
    """Close an alert; return False where it is closed already."""
    open_one = (_COLUMNS.id == alert_id) & _COLUMNS.open_key.is_not(None)
    return bool(conn.execute(update(alert).where(open_one).values(open_key=None, closed_at=now_ms)).rowcount)


def list_open(conn: Connection) -> list[Alert]:
    """Return all open alerts."""
    return _ROWS.read(conn, select(alert).where(_COLUMNS.open_key.is_not(None)).order_by(_COLUMNS.id))


def list_alerts(
    conn: Connection,
    scope: Scope,
    *,
    of_platform: bool,
    is_open: bool | None = None,
    kinds: Collection[AlertKind] = (),
    page: int,
    limit: int,
) -> tuple[list[Alert], int]:
    """Return a page of the alerts in scope, the newest first, and the number of all.

    of_platform: whether to include alerts about the platform. is_open: None = both. kinds: () = all.
    """
    conditions = [_visible(scope, of_platform=of_platform)]
    if is_open is not None:
        conditions.append(_COLUMNS.open_key.is_not(None) if is_open else _COLUMNS.open_key.is_(None))
    if kinds:
        conditions.append(_COLUMNS.kind.in_(kinds))
    query = select(alert).where(*conditions).order_by(_COLUMNS.opened_at.desc(), _COLUMNS.id.desc())
    return _ROWS.read_page(conn, query, page, limit)


def remove_closed(conn: Connection, before_ms: int) -> int:
    """Remove alerts that were closed before a time; return how many."""
    return conn.execute(delete(alert).where(_COLUMNS.closed_at < before_ms)).rowcount


def _visible(scope: Scope, *, of_platform: bool) -> ColumnElement[bool]:
    """Return the condition that a caller may see an alert: one of its own things, or of the platform."""
    platform: Any = _COLUMNS.offer_id.is_(None) & _COLUMNS.affiliate_id.is_(None) & _COLUMNS.advertiser_id.is_(None)
    owned = ~platform
    for condition in in_scope(scope, affiliate=_COLUMNS.affiliate_id, advertiser=_COLUMNS.advertiser_id):
        owned &= condition
    return or_(owned, platform) if of_platform else owned
