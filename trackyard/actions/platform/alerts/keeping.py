"""Open, continue and close alerts by what was seen (docs/spec/alerts.md#opening-and-closing)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.people.callers import find_account_caller
from trackyard.actions.people.scope import scope_of
from trackyard.base.ids import new_id
from trackyard.base.zones import find_zone
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.callers import Access, Account, AccountKind, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.alerts.causes import Alert, SeenCause, compare_causes
from trackyard.domain.platform.alerts.choices import AlertChoices, AlertWay
from trackyard.domain.platform.mails.values import MailFinding
from trackyard.store.engine.database import Connection
from trackyard.store.people import staff
from trackyard.store.people.preferences import find_preferences
from trackyard.store.platform.alerts import alerts, choices, notices


@dataclass(frozen=True, slots=True)
class AlertReader:
    """A person who may see alerts.

    zone: the time zone of quiet hours. of_platform: whether the person sees alerts of the platform.
    """

    caller: StaffCaller
    scope: Scope
    of_platform: bool
    choices: AlertChoices
    zone: ZoneInfo

    def sees(self, alert: Alert) -> bool:
        """Return whether the person sees an alert."""
        return alert.concern.is_seen_in(self.scope, of_platform=self.of_platform)

    def is_mailed(self, alert: Alert) -> bool:
        """Return whether the person gets a mail about an alert."""
        return self.sees(alert) and self.choices.way_of(alert.kind, self.caller.roles) is AlertWay.MAIL

    def is_mailed_at_its_end(self, alert: Alert) -> bool:
        """Return whether the person gets a mail that an alert is over."""
        return self.choices.mail_ends and self.is_mailed(alert)


def reader_of(conn: Connection, caller: StaffCaller, platform_zone: ZoneInfo) -> AlertReader:
    """Return a staff user as a reader of alerts."""
    zone = find_zone(find_preferences(conn, caller.account).timezone) or platform_zone
    return AlertReader(
        caller=caller,
        scope=scope_of(conn, Access(caller, Permission.STATS_COMMON)),
        of_platform=caller.may(Permission.AUDIT_READ),
        choices=choices.find_choices(conn, caller.account),
        zone=zone,
    )


def keep_alerts(deps: Deps, source: str, seen: Sequence[SeenCause]) -> tuple[list[Alert], list[Alert]]:
    """Store what a look changes, and note who gets a mail; return the alerts that it opened and closed.

    A repeat changes nothing: of several machines one opens an alert.
    """
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        changes = compare_causes(alerts.list_open(conn), seen, source, now)
    if not (changes.opened or changes.continued or changes.closed):
        return [], []
    readers = list(_each_reader(deps)) if changes.opened or changes.closed else []
    with deps.database.write() as conn:
        for alert, cause in changes.continued:
            alerts.continue_alert(conn, alert.id, cause, source, now)
        closed = [alert for alert in changes.closed if alerts.close_alert(conn, alert.id, now)]
        opened = [new for cause in changes.opened if (new := _open(conn, cause, source, now)) is not None]
        for kind, changed in ((EventKind.ALERT_OPENED, opened), (EventKind.ALERT_CLOSED, closed)):
            for alert in changed:
                publish(conn, kind, now, _concerned(alert), alert=MailFinding(alert.shown))
        for reader in readers:
            for alert in filter(reader.is_mailed, opened):
                due_at = reader.choices.mail_at(alert.severity, reader.zone, now)
                notices.add_notice(conn, reader.caller.account, alert.id, due_at)
            for alert in filter(reader.is_mailed_at_its_end, closed):
                due_at = reader.choices.mail_end_at(reader.zone, now)
                notices.add_end_notice(conn, reader.caller.account, alert.id, due_at)
    return opened, closed


def _open(conn: Connection, cause: SeenCause, source: str, now_ms: int) -> Alert | None:
    """Store a new alert; None where another machine was faster."""
    opened = Alert(
        id=new_id(now_ms),
        kind=cause.kind,
        finding=cause.finding.kind,
        subject=cause.finding.subject,
        open_key=cause.key,
        source=source,
        evidence=dict(cause.finding.evidence),
        offer_id=cause.offer_id,
        affiliate_id=cause.affiliate_id,
        advertiser_id=cause.advertiser_id,
        opened_at=now_ms,
        seen_at=now_ms,
    )
    return opened if alerts.add_if_new(conn, opened) else None


def _concerned(alert: Alert) -> Concerned:
    return Concerned(alert.id, alert.affiliate_id, alert.advertiser_id or "", alert.offer_id)


def _each_reader(deps: Deps) -> Iterator[AlertReader]:
    """Yield the active staff users who may see alerts."""
    with deps.database.read() as conn:
        people = [each.id for each in staff.all_staff(conn) if each.status.rule.is_at_work]
    for staff_id in people:
        caller = find_account_caller(deps, Account(AccountKind.STAFF, staff_id))
        if isinstance(caller, StaffCaller) and caller.may(Permission.STATS_COMMON):
            with deps.database.read() as conn:
                yield reader_of(conn, caller, deps.zone)


def forget_old(deps: Deps) -> int:
    """Remove closed alerts past the retention of logs; return how many."""
    before = deps.retention_policy.log_cutoff_ms(deps.clock.now_ms())
    with deps.database.write() as conn:
        return alerts.remove_closed(conn, before)
