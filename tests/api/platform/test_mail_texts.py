"""Staff write the texts of mails (docs/spec/mails.md#own-texts)."""

from typing import Any

import pytest
from sqlalchemy import event, select

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.platform.notices import NOTICES, Recipient, send_notice
from trackyard.base.texts.languages import NAMES
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.preferences import Preferences
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.mails.values import MailedOffer, MailList
from trackyard.store.people.preferences import edit_preferences
from trackyard.store.tables import mail

KINDS = "/3.1/admin/mail-texts"
SHOES = MailList([MailedOffer(7, "Shoes")])
CONNECTED = f"{KINDS}/offers.connected"
TEXT = {"subject": "Fresh: {offers}", "body": "Hi {name},\n\n{offers}\n\nYours, {network}", "button": "Take it"}


def queued(api: Api) -> list[Any]:
    with api.deps.database.read() as conn:
        return list(conn.execute(select(mail).order_by(mail.c.id)))


def send(api: Api, *recipients: Recipient) -> list[Any]:
    """Queue a mail about connected offers, and return what is queued."""
    with api.deps.database.write() as conn:
        now = api.clock.now_ms()
        send_notice(conn, NOTICES[NoticeKind.OFFERS_CONNECTED], recipients, now, offers=SHOES)
    return queued(api)


def refused(client: ApiClient, path: str = CONNECTED, **params: str) -> dict[str, list[str]]:
    response = client.call("POST", path, data={"language": "en", **TEXT, **params})
    assert response.status_code == 400
    return dict(response.json()["fields"])


def test_every_kind_of_mail_is_listed_and_shown_in_every_language(api: Api) -> None:
    found = api.admin.get(KINDS)["mails"]
    assert {each["kind"] for each in found} == {kind.value for kind in NoticeKind}
    shown = 0
    for each in found:
        one = api.admin.get(f"{KINDS}/{each['kind']}")["mail"]
        assert {name: one[name] for name in each} == each and each["own"] == []
        assert [text["language"] for text in one["texts"]] == list(NAMES)
        for text in one["texts"]:
            assert not text["is_own"] and text["subject"] == text["default_subject"] and "{name}" in text["body"]
            shown += 1
    assert shown == len(NoticeKind) * 3 >= 150
    assert api.admin.call("GET", f"{KINDS}/no.such").status_code == 404


def test_preview_of_every_kind_in_every_language_has_no_placeholder_left(api: Api) -> None:
    seen = 0
    for kind in NoticeKind:
        subjects = set()
        for code in NAMES:
            made = api.admin.post(f"{KINDS}/{kind}/preview", language=code)["preview"]
            text = made["text"].replace("{clickid}", "")
            assert not {"{", "}"} & set(made["subject"] + text), (kind, code)
            assert f'<html lang="{code}">' in made["html"] and "Anna Example" in made["text"]
            subjects.add(made["subject"])
            seen += 1
        assert len(subjects) == 3 or kind is NoticeKind.CHANGE_DECIDED, kind
    assert seen == len(NoticeKind) * 3 >= 150 and not queued(api)


def test_own_text_is_in_mails_of_its_language_and_others_have_the_default(api: Api) -> None:
    answer = api.admin.post(CONNECTED, language="es", **TEXT)["mail"]
    assert answer["own"] == ["es"]
    [spanish] = [each for each in answer["texts"] if each["language"] == "es"]
    assert spanish["is_own"] and spanish["subject"] == TEXT["subject"] and "conectado" in spanish["default_body"]
    people = [Recipient(f"{code}@p.example", "Ann", language=code) for code in NAMES]
    by = {each.recipient[:2]: each for each in send(api, *people)}
    assert by["es"].subject == "Fresh: #7 Shoes"
    assert by["es"].body == "Hi Ann,\n\n- #7 Shoes\n\nYours, Trackyard\n\nTake it:\nhttp://api.example/sign-in\n"
    assert ">Take it</a>" in by["es"].html
    assert by["en"].subject == "You are connected to #7 Shoes" and "Get your links" in by["en"].html
    assert "Fresh" not in by["ru"].subject + by["ru"].html
    removed = api.admin.call("DELETE", CONNECTED, params={"language": "es"}).json()["mail"]
    assert removed["own"] == [] and not any(each["is_own"] for each in removed["texts"])
    assert [each.subject for each in send(api, people[2])].count("Fresh: #7 Shoes") == 1


def test_own_text_without_a_button_has_the_default_label(api: Api) -> None:
    api.admin.post(CONNECTED, language="en", **TEXT | {"button": ""})
    assert ">Get your links</a>" in send(api, Recipient("a@p.example", "Ann"))[0].html


def test_text_that_equals_the_default_one_is_not_kept(api: Api) -> None:
    api.admin.post(CONNECTED, language="en", **TEXT)
    default = api.admin.get(CONNECTED)["mail"]["texts"][0]
    same = {name: default[f"default_{name}"].replace("\n", "\r\n") for name in ("subject", "body", "button")}
    assert api.admin.post(CONNECTED, language="en", **same)["mail"]["own"] == []


