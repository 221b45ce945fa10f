"""What was erased, remembered for ever, and how far it is carried out (behaviour.md §8, Kept)."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select, text, update

from trackyard.domain.erasures import Erased, Erasure, Subject
from trackyard.store.tables import erasure

_ADVISORY_LOCK = 0x6572_6173


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an erasure is. sql_at, analytics_at: since when SQL and the analytic store are rid of it (UTC ms)."""

    erasure: Erasure
    staff_id: str
    sql_at: int | None
    analytics_at: int | None


def add(conn: Connection, subject: Subject, value: str, staff_id: str, now_ms: int) -> Erasure:
    """Remembers an erasure; from its commit on it is carried out. Numbers commit in their order."""
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    values = {"subject": subject.value, "value": value, "at": now_ms, "staff_id": staff_id}
    number = conn.execute(insert(erasure).values(values)).inserted_primary_key
    assert number is not None
    return Erasure(number[0], subject, value, now_ms)


def newest(conn: Connection) -> int:
    """The number of the last erasure, 0 = there is none. Cheap."""
    return int(conn.execute(select(func.max(erasure.c.number))).scalar_one() or 0)


def find_all(conn: Connection) -> Erased:
    """All that was ever erased."""
    rows = conn.execute(select(erasure.c.number, erasure.c.subject, erasure.c.value, erasure.c.at))
    return Erased.of(Erasure(row.number, Subject(row.subject), row.value, row.at) for row in rows)


def find_progress(conn: Connection, number: int) -> Progress | None:
    """One erasure; None when there is none of that number."""
    row = conn.execute(select(erasure).where(erasure.c.number == number)).one_or_none()
    if row is None:
        return None
    made = Erasure(row.number, Subject(row.subject), row.value, row.at)
    return Progress(made, row.staff_id, row.sql_at, row.analytics_at)


def list_not_in_sql(conn: Connection) -> list[Erasure]:
    """Erasures that SQL is not rid of yet, oldest first."""
    return _list(conn, erasure.c.sql_at.is_(None))


def list_not_in_analytics(conn: Connection) -> list[Erasure]:
    """Erasures that SQL is rid of and the analytic store is not yet, oldest first: rows on their way from the one to
    the other are among those of the first."""
    return _list(conn, erasure.c.analytics_at.is_(None), erasure.c.sql_at.is_not(None))


def finish_sql(conn: Connection, number: int, now_ms: int) -> None:
    """Says that SQL is rid of an erasure."""
    conn.execute(update(erasure).where(erasure.c.number == number).values(sql_at=now_ms))


def finish_analytics(conn: Connection, numbers: Collection[int], now_ms: int) -> None:
    """Says that the analytic store is rid of some erasures."""
    conn.execute(update(erasure).where(erasure.c.number.in_(numbers)).values(analytics_at=now_ms))


def carry_out_again(conn: Connection, after: int) -> int:
    """Has the erasures behind a number carried out once more: something was loaded that did not know of them. How
    many."""
    again = update(erasure).where(erasure.c.number > after)
    return conn.execute(again.values(sql_at=None, analytics_at=None)).rowcount


def _list(conn: Connection, *conditions: object) -> list[Erasure]:
    query = select(erasure.c.number, erasure.c.subject, erasure.c.value, erasure.c.at).where(*conditions)  # type: ignore[arg-type]
    rows = conn.execute(query.order_by(erasure.c.number))
    return [Erasure(row.number, Subject(row.subject), row.value, row.at) for row in rows]
