"""Saved reports that are sent by mail (docs/spec/console.md#reports-by-mail)."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, delete, select, update

from trackyard.domain.people.callers import Account
from trackyard.domain.statistics.report_mails import ReportMail
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import report_mail

_ROWS: Final = Rows[ReportMail, str](report_mail, ReportMail)
add_mail = _ROWS.add
edit_mail = _ROWS.edit
remove_mail = _ROWS.remove


def find_mail(conn: Connection, report_id: str, account: Account, *, lock: bool = False) -> ReportMail | None:
    """Return how an account gets a report, or None. lock: until the end of the transaction."""
    mine = report_mail.c.owner == account.name
    return _ROWS.find_where(conn, report_mail.c.report_id == report_id, mine, lock=lock)


def mails_of(conn: Connection, account: Account) -> Mapping[str, ReportMail]:
    """Return the mails of an account by the id of their report."""
    found = _ROWS.read(conn, select(report_mail).where(report_mail.c.owner == account.name))
    return {each.report_id: each for each in found}


def list_due(conn: Connection, now_ms: int, limit: int) -> list[ReportMail]:
    """Return mails that are due, the longest due first."""
    due = select(report_mail).where(report_mail.c.next_at <= now_ms).order_by(report_mail.c.next_at, report_mail.c.id)
    return _ROWS.read(conn, due.limit(limit))


def claim_mail(conn: Connection, mail_id: str, now_ms: int, lease_ms: int) -> ReportMail | None:
    """Claim a mail that is due; None where it is not due any more.

    No other process claims it for `lease_ms`.
    """
    due = select(report_mail).where(report_mail.c.next_at <= now_ms, report_mail.c.id == mail_id)
    row = conn.execute(due.with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        return None
    conn.execute(update(report_mail).where(report_mail.c.id == row.id).values(next_at=now_ms + lease_ms))
    return ReportMail(**{**row._mapping, "next_at": now_ms + lease_ms})


def finish_mail(conn: Connection, claimed: ReportMail, next_at: int) -> bool:
    """Set when a claimed mail is due again; return False where it is not this claim's any more."""
    own: Any = update(report_mail).where(report_mail.c.id == claimed.id, report_mail.c.next_at == claimed.next_at)
    return bool(conn.execute(own.values(next_at=next_at)).rowcount)


def remove_mails_of_report(conn: Connection, report_id: str, but: str = "") -> None:
    """Stop all mails of a report. but: the name of an account that still gets it."""
    conn.execute(delete(report_mail).where(report_mail.c.report_id == report_id, report_mail.c.owner != but))


def remove_mails(conn: Connection, account: Account) -> None:
    """Stop all mails of an account."""
    conn.execute(delete(report_mail).where(report_mail.c.owner == account.name))