def test_fault_of_a_text_names_its_field_and_value_and_nothing_is_kept(api: Api) -> None:
    assert refused(api.admin, body="{offer}") == {"body": ["This mail has no value {offer}. Did you mean {offers}?"]}
    assert list(refused(api.admin, subject="{password}")) == ["subject"]
    assert list(refused(api.admin, subject="Hi\r\nBcc: x@thief.example")) == ["subject"]
    assert list(refused(api.admin, subject="x" * 201)) == ["subject"]
    assert list(refused(api.admin, subject=" ")) == ["subject"]
    assert list(refused(api.admin, body="x" * 10_001)) == ["body"]
    assert list(refused(api.admin, button="x" * 61)) == ["button"]
    assert list(refused(api.admin, language="de")) == ["language"]
    for act in ("preview", "test"):
        assert list(refused(api.admin, f"{CONNECTED}/{act}", body="{gone}")) == ["body"]
    assert api.admin.get(CONNECTED)["mail"]["own"] == [] and not queued(api)


@pytest.mark.parametrize(
    "kind", ["sign_in.link", "password.link", "company.invited", "account.invited", "email.to_confirm"]
)
def test_link_that_lets_a_person_in_cannot_be_dropped_or_sent_elsewhere(api: Api, kind: str) -> None:
    path = f"{KINDS}/{kind}"
    assert list(refused(api.admin, path, subject="Hi", body="Hello {name}")) == ["body"]
    assert list(refused(api.admin, path, subject="Hi", body="https://thief.example/?{link}")) == ["body"]
    assert list(refused(api.admin, path, subject="{link}", body="Go:\n\n{link}")) == ["subject"]
    api.admin.post(path, language="en", subject="Hi", body="Go:\n\n{link}", button="")


def test_password_cannot_be_dropped(api: Api) -> None:
    assert list(refused(api.admin, f"{KINDS}/password.given", subject="Hi", body="Hello {name}")) == ["body"]


def test_names_of_people_and_offers_are_never_templates(api: Api) -> None:
    api.admin.post(CONNECTED, language="en", **TEXT)
    hostile = "{password} {link} {0}\r\nBcc: x@thief.example"
    [made] = send(api, Recipient("a@p.example", hostile))
    assert "{password} {link} {0}" in made.body and "\n" not in made.subject


def test_test_mail_goes_to_the_caller_with_the_text_that_is_tried(api: Api) -> None:
    staff_id, client = api.add_staff(Role.ADMIN)
    email = api.admin.get(f"/3.0/admin/user/{staff_id}")["user"]["email"]
    done = client.post(f"{CONNECTED}/test", language="ru", subject="Try {offers}")
    assert done["email"] == email and done["server"] == ""
    [made] = queued(api)
    assert made.recipient == email and made.subject.startswith("Try #7 Winter boots")
    assert "Get your links" not in made.html and '<html lang="ru">' in made.html
    assert api.admin.get(CONNECTED)["mail"]["own"] == []


def test_texts_of_mails_are_for_staff_who_may_change_settings(api: Api) -> None:
    _, other = api.add_staff(Role.SECTION_NEWS)
    _, affiliate = api.add_affiliate()
    for client in (other, affiliate):
        for path in (KINDS, CONNECTED):
            assert client.call("GET", path).status_code in (401, 403)
        for path in (CONNECTED, f"{CONNECTED}/preview", f"{CONNECTED}/test"):
            assert client.call("POST", path, data={"language": "en", **TEXT}).status_code in (401, 403)
    assert api.admin.get(CONNECTED)["mail"]["own"] == []


def test_change_of_a_text_is_in_the_audit_log(api: Api) -> None:
    api.admin.post(CONNECTED, language="en", **TEXT)
    [record] = api.admin.get("/3.1/admin/audit", what="mail_text")["audit"]
    assert record["method"] == "admin.mail-text.edit"
    assert record["changes"]["subject"] == {"from": None, "to": TEXT["subject"]}


def test_mails_read_texts_and_languages_once_for_all_recipients(api: Api) -> None:
    api.admin.post(CONNECTED, language="ru", **TEXT)
    accounts = [Account(AccountKind.AFFILIATE, str(number)) for number in range(1, 41)]
    with api.deps.database.write() as conn:
        for each in accounts[:20]:
            edit_preferences(conn, each, Preferences(language="ru"))
    read: list[str] = []
    counts = []
    with api.deps.database.write() as conn:
        event.listen(conn, "before_cursor_execute", lambda *given: read.append(given[2]))
        for people in (accounts[:1], accounts):
            read.clear()
            told = [Recipient(f"{each.id}@p.example", "Ann", each) for each in people]
            notice = NOTICES[NoticeKind.OFFERS_CONNECTED]
            send_notice(conn, notice, told, api.clock.now_ms(), offers=SHOES)
            counts.append(sum(statement.lstrip().upper().startswith("SELECT") for statement in read))
    assert counts[0] == counts[1] == 4
    subjects = [each.subject for each in queued(api)]
    assert len(subjects) == 41 and subjects.count("Fresh: #7 Shoes") == 21
