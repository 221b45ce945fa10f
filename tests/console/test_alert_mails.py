"""Mails about alerts: one for all that is due, once, to those who may see them."""

from email.message import EmailMessage

import pytest

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.console.mailed import alert_mails
from trackyard.console.mailed.alert_mails import AlertMailer
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.outbound.mail import MailMessage, build_message
from trackyard.store.platform import mail

CHOICES = "/3.1/admin/alerts/choices"
MINUTE = 60_000
LATE = SeenCause(Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}))
DISK = SeenCause(Finding(FindingKind.DISK_LOW, "one: /data <b>", {"free_percent": 12}))


def run(api: Api) -> list[EmailMessage]:
    """The mails that a mailer makes now, as they leave."""
    mailer = AlertMailer(api.deps)
    while mailer.send_one():
        pass
    found = []
    with api.deps.database.write() as conn:
        while (item := mail.claim(conn, api.clock.now_ms(), 60 * MINUTE)) is not None:
            given = MailMessage(item.id, item.recipient, item.subject, item.body, item.created_at, item.html)
            found.append(build_message(given, "mail@trackyard.example"))
            mail.remove(conn, item.id)
    return found


def text_of(message: EmailMessage, kind: str = "plain") -> str:
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def test_alerts_that_open_together_come_in_one_mail_with_links_and_only_once(api: Api) -> None:
    keep_alerts(api.deps, "books", [LATE])
    assert run(api) == [], "others may join it"
    api.clock.advance(MINUTE)
    keep_alerts(api.deps, "checks", [DISK])
    api.clock.advance(3 * MINUTE)
    [message] = run(api)
    assert message["Subject"] == "2 alerts: The queue inbox does not move: its oldest entry has been due for 900 s."
    assert text_of(message).count(f"{api.deps.api_url}/console/health") == 2
    assert "/data <b>" in text_of(message)
    assert "/data &lt;b&gt;" in text_of(message, "html")
    assert f"{api.deps.api_url}/console/alerts/choices" in text_of(message, "html")
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(10 * MINUTE)
    assert run(api) == []


def test_alert_that_is_over_before_its_mail_says_so(api: Api) -> None:
    api.admin.post(CHOICES, quiet_from="00:00", quiet_until="23:59", errors_pass="0")
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(6 * MINUTE)
    keep_alerts(api.deps, "books", [])
    api.clock.advance(24 * 60 * MINUTE)
    [message] = run(api)
    assert "over since" in text_of(message)


def test_mail_is_in_the_language_of_its_recipient(api: Api) -> None:
    api.admin.post("/3.1/auth/preferences", language="es")
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(3 * MINUTE)
    [message] = run(api)
    assert "desde" in text_of(message)


def test_person_who_lost_the_right_to_an_alert_gets_no_mail_of_it(api: Api) -> None:
    user, _ = api.add_staff(Role.ADMIN)
    keep_alerts(api.deps, "books", [LATE])
    api.admin.post(f"/3.1/admin/user/{user}", **{"roles[]": Role.SECTION_TICKET.value})
    api.clock.advance(3 * MINUTE)
    assert len(run(api)) == 1, "to the other administrator"
    assert run(api) == []


def test_mail_of_many_alerts_shows_some_and_counts_the_others(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alert_mails, "MOST_SHOWN", 2)
    found = [SeenCause(Finding(FindingKind.QUEUE_STUCK, name, {"seconds": 900})) for name in ("a", "b", "c")]
    keep_alerts(api.deps, "books", found)
    api.clock.advance(3 * MINUTE)
    [message] = run(api)
    assert "1 more alert is on the page." in text_of(message)


def test_page_lists_alerts_with_their_evidence_and_keeps_choices(api: Api) -> None:
    page = staff_visitor(api, Role.ADMIN)
    assert "Nothing needs you now" in page.get("/console/alerts").text
    keep_alerts(api.deps, "books", [LATE])
    shown = page.get("/console/alerts").text
    assert "The queue inbox does not move" in shown
    assert 'href="/console/health"' in shown
    assert "The queue inbox" in page.get("/console/alerts?state=open&kind=lag&format=csv").text
    assert "Nothing meets these filters" in page.get("/console/alerts?kind=disk").text
    answer = page.post("/console/alerts/choices", **{"quiet_from": "22:00", "quiet_until": "", "mail-rise": "1"})
    assert answer.status_code == 400
    assert 'value="22:00"' in answer.text
    page.post("/console/alerts/choices", **{"quiet_from": "22:00", "quiet_until": "07:00", "mail-rise": "1"})
    kept = page.get("/console/alerts/choices").text
    assert 'name="mail-rise" value="1" checked' in kept
    assert 'name="mail-lag" value="1" checked' not in kept
