"""Mails about alerts: one for all that is due, once, to those who may see them."""

from email.message import EmailMessage

import pytest

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import staff_visitor
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.console.mailed import alert_mails
from trackyard.console.mailed.alert_mails import AlertMailer
from trackyard.console.mailed.digests import DigestMailer
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.outbound.mail import MailMessage, build_message
from trackyard.store.platform import mail

CHOICES = "/3.1/admin/alerts/choices"
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
LATE = SeenCause(Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}))
DISK = SeenCause(Finding(FindingKind.DISK_LOW, "one: /data <b>", {"free_percent": 12}))


def run(api: Api) -> list[EmailMessage]:
    """The mails that a mailer makes now, as they leave."""
    mailer = AlertMailer(api.deps)
    while mailer.send_one():
        pass
    return queued(api)


def queued(api: Api) -> list[EmailMessage]:
    """The mails that are queued, as they leave."""
    found = []
    with api.deps.database.write() as conn:
        while (item := mail.claim(conn, api.clock.now_ms(), 60 * MINUTE)) is not None:
            files = tuple((each.name, each.kind, each.content) for each in item.attachments)
            given = MailMessage(item.id, item.recipient, item.subject, item.body, item.created_at, item.html, files)
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


def test_end_of_an_alert_is_mailed_to_those_who_chose_it_after_quiet_hours(api: Api) -> None:
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(3 * MINUTE)
    assert len(run(api)) == 1
    api.admin.post(CHOICES, mail_ends="1", quiet_from="00:00", quiet_until="23:59")
    api.clock.advance(10 * MINUTE)
    keep_alerts(api.deps, "books", [])
    api.clock.advance(3 * MINUTE)
    assert run(api) == [], "it waits for the end of the quiet hours"
    api.clock.advance(DAY)
    [message] = run(api)
    assert message["Subject"].startswith("1 alert is over: The queue inbox")
    assert "over since" in text_of(message)
    api.admin.post(CHOICES, mail_ends="0", quiet_from="", quiet_until="")
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(10 * MINUTE)
    assert len(run(api)) == 1
    keep_alerts(api.deps, "books", [])
    api.clock.advance(3 * MINUTE)
    assert run(api) == []


def test_rail_counts_the_open_alerts_of_the_person(api: Api) -> None:
    visitor = staff_visitor(api)
    assert "open alert" not in visitor.read("/console/profile").text
    keep_alerts(api.deps, "books", [LATE])
    assert "1 open alert" in visitor.read("/console/profile").text
    api.clock.advance(10 * MINUTE)
    keep_alerts(api.deps, "books", [])
    assert "open alert" not in visitor.read("/console/profile").text


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


def digests(api: Api) -> list[EmailMessage]:
    """The digests that are made now, as they leave."""
    while DigestMailer(api.deps).send_one():
        pass
    return queued(api)


def test_digest_of_a_day_has_figures_movers_alerts_and_charts(api: Api) -> None:
    offer, (pid, _) = api.add_offer(title="Boots"), api.add_affiliate()
    api.admin.post(CHOICES, digest="day", digest_hour="8")
    assert digests(api) == [], "it is not due"
    load_clicks(api.deps, [new_click(place, offer=offer, affiliate=pid, time=api.clock.now_ms()) for place in range(7)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, created_at=api.clock.now_ms())
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(DAY)
    [message] = digests(api)
    text, page = text_of(message), text_of(message, "html")
    assert "Clicks: 7 (" in text
    assert "Conversions: 1 (" in text
    assert "- Boots: +$3.00" in text
    assert f'href="{api.deps.api_url}/console/offers/{offer}"' in page
    assert "The queue inbox does not move" in page
    charts = {each.get_filename(): each.get_content() for each in message.iter_attachments()}
    assert charts.keys() == {"clicks.svg", "conversions.svg", "margin.svg"}
    assert all(b"<svg" in chart for chart in charts.values())
    assert digests(api) == [], "it is made once"
    api.clock.advance(DAY)
    assert len(digests(api)) == 1


def test_digest_of_a_manager_has_own_affiliates_alone(api: Api) -> None:
    manager_id, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    offer, (own, _), (other, _) = api.add_offer(), api.add_affiliate(manager_id=manager_id), api.add_affiliate()
    manager.post(CHOICES, digest="week", digest_hour="8")
    now = api.clock.now_ms()
    clicks = [new_click(place, offer=offer, affiliate=own if place < 3 else other, time=now) for place in range(10)]
    load_clicks(api.deps, clicks)
    api.clock.advance(7 * DAY)
    [message] = digests(api)
    assert "Clicks: 3 (" in text_of(message)
    charts = {each.get_filename(): each.get_content() for each in message.iter_attachments()}
    assert charts.keys() == {"clicks.svg", "conversions.svg", "margin.svg"}
    assert all(b"<svg" in chart for chart in charts.values())


def test_digest_of_a_person_without_statistics_any_more_is_left_out(api: Api) -> None:
    user, admin = api.add_staff(Role.ADMIN)
    admin.post(CHOICES, digest="day")
    api.admin.post(f"/3.1/admin/user/{user}", **{"roles[]": Role.SECTION_TICKET.value})
    api.clock.advance(DAY)
    assert digests(api) == []


def test_digest_can_be_chosen_on_the_page_and_ended(api: Api) -> None:
    page = staff_visitor(api, Role.ADMIN)
    page.post("/console/alerts/choices", digest="week", digest_hour="9")
    shown = page.get("/console/alerts/choices").text
    assert 'value="week" selected' in shown
    assert "The next one is sent at" in shown
    page.post("/console/alerts/choices", digest="none", digest_hour="9")
    assert "The next one is sent at" not in page.get("/console/alerts/choices").text


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
