"""Mails about alerts, in the language of their recipient (docs/spec/alerts.md#mails)."""

import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.failures import refusal_of
from trackyard.actions.platform.alerts.mailing import DueAlerts, find_due, finish_due
from trackyard.actions.platform.network import get_network
from trackyard.actions.platform.notices import why_account
from trackyard.actions.statistics.report_mails import Letter
from trackyard.base.metrics import ALERTS
from trackyard.base.texts.languages import language, speaking, spoken
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.persons import find_person
from trackyard.console.frame.templates import render
from trackyard.console.mailed.digests import DigestMailer
from trackyard.domain.platform.alerts.causes import Alert
from trackyard.domain.platform.findings import Severity
from trackyard.domain.platform.mails.frame import MailLook, framed, look_of

PAUSE_S: Final = 20.0
MOST_SHOWN: Final = 50
"""Alerts of one mail; the page has the others."""
_AFTER_FAILURE_S: Final = 60.0
CHOICES: Final = "/console/alerts/choices"

log = logging.getLogger("trackyard.alerts")


@dataclass(frozen=True, slots=True)
class MailedAlert:
    """An alert as a mail shows it. over: since when its cause is gone, "" = it is not."""

    sentence: str
    advice: str
    since: str
    over: str
    link: str
    is_error: bool


class AlertMailer:
    """Sends each person what is due, alerts in one mail, and digests.

    Several may run on one database: a mail is queued once.
    """

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._digests = DigestMailer(deps)

    def run(self, stop: threading.Event, pause_seconds: float = PAUSE_S) -> None:
        """Send what is due until `stop` is set. A failure is logged, and tried again later."""
        while not stop.is_set():
            pause = pause_seconds
            try:
                while not stop.is_set() and (self.send_one() or self._digests.send_one()):
                    pass
            except Exception as fault:
                pause = _AFTER_FAILURE_S
                level = logging.ERROR if refusal_of(fault) is None else logging.DEBUG
                log.log(level, "alert mails failed", exc_info=fault)
            stop.wait(pause)

    def send_one(self) -> bool:
        """Send the person who is due the longest one mail with everything; False when none is due."""
        due = find_due(self._deps)
        if due is None:
            return False
        if due.caller is None or not due.alerts:
            finish_due(self._deps, due, "", None)
            return True
        person = find_person(self._deps, due.caller)
        with speaking(language(person.preferences.language)):
            letter = alert_letter(due, look_of(get_network(self._deps), self._deps.api_url))
        if finish_due(self._deps, due, person.email, letter):
            for each in due.alerts:
                ALERTS.labels(each.kind.value, "mailed").inc()
            log.info("alert mail queued", extra={"account": due.account.name, "alerts": len(due.alerts)})
        return True


def alert_letter(due: DueAlerts, look: MailLook) -> Letter:
    """Return the mail about alerts, grouped by kind."""
    base = look.base
    groups = list(group_alerts(due.alerts[:MOST_SHOWN], due.zone, base))
    number, more = len(due.alerts), len(due.alerts) - MOST_SHOWN
    title = _title(due.alerts)
    first = groups[0][1][0].sentence
    everything, choices = f"{base}/console/alerts", f"{base}{CHOICES}"
    note = (
        ngettext("%(num)d more alert is on the page.", "%(num)d more alerts are on the page.", more) if more > 0 else ""
    )
    values = {
        "look": look,
        "zone": due.zone.key,
        "groups": groups,
        "note": note,
        "all": everything,
        "choices": choices,
    }
    lines = [line for label, shown in groups for line in _plain(label, shown)]
    ways = [
        gettext("All alerts: %(link)s", link=everything),
        gettext("Choose what you get by mail, and when: %(link)s", link=choices),
    ]
    return Letter(
        subject=first if number == 1 and not groups[0][1][0].over else f"{title}: {first}",
        text="\n".join([title, "", *lines, *filter(None, [note]), *ways, ""]),
        html=framed(look, title, render("mail_alerts.html", values), why_account(look), spoken().code),
    )


def _title(alerts: Sequence[Alert]) -> str:
    """Return the title of a mail: how many alerts it has, and whether all of them are over."""
    if all(each.closed_at is not None for each in alerts):
        return ngettext("%(num)d alert is over", "%(num)d alerts are over", len(alerts))
    return ngettext("%(num)d alert", "%(num)d alerts", len(alerts))


def group_alerts(alerts: Sequence[Alert], zone: ZoneInfo, base: str) -> Iterator[tuple[str, list[MailedAlert]]]:
    """Yield alerts by the title of their kind, kinds with errors first."""
    worst = {each.kind for each in alerts if each.severity is Severity.ERROR}
    ordered = sorted(alerts, key=lambda each: (each.kind not in worst, each.kind.value))
    for kind, found in groupby(ordered, key=lambda each: each.kind):
        yield str(kind.label), [_shown(each, zone, base) for each in found]


def _shown(alert: Alert, zone: ZoneInfo, base: str) -> MailedAlert:
    finding = alert.shown
    return MailedAlert(
        sentence=finding.sentence,
        advice=finding.advice,
        since=_time(alert.opened_at, zone),
        over="" if alert.closed_at is None else _time(alert.closed_at, zone),
        link=f"{base}{alert.page}",
        is_error=alert.severity is Severity.ERROR,
    )


def _time(at_ms: int, zone: ZoneInfo) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone):%Y-%m-%d %H:%M}"


def _plain(label: str, shown: Sequence[MailedAlert]) -> Iterator[str]:
    yield label
    for each in shown:
        yield f"- {each.sentence}"
        yield f"  {gettext('since %(time)s', time=each.since)}"
        if each.over:
            yield f"  {gettext('over since %(time)s', time=each.over)}"
        else:
            yield f"  {each.advice}"
        yield f"  {each.link}"
    yield ""
