"""Erasures, stored for ever, and their progress (docs/retention.md)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select, update

from trackyard.domain.platform.erasures import NOTHING_ERASED, ErasedSubjects, Erasure, ErasureSubject
from trackyard.store.engine.dialect import AdvisoryLock, lock
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

    Those that are erased already are left out. They have the time and the author of that erasure.
    """
    known = select(erasure.c.value).where(
        erasure.c.subject == ErasureSubject.CLICK.value, erasure.c.value.in_(click_ids)
    )
    missing = sorted(set(click_ids) - set(conn.execute(known).scalars()))
    if missing:
        staff_id = conn.execute(select(erasure.c.staff_id).where(erasure.c.number == cause.number)).scalar_one()
        for click_id in missing:
            add(conn, ErasureSubject.CLICK, click_id, staff_id, cause.at)
    return len(missing)


def add_clicks_of_users(conn: Connection, users: Mapping[str, str]) -> None:
    """Store the erasure of clicks and impressions that were loaded after that of their user id.

    users: by their id.
    """
    for user_id in sorted(set(users.values())):
        named = (erasure.c.subject == ErasureSubject.USER.value, erasure.c.value == user_id)
        row = conn.execute(select(erasure).where(*named).order_by(erasure.c.number.desc()).limit(1)).one()
        cause = Erasure(row.number, ErasureSubject.USER, user_id, row.at)
        add_clicks(conn, [click_id for click_id, name in users.items() if name == user_id], cause)


def is_done(conn: Connection, made: Erasure) -> bool:
    """Whether SQL and the analytic store are rid of an erasure and of those that it named."""
    same = (erasure.c.number >= made.number, erasure.c.at == made.at)
    left = select(erasure.c.number).where(*same, erasure.c.analytics_at.is_(None)).limit(1)
    return conn.execute(left).first() is None


def newest_number(conn: Connection) -> int:
    """The number of the last erasure, 0 = there is none. Cheap."""
    return int(conn.execute(select(func.max(erasure.c.number))).scalar_one() or 0)


def get_erased(conn: Connection) -> ErasedSubjects:
    """All that was ever erased."""
    rows = conn.execute(select(erasure.c.number, erasure.c.subject, erasure.c.value, erasure.c.at))
    return ErasedSubjects.of(Erasure(row.number, ErasureSubject(row.subject), row.value, row.at) for row in rows)


class ErasedCache:
    """All erasures, read again when there are more. Belongs to one thread."""

    def __init__(self) -> None:
        self._known = NOTHING_ERASED

    def now(self, conn: Connection) -> ErasedSubjects:
        """Return all erasures. It costs one look at an index, as a rule."""
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
    made = Erasure(row.number, ErasureSubject(row.subject), row.value, row.at)
    return ErasureProgress(made, row.staff_id, row.sql_at, row.analytics_at)


def list_not_in_sql(conn: Connection) -> list[Erasure]:
    """Erasures that SQL is not rid of yet, oldest first."""
    return _list(conn, erasure.c.sql_at.is_(None))


def list_not_in_analytics(conn: Connection, limit: int | None = None) -> list[Erasure]:
    """Erasures that SQL is rid of and the analytic store is not yet, oldest first."""
    return _list(conn, erasure.c.analytics_at.is_(None), erasure.c.sql_at.is_not(None))[:limit]


def last_outbox_id(conn: Connection) -> int:
    """The last row that is on its way from SQL to the analytic store, 0 = none is."""
    return int(conn.execute(select(func.max(outbox.c.id))).scalar_one() or 0)


def has_outbox_until(conn: Connection, last: int) -> bool:
    """Whether rows are on their way that already were when one was the last."""
    return conn.execute(select(outbox.c.id).where(outbox.c.id <= last).limit(1)).first() is not None


def list_finished(conn: Connection, since: int, until: int) -> list[Erasure]:
    """Erasures that the analytic store was rid of from `since` to before `until` (UTC ms)."""
    return _list(conn, erasure.c.analytics_at >= since, erasure.c.analytics_at < until)


def has_unfinished(conn: Connection) -> bool:
    """Whether an erasure is not carried out. Cheap."""
    return conn.execute(select(erasure.c.number).where(erasure.c.analytics_at.is_(None)).limit(1)).first() is not None


def last_number_before(conn: Connection, moment: int) -> int:
    """The number of the last erasure that was asked for before a moment (UTC ms), 0 = none was."""
    return int(conn.execute(select(func.max(erasure.c.number)).where(erasure.c.at < moment)).scalar_one() or 0)


def finish_sql(conn: Connection, number: int, now_ms: int) -> None:
    """Store that SQL holds none of an erasure's data."""
    conn.execute(update(erasure).where(erasure.c.number == number).values(sql_at=now_ms))


def finish_analytics(conn: Connection, numbers: Collection[int], now_ms: int) -> None:
    """Store that the analytic store holds none of the data of some erasures."""
    conn.execute(update(erasure).where(erasure.c.number.in_(numbers)).values(analytics_at=now_ms))


def restart_after(conn: Connection, after: int) -> int:
    """Repeat the erasures behind a number, as a load did not know them; return how many."""
    again = update(erasure).where(erasure.c.number > after)
    return conn.execute(again.values(sql_at=None, analytics_at=None)).rowcount


def _list(conn: Connection, *conditions: object) -> list[Erasure]:
    query = select(erasure.c.number, erasure.c.subject, erasure.c.value, erasure.c.at).where(*conditions)  # type: ignore[arg-type]
    rows = conn.execute(query.order_by(erasure.c.number))
    return [Erasure(row.number, ErasureSubject(row.subject), row.value, row.at) for row in rows]
