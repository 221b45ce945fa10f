"""Settings on pages."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from tests.console.test_list_files import read_file
from tests.support.api import Api
from tests.support.pages import PageReader, staff_visitor
from tests.support.processes.mailserver import MailServer, mail_server
from trackyard.console.system.settings_lists import LISTS
from trackyard.domain.people.roles import Role
from trackyard.store.money import reference_rates
from trackyard.store.platform.settings import MAIL_FROM, SMTP_URL, edit_setting
from trackyard.store.tables import mail

__all__ = ["mail_server"]

HOSTILE = '"><script>alert(1)</script>'


def test_settings_of_the_platform_are_changed_and_refusals_keep_what_was_typed(api: Api) -> None:
    visitor = staff_visitor(api)
    form = visitor.read("/console/settings")
    assert "/console/settings/currencies" in form.links
    sent = {"form_do": "save", "form_shown": form.fields["form_shown"]}
    refused = visitor.post("/console/settings", **sent, trafficback_url="no address", smtp_url="mail.example")
    page = PageReader(refused.text)
    assert refused.status_code == 400
    assert (page.fields["trafficback_url"], page.fields["smtp_url"]) == ("no address", "mail.example")
    answer = visitor.post("/console/settings", **sent, trafficback_url="https://back.example/", refuse_bots="1")
    assert answer.headers["location"] == "/console/settings"
    settings = api.admin.get("/3.1/admin/settings")["settings"]
    assert (settings["trafficback_url"], settings["refuse_bots"]) == ("https://back.example/", True)


def test_rates_of_the_bank_are_read_by_a_button_once_a_minute(api: Api) -> None:
    visitor = staff_visitor(api)
    form = visitor.read("/console/settings")
    button = ("button", {"formaction": "/console/settings/refresh-rates"})
    assert button in form.elements and "never" in form.text
    sent = {**form.fields, "form_shown": ""}
    assert visitor.post("/console/settings/refresh-rates", **sent).headers["location"] == "/console/settings"
    page = visitor.read("/console/settings")
    assert "The rates are being read." in page.text and "They are being read now." in page.text
    with api.deps.database.write() as conn:
        reference_rates.take_request(conn)
        reference_rates.end_refresh(conn, "answered 500", api.deps.clock.now_ms())
    visitor.post("/console/settings/refresh-rates", **sent)
    after = visitor.read("/console/settings").text
    assert "less than a minute ago" in after and "answered 500" in after


def test_test_mail_is_queued_for_the_person(api: Api) -> None:
    visitor = staff_visitor(api)
    form = visitor.read("/console/settings")
    assert ("button", {"formaction": "/console/settings/test-mail"}) in form.elements
    answer = visitor.post("/console/settings/test-mail", **{**form.fields, "form_shown": ""})
    assert answer.headers["location"] == "/console/settings"
    with api.deps.database.read() as conn:
        of_person = (mail.c.recipient == visitor.login, mail.c.subject != "Your password was changed")
        [queued] = conn.execute(select(mail).where(*of_person)).all()
    assert "They work." in queued.body


def test_test_mail_shows_what_the_mail_server_says(api: Api, mail_server: MailServer) -> None:
    visitor = staff_visitor(api)
    with api.deps.database.write() as conn:
        edit_setting(conn, SMTP_URL, api.deps.cipher.encrypt(mail_server.url))
        edit_setting(conn, MAIL_FROM, "net@work.example")

    def tried() -> str:
        form = visitor.read("/console/settings")
        visitor.post("/console/settings/test-mail", **{**form.fields, "form_shown": ""})
        return visitor.read("/console/settings").text

    assert f"took the mail to {visitor.login}" in tried()
    [received] = mail_server.received
    assert received.recipients == [visitor.login] and "net@work.example" in received.message["From"]
    mail_server.answer_differently(lambda _: "550 5.1.1 no such mailbox")
    assert "says: 550 5.1.1 no such mailbox" in tried()
    answer = api.admin.post("/3.1/admin/settings/test_mail")
    assert (answer["is_sent"], answer["answer"]) == (False, "550 5.1.1 no such mailbox")
    assert answer["server"] == mail_server.url.removeprefix("smtp://")
    with api.deps.database.read() as conn:
        others = select(mail).where(mail.c.subject != "Your password was changed")
        assert conn.execute(others).all() == [], "a test is not sent again"


@pytest.mark.parametrize(
    ("slug", "typed", "changed"),
    [
        ("currencies", {"code": "PLN", "rate": "4.2", "active": "1"}, {"rate": "4.5", "active": "1"}),
        ("custom-fields", {"name": HOSTILE, "field_type": "text"}, {"name": "Site", "field_type": "text"}),
        ("payment-systems", {"lang_label": HOSTILE}, {"lang_label": "Wire"}),
        ("news", {"title": HOSTILE, "audience": "all"}, {"title": "Summer", "audience": "advertisers"}),
        ("categories", {"title": HOSTILE}, {"title": "Games"}),
    ],
)
def test_record_of_a_list_is_created_changed_and_removed(
    api: Api, slug: str, typed: dict[str, str], changed: dict[str, str]
) -> None:
    visitor, path = staff_visitor(api), f"/console/settings/{slug}"
    [each] = [each for each in LISTS if each.path == path]
    empty = visitor.post(f"{path}/new", form_do="save")
    assert empty.status_code == 400
    made = visitor.post(f"{path}/new", form_do="save", **typed)
    assert made.headers["location"] == path
    assert HOSTILE not in visitor.get(path).text
    shown = visitor.read(path)
    links = [
        link for link in shown.links if link.startswith(f"{path}/") and not link.endswith(("/new", "/remove", "/send"))
    ]
    first = links[0] if slug != "currencies" else f"{path}/985"
    assert first in links
    assert first.rpartition("/")[2] in [row["id"] for row in read_file(visitor, f"{path}?format=csv&fields=all")]
    form = visitor.read(first).fields
    sent = {**form, "form_do": "save", **changed}
    assert visitor.post(first, **sent).headers["location"] == path
    assert next(iter(changed.values())) in visitor.read(path).text
    if each.remove:
        assert "Keep it" in visitor.read(f"{first}/remove").text
        assert visitor.post(f"{first}/remove").headers["location"] == path
        assert visitor.get(first).status_code == 404


def test_settings_are_for_people_who_may_change_them(api: Api) -> None:
    visitor = staff_visitor(api, Role.SECTION_PAYMENT, Role.SECTION_DASHBOARD)
    assert visitor.get("/console/settings").status_code == 403
    assert visitor.get("/console/settings/currencies").status_code == 200
    assert visitor.get("/console/settings/custom-fields").status_code == 403
    assert "/console/settings" not in visitor.read("/console/").links


def test_settings_show_retention_and_where_it_is_set(api: Api) -> None:
    kept = replace(api.deps.retention_policy, clicks=180, personal=1)
    own = replace(api, deps=replace(api.deps, retention_policy=kept))
    text = staff_visitor(own).read("/console/settings").text
    assert "Clicks and impressions TRACKYARD_CLICK_DAYS 180 days" in text
    assert "Personal data TRACKYARD_PERSONAL_DATA_DAYS 1 day" in text


def test_news_are_mailed_after_a_page_with_their_number(api: Api) -> None:
    visitor = staff_visitor(api)
    for name in ("one", "two"):
        api.add_affiliate(email=f"{name}@a.example")
    number = api.admin.post("/3.1/admin/news", title=HOSTILE, desc="Long")["news"]["_id"]["$id"]
    listed = visitor.read("/console/settings/news")
    page = f"/console/settings/news/{number}/send"
    assert page in listed.links
    assert HOSTILE not in visitor.get(page).text
    assert "2 people get it by mail." in visitor.read(page).text
    assert visitor.post(page).headers["location"] == "/console/settings/news"
    assert "0 people get it by mail. 2 people got it before." in visitor.read(page).text
    api.admin.post(f"/3.1/admin/news/{number}", status=0)
    assert "Publish them first" in visitor.read(page).text
    assert "Small desc" not in visitor.read(f"/console/settings/news/{number}").text
