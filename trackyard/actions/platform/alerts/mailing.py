"""Mails about alerts, grouped for each person (docs/spec/alerts.md#mails)."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people.callers import find_account_caller
from trackyard.actions.platform.alerts.keeping import reader_of
from trackyard.actions.statistics.report_mails import Letter
from trackyard.domain.people.callers import Account, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.alerts.causes import Alert
from trackyard.domain.platform.mails.log import OtherMail
from trackyard.store.platform import mail
from trackyard.store.platform.alerts import alerts, notices


@dataclass(frozen=True, slots=True)
class DueAlerts:
    """The alerts that a person is to get now, errors first.

    caller: None for one who may get none any more. zone: of the person. due_at: when they were looked up.
    """

    account: Account
    caller: StaffCaller | None
    alerts: Sequence[Alert]
    zone: ZoneInfo
    due_at: int


def find_due(deps: Deps) -> DueAlerts | None:
    """Return the alerts for the person due the longest; None when no mail is due."""
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        if not notices.has_due(conn, now) or (owner := notices.find_due_owner(conn, now)) is None:
            return None
        found = alerts.by_id(conn, notices.list_due(conn, owner, now))
    account = Account.of_name(owner)
    caller = find_account_caller(deps, account)
    if not isinstance(caller, StaffCaller) or not caller.may(Permission.STATS_COMMON):
        return DueAlerts(account, None, (), deps.zone, now)
    with deps.database.read() as conn:
        reader = reader_of(conn, caller, deps.zone)
    seen = sorted(filter(reader.sees, found.values()), key=lambda each: (each.severity.value, each.opened_at, each.id))
    return DueAlerts(account, caller, seen, reader.zone, now)


def finish_due(deps: Deps, due: DueAlerts, recipient: str, letter: Letter | None) -> bool:
    """Queue the mail once; return False where another process was faster.

    letter: None = there is nothing to say.
    """
    with deps.database.write() as conn:
        if not notices.take_due(conn, due.account.name, due.due_at):
            return False
        if letter is not None:
            mail.add(
                conn,
                recipient,
                letter.subject,
                letter.text,
                deps.clock.now_ms(),
                html=letter.html,
                kind=OtherMail.ALERT,
            )
    return letter is not None
