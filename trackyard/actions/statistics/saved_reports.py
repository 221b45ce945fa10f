"""Use cases of saved reports (docs/spec/console.md#saved-reports)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.statistics.saved_reports import MAX_REPORTS, SavedReport, kept_query
from trackyard.store.engine.database import Connection
from trackyard.store.statistics import report_mails, saved_reports


def list_reports(deps: Deps, account: Account) -> list[SavedReport]:
    """Return the reports of an account by name; for staff also the shared reports of other staff."""
    with deps.database.read() as conn:
        return saved_reports.list_reports(conn, account, shared=account.kind is AccountKind.STAFF)


def get_report(deps: Deps, account: Account, report_id: str) -> SavedReport:
    """Return a report of an account. Raises NotFound."""
    with deps.database.read() as conn:
        return required(saved_reports.find_report(conn, report_id, account))


def add_report(deps: Deps, account: Account, *, name: str, query: str, shared: bool) -> SavedReport:
    """Save a report. shared: with all staff. Raises BadInput, and Conflict for a name that is taken."""
    now = deps.clock.now_ms()
    new = SavedReport(
        id=new_id(now), owner=account.name, name=name, query=kept_query(query), shared=shared, created_at=now,
        updated_at=now,
    )  # fmt: skip
    with deps.database.write() as conn:
        _check_name(conn, account, name)
        if saved_reports.count_reports(conn, account) >= MAX_REPORTS:
            raise BadInput({"name": [f"At most {MAX_REPORTS} reports are saved: remove one first."]})
        saved_reports.add_report(conn, new)
    return new


def edit_report(deps: Deps, account: Account, report_id: str, given: Mapping[str, Any]) -> SavedReport:
    """Change the name, query or sharing of a report. Raises NotFound, Conflict."""
    values = {**given, "updated_at": deps.clock.now_ms()}
    if "query" in given:
        values["query"] = kept_query(given["query"])
    with deps.database.write() as conn:
        before = required(saved_reports.find_report(conn, report_id, account, lock=True))
        if "name" in given:
            _check_name(conn, account, given["name"], but=report_id)
        saved_reports.edit_report(conn, report_id, values)
        if given.get("shared") is False:
            report_mails.remove_mails_of_report(conn, report_id, but=account.name)
    return replace(before, **values)


def remove_report(deps: Deps, account: Account, report_id: str) -> SavedReport:
    """Remove a report and return what it was. Raises NotFound."""
    with deps.database.write() as conn:
        removed = required(saved_reports.find_report(conn, report_id, account, lock=True))
        saved_reports.remove_report(conn, report_id)
        report_mails.remove_mails_of_report(conn, report_id)
    return removed


def _check_name(conn: Connection, account: Account, name: str, but: str = "") -> None:
    if saved_reports.has_name(conn, account, name, but):
        raise Conflict({"name": [f"A report with the name {name} is saved already."]})
