"""Changes that wait for a second person (docs/spec/money.md#second-person)."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, select, update

from trackyard.domain.money.held_changes import (
    HeldChange,
    HeldChangeFilter,
    HeldKind,
    HeldState,
    without_personal_data,
)
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import held_change

_ROWS: Final = Rows[HeldChange, str](held_change, HeldChange)
add_change = _ROWS.add
find_change = _ROWS.find


def find_waiting(conn: Connection, kind: HeldKind, subject_id: int) -> HeldChange | None:
    """Return the change of a subject that waits, or None. The caller holds the lock of the subject."""
    return _ROWS.find_where(conn, *_waiting(kind, subject_id))


def decide(conn: Connection, change_id: str, state: HeldState, staff_id: str, now_ms: int) -> None:
    """Set the state of a waiting change."""
    _ROWS.edit(conn, change_id, {"state": state, "decided_by": staff_id, "decided_at": now_ms})


def replace_waiting(conn: Connection, kind: HeldKind, subject_id: int, staff_id: str, now_ms: int) -> None:
    """End the wait of a change, as its subject was changed in another way.

    The caller holds the lock of the subject.
    """
    waiting = update(held_change).where(*_waiting(kind, subject_id))
    conn.execute(waiting.values(state=HeldState.REPLACED, decided_by=staff_id, decided_at=now_ms))


def list_changes(
    conn: Connection, criteria: HeldChangeFilter, *, page: int, limit: int
) -> tuple[list[HeldChange], int]:
    """Return a page of changes, the newest first, and the total."""
    chosen = (
        (held_change.c.kind, criteria.kinds),
        (held_change.c.state, criteria.states),
        (held_change.c.affiliate_id, criteria.affiliate_ids),
    )
    conditions = [column.in_(values) for column, values in chosen if values]
    query = select(held_change).where(*conditions)
    return _ROWS.read_page(conn, query.order_by(held_change.c.created_at.desc(), held_change.c.id.desc()), page, limit)


def redact_changes(conn: Connection, affiliate_id: int, now_ms: int) -> None:
    """Remove the personal data of an affiliate's changes.

    Waiting changes are replaced, as they cannot be made.
    """
    columns = held_change.c
    of_affiliate = columns.affiliate_id == affiliate_id
    waiting = update(held_change).where(of_affiliate, columns.state == HeldState.WAITING)
    conn.execute(waiting.values(state=HeldState.REPLACED, decided_at=now_ms))
    for row in _ROWS.read(conn, select(held_change).where(of_affiliate)):
        values = {"asked": without_personal_data(row.asked), "before": without_personal_data(row.before)}
        _ROWS.edit(conn, row.id, values)


def _waiting(kind: HeldKind, subject_id: int) -> list[ColumnElement[bool]]:
    columns = held_change.c
    return [columns.kind == kind, columns.subject_id == subject_id, columns.state == HeldState.WAITING]
