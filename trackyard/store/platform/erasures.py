"""Erasures, stored for ever, and their progress (docs/retention.md)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from trackyard.domain.platform.erasures import NOTHING_ERASED, ErasedSubjects, Erasure, ErasureSubject
from trackyard.store.engine.dialect import AdvisoryLock, lock
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import erasure, outbox


@dataclass(frozen=True, slots=True)
class ErasureProgress:
    """The progress of an erasure.

    sql_at, analytics_at: the time since when SQL and the analytic store hold none of its data (UTC milliseconds).
    """

    erasure: Erasure
    staff_id: str
    sql_at: int | None
    analytics_at: int | None


def add(conn: Connection, subject: ErasureSubject, value: str, staff_id: str, now_ms: int) -> Erasure:
    """Store an erasure, which is carried out from its commit on. Numbers commit in their order."""
    lock(conn, AdvisoryLock.ERASURES)
    values = {"subject": subject.value, "value": value, "at": now_ms, "staff_id": staff_id}
    number = conn.execute(insert(erasure).values(values)).inserted_primary_key
    assert number is not None
    return Erasure(number[0], subject, value, now_ms)


def add_clicks(conn: Connection, click_ids: Sequence[str], cause: Erasure) -> int:
    """Store the erasure of further clicks and impressions of an erasure; return their number.

    Clicks that are erased already are left out. They keep the time and the author of that erasure.
    """
    clicks = erasure.c.subject == ErasureSubject.CLICK.value
    known = select(erasure.c.value).where(clicks, erasure.c.value.in_(click_ids))
    missing = sorted(set(click_ids) - set(conn.execute(known).scalars()))
    if missing:
        staff_id = conn.execute(select(erasure.c.staff_id).where(erasure.c.number == cause.number)).scalar_one()
        for click_id in missing:
            add(conn, ErasureSubject.CLICK, click_id, staff_id, cause.at)
    return len(missing)


def add_clicks_of_users(conn: Connection, users: Mapping[str, str]) -> None:
    """Store the erasure of clicks and impressions that were loaded after the erasure of their user id.

    users: by their id.
    """
    for user_id in sorted(set(users.values())):
        named = (erasure.c.subject == ErasureSubject.USER.value, erasure.c.value == user_id)
        row = conn.execute(select(erasure).where(*named).order_by(erasure.c.number.desc()).limit(1)).one()
        cause = Erasure(row.number, ErasureSubject.USER, user_id, row.at)
        add_clicks(conn, [click_id for click_id, name in users.items() if name == user_id], cause)


def is_done(conn: Connection, made: Erasure) -> bool:
    """Return whether the data of an erasure, and of the erasures that it caused, is gone."""
    same = (erasure.c.number >= made.number, erasure.c.at == made.at)
    return not has_rows(conn, select(erasure.c.number).where(*same, erasure.c.analytics_at.is_(None)))


def newest_number(conn: Connection) -> int:
    """Return the number of the last erasure; 0 = none. Cheap."""
    return int(conn.execute(select(func.max(erasure.c.number))).scalar_one() or 0)


def get_erased(conn: Connection) -> ErasedSubjects:
    """Return all erased subjects."""
    return ErasedSubjects.of(_list(conn))


class ErasedCache:
    """All erasures, read again when there are more. For one thread."""

    def __init__(self) -> None:
        self._known = NOTHING_ERASED

    def now(self, conn: Connection) -> ErasedSubjects:
        """Return all erasures. It usually costs one read of an index."""
        if newest_number(conn) != self._known.newest:
            self._known = get_erased(conn)
        return self._known


def check_load(conn: Connection, seen: ErasedSubjects, unsure_since: int | None = None) -> None:
    """Repeat the erasures that a load may have missed, in the transaction that commits it.

    It is called before anything is written. seen: the erasures that the records were cleaned of.
    unsure_since: an earlier try may have loaded some records, not before this (UTC milliseconds), with unknown
    erasures.
    """
    lock(conn, AdvisoryLock.ERASURES, shared=True)  # a new erasure waits for the loads that are committing
    last = newest_number(conn)
    after = (
        seen.newest if unsure_since is None or last == 0 else min(seen.newest, last_number_before(conn, unsure_since))
    )
    if last > after:
        restart_after(conn, after)


def find_progress(conn: Connection, number: int) -> ErasureProgress | None:
    """Return one erasure, or None."""
    row = conn.execute(select(erasure).where(erasure.c.number == number)).one_or_none()
    if row is None:
        return None
    return ErasureProgress(_erasure(row), row.staff_id, row.sql_at, row.analytics_at)


def list_not_in_sql(conn: Connection) -> list[Erasure]:
    """Return the erasures with data in SQL, oldest first."""
    return _list(conn, erasure.c.sql_at.is_(None))


def list_not_in_analytics(conn: Connection, limit: int | None = None) -> list[Erasure]:
    """Return the erasures with data in the analytic store, but none in SQL, oldest first."""
    return _list(conn, erasure.c.analytics_at.is_(None), erasure.c.sql_at.is_not(None))[:limit]


def last_outbox_id(conn: Connection) -> int:
    """Return the id of the last row of the outbox; 0 = it is empty."""
    return int(conn.execute(select(func.max(outbox.c.id))).scalar_one() or 0)


def has_outbox_until(conn: Connection, last: int) -> bool:
    """Return whether the outbox has rows with ids up to one."""
    return has_rows(conn, select(outbox.c.id).where(outbox.c.id <= last))


def list_finished(conn: Connection, since: int, until: int) -> list[Erasure]:
    """Return the erasures that were finished from `since` to before `until` (UTC milliseconds)."""
    return _list(conn, erasure.c.analytics_at >= since, erasure.c.analytics_at < until)


def has_unfinished(conn: Connection) -> bool:
    """Return whether an erasure is not finished. Cheap."""
    return has_rows(conn, select(erasure.c.number).where(erasure.c.analytics_at.is_(None)))


def last_number_before(conn: Connection, moment: int) -> int:
    """Return the number of the last erasure before a moment (UTC milliseconds); 0 = none."""
    return int(conn.execute(select(func.max(erasure.c.number)).where(erasure.c.at < moment)).scalar_one() or 0)


def finish_sql(conn: Connection, number: int, now_ms: int) -> None:
    """Mark the data of an erasure as removed from SQL."""
    conn.execute(update(erasure).where(erasure.c.number == number).values(sql_at=now_ms))


def finish_analytics(conn: Connection, numbers: Collection[int], now_ms: int) -> None:
    """Mark the data of erasures as removed from the analytic store."""
    conn.execute(update(erasure).where(erasure.c.number.in_(numbers)).values(analytics_at=now_ms))


def restart_after(conn: Connection, after: int) -> int:
    """Repeat the erasures behind a number, as a load did not know them; return how many."""
    again = update(erasure).where(erasure.c.number > after)
    return conn.execute(again.values(sql_at=None, analytics_at=None)).rowcount


def _list(conn: Connection, *conditions: ColumnElement[bool]) -> list[Erasure]:
    return [_erasure(row) for row in conn.execute(select(erasure).where(*conditions).order_by(erasure.c.number))]


def _erasure(row: Row[Any]) -> Erasure:
    return Erasure(row.number, ErasureSubject(row.subject), row.value, row.at)
