"""Turns of scheduled jobs: until when one is done, or claimed by the machine that does it."""

from sqlalchemy import Connection, and_, or_, select, update

from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import job_turn


def is_claimed(conn: Connection, job: str, now_ms: int, latest_ms: int) -> bool:
    """Return whether a job is not due. Cheap.

    latest_ms: the latest time until which it can be claimed; a later one was written by a clock that was ahead.
    """
    columns = job_turn.c
    claimed = and_(columns.job == job, columns.due_at > now_ms, columns.due_at <= latest_ms)
    return has_rows(conn, select(columns.job).where(claimed))


def claim_turn(conn: Connection, job: str, now_ms: int, until_ms: int, latest_ms: int) -> bool:
    """Claim a job that is due until a time; return False when another machine was first."""
    columns = job_turn.c
    statement = upsert(conn, job_turn).values(job=job, due_at=until_ms)
    due = or_(columns.due_at <= now_ms, columns.due_at > latest_ms)
    statement = statement.on_conflict_do_update(index_elements=["job"], set_={"due_at": until_ms}, where=due)
    return conn.execute(statement.returning(job_turn.c.job)).first() is not None


def end_turn(conn: Connection, job: str, until_ms: int, next_at: int) -> None:
    """Set when a claimed job is due next, unless another machine claimed it since."""
    mine = and_(job_turn.c.job == job, job_turn.c.due_at == until_ms)
    conn.execute(update(job_turn).where(mine).values(due_at=next_at))
