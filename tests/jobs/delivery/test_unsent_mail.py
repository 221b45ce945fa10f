"""Mail that is not sent: what each door says, whatever the file of settings says."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.runtime.checks.test_machine_checks import machine
from tests.runtime.checks.test_store_checks import installed, unused_address
from tests.support.api import NOW, UNBOUNDED, Api
from tests.support.command import run_command
from tests.support.pages import console_app, staff_visitor
from tests.support.processes.mailserver import MailServer, mail_server
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.actions.platform.alerts.looks import look_at_books, look_at_checks
from trackyard.api.app import build
from trackyard.base.clock import ManualClock
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.platform.findings import CheckFindings, Finding
from trackyard.jobs.delivery.mail import Mailer
from trackyard.outbound.mail import MailServerUnreachable, SmtpTransport, parse_smtp_url
from trackyard.runtime.checks.books import check_waiting_mail
from trackyard.runtime.checks.registry import checks_of
from trackyard.store.engine.database import Database
from trackyard.store.platform import mail

__all__ = ["mail_server"]

MINUTE: Final = 60_000
SENDER: Final = "net@work.example"
BANNER: Final = "Mail is not sent."

ANSWERS: Final[Sequence[tuple[str, str, int, str, str]]] = (
    # what it answers ("" = a server that is away, "-" = no try), what is said, minutes, what is found, why
    ("", "", 10, "mail_waits", "a dead server: each mail waits"),
    ("", "", 9, "", "a restart of a mail server takes minutes"),
    ("RCPT", "450 4.7.1 Client host rejected", 10, "mail_waits", "the server refuses this sender"),
    ("RCPT", "451 no reason given", 10, "mail_waits", "an answer without a class may be about all mails"),
    ("DATA", "451 4.3.0 queue is full", 11, "mail_waits", "the server takes no mail now"),
    ("RCPT", "452 4.2.2 mailbox full", 600, "", "one person's mailbox: other mails are sent"),
    ("RCPT", "450 4.2.0 greylisted", 10, "", "the server takes this recipient's mail later"),
    ("RCPT", "550 5.1.1 unknown", 10, "", "given up at once: it does not wait"),
    ("-", "", 10, "mail_untried", "no process has the role worker"),
    ("DATA", "250 taken", 10, "", "it was sent"),
)  # fmt: skip


def try_mail(database: Database, url: str, now_ms: int) -> None:
    transport = SmtpTransport(parse_smtp_url(url), SENDER)
    one = Mailer(database, ManualClock(now_ms), transport, draw_jitter=lambda: 0.0)
    try:
        while one.send_one():
            pass
    except MailServerUnreachable:
        pass
    finally:
        transport.close()


def test_table_of_answers_is_whole() -> None:
    assert len(ANSWERS) == 10
    assert {found for *_, found, _ in ANSWERS} == {"mail_waits", "mail_untried", ""}


@pytest.mark.parametrize(("place", "says", "minutes", "kind", "reason"), ANSWERS, ids=[row[-1] for row in ANSWERS])
def test_mails_that_wait_are_a_cause_with_the_last_answer_of_the_server(
    api: Api, mail_server: MailServer, place: str, says: str, minutes: int, kind: str, reason: str
) -> None:
    database = api.deps.database
    mail_server.answer_differently(lambda asked: says if (asked == "DATA") == (place == "DATA") else "250 OK")
    with database.write() as conn:
        mail.add(conn, "a@example.org", "Hello", "Text", NOW - minutes * MINUTE)
    if place != "-":
        try_mail(database, mail_server.url if place else f"smtp://{unused_address()}", NOW)
    found = [each.finding for each in look_at_books(api.deps) if each.kind is AlertKind.MAIL]
    assert [each.kind.value for each in found] == ([kind] if kind else []), reason
    if kind:
        assert dict(found[0].evidence).items() >= {"waiting": 1, "minutes": minutes}.items()
    if kind == "mail_waits":
        assert found[0].evidence["reason"] == (says if place else "[Errno 111] Connection refused")


def test_mails_that_wait_are_found_by_the_check_with_the_newest_answer(
    tmp_path: Path, database: Database, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = machine(tmp_path, database_url=database.url)
    monkeypatch.setattr("trackyard.runtime.checks.books._now_ms", lambda: NOW)
    answers = {"a@x.example": "452 4.2.2 full", "b@x.example": "451 earlier", "c@x.example": "451 4.3.0\r\nlater."}
    mail_server.answer_differently(lambda asked: answers.get(asked, "250 OK"))
    for number, (recipient, old) in enumerate([("a@x.example", 90), ("b@x.example", 30), ("c@x.example", 12)]):
        with database.write() as conn:
            mail.add(conn, recipient, "Hello", "Text", NOW - old * MINUTE)
        try_mail(database, mail_server.url, NOW - 600_000 + number)
    with database.write() as conn:
        mail.add(conn, "d@x.example", "Your server changed", "Text", NOW - 99 * MINUTE, server="sealed")
        mail.add(conn, "e@x.example", "Hello", "Text", NOW - 9 * MINUTE)
    (found,) = check_waiting_mail(here)
    assert dict(found.evidence) == {"waiting": 2, "minutes": 30, "reason": "451 4.3.0"}
    assert found.sentence == "Mails wait: 2, the oldest for 30 minutes. The mail server said: 451 4.3.0."
    assert list(check_waiting_mail(machine(tmp_path / "new"))) == []


def findings_in(checks: Sequence[Any]) -> set[str]:
    return {finding["kind"] for check in checks for finding in check["findings"]}


def test_every_door_says_that_the_server_of_the_console_is_dead_while_that_of_the_file_works(
    api: Api, tmp_path: Path, mail_server: MailServer
) -> None:
    dead = unused_address()
    installed(tmp_path, f"smtp://{dead}")
    config = machine(tmp_path, smtp_url=mail_server.url).config
    given = {"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_SMTP_URL": mail_server.url}
    deps = replace(api.deps, checks=checks_of(config, given))
    asked = replace(api, deps=deps, app=build(deps, limits=UNBOUNDED))
    admin, visitor = api.admin.of(asked.app), staff_visitor(asked, app=console_app(asked))

    def of_command(name: str) -> str:
        return str(findings_in(json.loads(run_command(name, "--json", env=given).stdout)["checks"]))

    def alerts() -> str:
        keep_alerts(deps, "checks", look_at_checks(deps, "one"))
        return str([each["finding"] for each in admin.get("/3.1/admin/alerts", **{"kind[]": "mail"})["alerts"]])

    doors: dict[str, tuple[Callable[[], str], str]] = {
        "trackyard check": (lambda: of_command("check"), "mail_refused"),
        "trackyard doctor": (lambda: of_command("doctor"), "mail_refused"),
        "GET admin/findings": (lambda: str(findings_in(admin.get("/3.1/admin/findings")["checks"])), "mail_refused"),
        "page Health": (lambda: visitor.read("/console/health").text, dead),
        "GET admin/alerts": (alerts, "mail_refused"),
        "page Alerts": (lambda: visitor.read("/console/alerts").text, dead),
        "banner": (lambda: visitor.read("/console/offers").text, f"{BANNER} The mail server {dead}"),
    }
    seen = [name for name, (ask, said) in doors.items() if said in ask()]
    assert seen == list(doors) and len(seen) == 7
    assert not mail_server.received and not mail_server.connections


def test_banner_has_the_last_answer_until_the_mail_is_sent(api: Api, mail_server: MailServer) -> None:
    visitor = staff_visitor(api, app=console_app(api))
    mail_server.answer_differently(lambda asked: "451 4.3.0 <b>busy</b>" if asked == "DATA" else "250 OK")

    def banner() -> str:
        keep_alerts(api.deps, "books", look_at_books(api.deps))
        page = visitor.get("/console/offers").text
        return str(page).partition(BANNER)[2].partition("</p>")[0].strip()

    with api.deps.database.write() as conn:
        mail.add(conn, "a@example.org", "Hello", "Text", api.clock.now_ms())
    for _ in range(3):
        assert banner() == ""
        try_mail(api.deps.database, mail_server.url, api.clock.now_ms())
        api.clock.advance(4 * MINUTE)
    shown = banner()
    assert "the oldest for 12 minutes. The mail server said: 451 4.3.0 &lt;b&gt;busy" in shown
    mail_server.answer_differently(lambda _: "250 OK")
    try_mail(api.deps.database, mail_server.url, api.clock.now_ms() + 40 * MINUTE)
    banner()
    api.clock.advance(11 * MINUTE)
    assert banner() == "" and mail_server.received


def test_kind_mail_leads_to_health_for_each_of_its_findings() -> None:
    assert {found.value for found in AlertKind.MAIL.pages} == {"mail_refused", "mail_waits", "mail_untried"}
    assert CheckFindings("mail", "mail", tuple(Finding(each, "mail") for each in AlertKind.MAIL.pages)).severity
