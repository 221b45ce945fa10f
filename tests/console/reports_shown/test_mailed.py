"""Saved reports by mail: what is sent, when, in which language, and when it ends."""

from email.message import EmailMessage
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from trackyard.actions.statistics import report_mails
from trackyard.base.errors import ReportTooHeavy, Unavailable
from trackyard.console.mailed import mailer as mailer_module
from trackyard.console.mailed.mailer import ReportMailer
from trackyard.documents.pdf import process
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.outbound.mail import MailMessage, build_message
from trackyard.store.platform import mail

PATH = "/3.1/stats/saved-reports"
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
MARKUP = "<b>Boots</b>"


def start(client: ApiClient, query: str = "by=offer&period=7d", **when: Any) -> str:
    """The id of a saved report that the caller gets by mail."""
    made = client.post(PATH, name="Monday review", query=query)["report"]
    client.post(f"{PATH}/{made['id']}/mail", **when)
    return str(made["id"])


def sent(api: Api) -> list[EmailMessage]:
    """The mails that are queued, as they leave."""
    found = []
    with api.deps.database.write() as conn:
        while (item := mail.claim(conn, api.clock.now_ms(), DAY_MS)) is not None:
            files = tuple((each.name, each.kind, each.content) for each in item.attachments)
            given = MailMessage(item.id, item.recipient, item.subject, item.body, item.created_at, item.html, files)
            found.append(build_message(given, "mail@trackyard.example"))
            mail.remove(conn, item.id)
    return found


def run(api: Api) -> list[EmailMessage]:
    """What a mailer sends now."""
    mailer = ReportMailer(api.deps)
    for _ in range(20):
        if not mailer.send_one():
            return sent(api)
    raise AssertionError("the mailer never ends")


@pytest.mark.parametrize("query", ["by=offer", "view=heat", "view=funnel", "view=pivot&by=offer&by=country"])
def test_report_by_mail_has_table_chart_file_and_links(api: Api, query: str) -> None:
    offer = api.add_offer(title=MARKUP)
    load_clicks(api.deps, [new_click(number, offer=offer, country="DE") for number in range(1, 6)])
    start(api.admin, f"{query}&period=7d&compare=none", every="day", hour="7")
    api.clock.advance(DAY_MS)
    [message] = run(api)
    html, text = (message.get_body((kind,)) for kind in ("html", "plain"))
    assert html is not None and text is not None
    assert "Monday review: " in message["Subject"]
    assert ">5<" in html.get_content()
    assert MARKUP not in html.get_content()
    assert "/console/reports/saved" in text.get_content()
    files = {each.get_filename(): each.get_content() for each in message.iter_attachments()}
    assert files.keys() == ({"report.csv"} if "pivot" in query else {"chart.svg", "report.csv"})
    assert MARKUP in str(files["report.csv"])
    assert "chart.svg" not in files or files["chart.svg"].startswith(b"<svg")


@pytest.mark.parametrize("wanted", ["pdf", "both"])
def test_report_by_mail_has_the_files_that_were_chosen(api: Api, wanted: str) -> None:
    offer = api.add_offer(title="Кредитная карта «Ёж» 中")
    load_clicks(api.deps, [new_click(number, offer=offer, country="DE") for number in range(1, 6)])
    start(api.admin, "by=offer&period=7d&compare=none", every="day", files=wanted)
    assert api.admin.get(PATH)["reports"][0]["mail"]["files"] == wanted
    api.clock.advance(DAY_MS)
    [message] = run(api)
    files = {each.get_filename(): each.get_content() for each in message.iter_attachments()}
    assert files.keys() == {"chart.svg", "report.pdf", *(["report.csv"] if wanted == "both" else [])}
    [page] = PdfReader(BytesIO(files["report.pdf"])).pages
    text = page.extract_text()
    assert "Кредитная карта «Ёж» ?" in text
    assert "Monday review" in text and "UTC" in text and "Page 1 of 1" in text
    assert ("The CSV file shows it." if wanted == "both" else "The page of the report shows it.") in text


def test_report_by_mail_has_csv_where_its_pdf_was_not_made(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    start(api.admin, "by=offer&period=7d", every="day", files="pdf")
    api.clock.advance(DAY_MS)
    monkeypatch.setattr(process, "WALL_S", 0.001)
    [message] = run(api)
    assert "report.csv" in {each.get_filename() for each in message.iter_attachments()}
    body = message.get_body(("plain",))
    assert body is not None and "The PDF file could not be made this time." in body.get_content()


def test_report_by_mail_is_sent_once_in_the_zone_and_language_of_the_person(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    affiliate.post("/3.1/auth/preferences", timezone="Asia/Tokyo", language="es")
    start(affiliate, every="week", weekday="2", hour="8")
    shown = affiliate.get(PATH)["reports"][0]["mail"]
    assert (shown["every"], shown["weekday"], shown["next_at"]) == ("week", 2, "2023-11-14 23:00:00")
    assert run(api) == []
    api.clock.advance(2 * HOUR_MS)
    [due] = report_mails.list_due(api.deps, 10)
    first, second = report_mails.claim_due(api.deps, due.id), report_mails.claim_due(api.deps, due.id)
    assert (first is not None, second) == (True, None)
    api.clock.advance(report_mails.LEASE_MS)
    [message] = run(api)
    assert first is not None
    assert report_mails.finish(api.deps, first, "late@a.example", report_mails.Letter("", "", "")) is False
    assert run(api) == []
    body = message.get_body(("plain",))
    assert body is not None
    assert "Informe: " in body.get_content() or "El informe: " in body.get_content()
    assert "Charge" not in str(message)
    assert affiliate.get(PATH)["reports"][0]["mail"]["next_at"] == "2023-11-21 23:00:00"


@pytest.mark.parametrize("end", ["block", "role", "stop", "remove", "unshare"])
def test_report_by_mail_ends_with_the_account_the_right_or_the_report(api: Api, end: str) -> None:
    staff_id, mia = api.add_staff(Role.SECTION_STATS)
    report = api.admin.post(PATH, name="Monday review", query="by=day", shared="1")["report"]["id"]
    mia.post(f"{PATH}/{report}/mail", every="day")
    match end:
        case "block":
            api.admin.post(f"/3.1/admin/user/{staff_id}/block")
        case "role":
            api.admin.post(f"/3.1/admin/user/{staff_id}", **{"roles[]": Role.SECTION_NEWS})
        case "stop":
            mia.call("DELETE", f"{PATH}/{report}/mail")
        case "remove":
            api.admin.call("DELETE", f"{PATH}/{report}")
        case _:
            api.admin.post(f"{PATH}/{report}", shared="0")
    api.clock.advance(DAY_MS)
    assert run(api) == []
    assert report_mails.list_mails(api.deps, Account(AccountKind.STAFF, staff_id)) == {}


def test_report_that_cannot_be_made_says_so_in_its_mail(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    start(api.admin, every="day", hour="0")
    api.clock.advance(DAY_MS)
    failing: list[Exception] = [Unavailable(), Unavailable(), ReportTooHeavy()]

    def fail(*_: object) -> None:
        raise failing.pop(0)

    monkeypatch.setattr(mailer_module, "letter_of", fail)
    start_of_day = -api.clock.now_ms() % DAY_MS
    api.clock.advance(start_of_day + HOUR_MS)
    assert run(api) == []
    api.clock.advance(HOUR_MS // 2)
    assert run(api) == []
    api.clock.advance(HOUR_MS // 2)
    [message] = run(api)
    body = message.get_body(("plain",))
    assert body is not None
    assert "This report could not be made." in body.get_content()
    assert list(message.iter_attachments()) == []
