"""Saved reports (docs/spec/console.md#saved-reports)."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from trackyard.domain.people.callers import Account
from trackyard.domain.statistics.saved_reports import SavedReport
from trackyard.store.engine.rows import Rows, has_rows
from trackyard.store.tables import saved_report

_ROWS: Final = Rows[SavedReport, str](saved_report, SavedReport)
add_report = _ROWS.add
edit_report = _ROWS.edit
remove_report = _ROWS.remove


def list_reports(conn: Connection, account: Account, *, shared: bool) -> list[SavedReport]:
    """Return the reports of an account by name. shared: also reports that others share."""
    visible = _visible(account, shared=shared)
    return _ROWS.read(conn, select(saved_report).where(visible).order_by(saved_report.c.name, saved_report.c.id))


def find_report(conn: Connection, report_id: str, account: Account, *, lock: bool = False) -> SavedReport | None:
    """Return a report of an account, or None.

    lock: no other transaction changes it until the end of this one.
    """
    return _ROWS.find_where(conn, saved_report.c.id == report_id, saved_report.c.owner == account.name, lock=lock)


def find_visible(conn: Connection, report_id: str, account: Account, *, shared: bool) -> SavedReport | None:
    """Return a report that an account saved, or None. shared: also one that others share."""
    return _ROWS.find_where(conn, saved_report.c.id == report_id, _visible(account, shared=shared))


def count_reports(conn: Connection, account: Account) -> int:
    """Return the number of reports of an account."""
    query = select(func.count()).select_from(saved_report).where(saved_report.c.owner == account.name)
    return int(conn.execute(query).scalar_one())


def has_name(conn: Connection, account: Account, name: str, but: str = "") -> bool:
    """Return whether a report of an account has this name. but: the id of one that does not count."""
    own = select(saved_report.c.id).where(saved_report.c.owner == account.name, saved_report.c.name == name)
    return has_rows(conn, own.where(saved_report.c.id != but))


def remove_reports(conn: Connection, account: Account) -> None:
    """Remove the reports of an account."""
    conn.execute(delete(saved_report).where(saved_report.c.owner == account.name))


def _visible(account: Account, *, shared: bool) -> ColumnElement[bool]:
    own = saved_report.c.owner == account.name
    return or_(own, saved_report.c.shared.is_(True)) if shared else own
