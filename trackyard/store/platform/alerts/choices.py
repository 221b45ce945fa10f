"""What people chose about alerts and digests (docs/spec/alerts.md#choices)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, select, update

from trackyard.domain.people.callers import Account
from trackyard.domain.platform.alerts.choices import AlertChoices
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import alert_choice

_COLUMNS: Final = alert_choice.c
_CHOSEN: Final = select(*(column for column in _COLUMNS if column.name != "owner"))


def find_choices(conn: Connection, account: Account) -> AlertChoices:
    """Return the choices of an account; the defaults when it chose nothing."""
    row = conn.execute(_CHOSEN.where(_COLUMNS.owner == account.name)).one_or_none()
    return AlertChoices() if row is None else _choices(row)


def edit_choices(conn: Connection, account: Account, chosen: AlertChoices) -> None:
    """Store the choices of an account."""
    values: Mapping[str, Any] = asdict(chosen)
    statement = upsert(conn, alert_choice).values(owner=account.name, **values)
    conn.execute(statement.on_conflict_do_update(index_elements=["owner"], set_=values))


def remove_choices(conn: Connection, account: Account) -> None:
    """Remove the choices of an account."""
    conn.execute(delete(alert_choice).where(_COLUMNS.owner == account.name))


def has_due_digest(conn: Connection, now_ms: int) -> bool:
    """Return whether a digest is due."""
    return has_rows(conn, select(_COLUMNS.owner).where(_COLUMNS.digest_at <= now_ms))


def claim_digest(conn: Connection, now_ms: int, lease_ms: int) -> tuple[str, AlertChoices] | None:
    """Return the account and the choices of the digest that is due the longest; None when none is.

    No other process claims it for `lease_ms`.
    """
    query = select(alert_choice).where(_COLUMNS.digest_at <= now_ms).order_by(_COLUMNS.digest_at, _COLUMNS.owner)
    row = conn.execute(query.limit(1).with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        return None
    conn.execute(update(alert_choice).where(_COLUMNS.owner == row.owner).values(digest_at=now_ms + lease_ms))
    return row.owner, _choices(row, digest_at=now_ms + lease_ms)


def finish_digest(conn: Connection, account: Account, claimed: AlertChoices, next_at: int) -> bool:
    """Set when a claimed digest is due again; return False where it is not this claim's any more."""
    own = (_COLUMNS.owner == account.name) & (_COLUMNS.digest_at == claimed.digest_at)
    return bool(conn.execute(update(alert_choice).where(own).values(digest_at=next_at)).rowcount)


def _choices(row: Row[Any], **changed: Any) -> AlertChoices:
    return AlertChoices(**{name: value for name, value in row._mapping.items() if name != "owner"} | changed)
