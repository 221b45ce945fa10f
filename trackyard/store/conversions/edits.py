"""Queued edits and imports of conversions, each done once.

They are added in the transaction that answers the request; the worker removes one in the transaction of the change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.store.engine.dialect import AdvisoryLock, try_lock
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import conversion_task as task

READY: Final = "ready"
QUARANTINED: Final = "aside"
"""It cannot be done: a person must look at it."""


@dataclass(frozen=True, slots=True)
class Task:
    """A queued edit or import.

    kind: edit or import.
    actor: its author.
    item: a struct of domain/conversions/edits.py as JSON.
    created_at: UTC milliseconds.
    """

    id: int
    kind: str
    actor: str
    item: dict[str, Any]
    created_at: int


def add_tasks(conn: Connection, kind: str, actor: str, items: Sequence[dict[str, Any]], now_ms: int) -> None:
    """Queue the items of one request, in their order."""
    if items:
        rows = [{"kind": kind, "state": READY, "actor": actor, "item": item, "created_at": now_ms} for item in items]
        conn.execute(insert(task), rows)


def has_ready(conn: Connection) -> bool:
    """Return whether a task is ready. Cheap."""
    return has_rows(conn, select(task.c.id).where(task.c.state == READY))


def take_ready(conn: Connection, limit: int) -> list[Task]:
    """Return the oldest tasks, locked until the transaction ends.

    On PostgreSQL one transaction at a time takes tasks, so that they are done in the order of their requests.
    """
    columns = task.c
    query = (
        select(columns.id, columns.kind, columns.actor, columns.item, columns.created_at)
        .where(columns.state == READY)
        .order_by(columns.id)
        .limit(limit)
    )
    if not try_lock(conn, AdvisoryLock.TASKS):
        return []
    return [Task(*row) for row in conn.execute(query.with_for_update(skip_locked=True))]


def remove(conn: Connection, ids: Sequence[int]) -> None:
    """Remove tasks in the transaction that does them."""
    conn.execute(delete(task).where(task.c.id.in_(ids)))


def quarantine(conn: Connection, task_id: int) -> None:
    """Quarantine a task that cannot be done, for a person to look at."""
    conn.execute(update(task).where(task.c.id == task_id).values(state=QUARANTINED))
