"""Links with which people choose a password."""

import json
from typing import Any

from sqlalchemy import select

from tests.support.api import PASSWORD as AFFILIATE_PASSWORD
from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.command import run_command
from tests.support.pages import PASSWORD, PageReader, Visitor, console_app
from trackyard.actions.people.sign_in.by_link import AGAIN_MS, FIRST_LINK_MS, LINKS_PER_NETWORK, first_link
from trackyard.base.secrets import digest
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR
from trackyard.store.people import sign_in_links
from trackyard.store.people.sign_in_links import LINK_MS
from trackyard.store.tables import mail, sign_in_link


def test_first_link_lets_the_administrator_choose_address_and_password_once(api: Api) -> None:
    link = _first_link(api)
    visitor = Visitor(console_app(api))
    form = visitor.read(link)
    assert "You are the first administrator" in form.text
    answer = _choose(visitor, form, email="Ada@Network.example")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/")
    assert "ada@network.example" in visitor.read("/console/").text
    again = Visitor(console_app(api))
    assert "This link does not work" in again.read(link, 400).text
    assert again.sign_in("ada@network.example").status_code == 303
    assert first_link(api.deps.database, api.clock, "http://api.example") is None


def test_first_link_is_made_during_the_first_week_only(api: Api) -> None:
    api.clock.advance(FIRST_LINK_MS)
    assert _first_link(api)
    api.clock.advance(1)
    assert first_link(api.deps.database, api.clock, "") is None
    done = run_command("user", "link", FIRST_ADMINISTRATOR, "--json", api=api)
    token = json.loads(done.stdout)["link"].partition("token=")[2]
    assert "You are the first administrator" in Visitor(console_app(api)).read(f"/sign-in/link?token={token}").text


def test_first_link_is_stored_as_digest_and_ends_with_the_next(api: Api) -> None:
    link, token = _first_link(api), _first_link(api).partition("token=")[2]
    with api.deps.database.read() as conn:
        assert [row.digest for row in conn.execute(select(sign_in_link)).all()] == [digest(token)]
    visitor = Visitor(console_app(api))
    assert visitor.get(link).status_code == 400
    api.clock.advance(LINK_MS - 1)
    assert visitor.get(f"/sign-in/link?token={token}").status_code == 200
    api.clock.advance(1)
    assert visitor.get(f"/sign-in/link?token={token}").status_code == 400


def test_link_keeps_what_was_typed_and_says_what_is_wrong(api: Api) -> None:
    visitor = Visitor(console_app(api))
    form = visitor.read(_first_link(api))
    refused = _choose(visitor, form, email="<b>@", password="password1234", again="other")
    page = PageReader(refused.text)
    assert refused.status_code == 400
    assert page.fields["email"] == "<b>@" and "<b>@" not in refused.text
    assert "Enter your e-mail address" in page.text and "The two passwords differ." in page.text
    common = _choose(visitor, page, email="ada@network.example", password="password1234", again="password1234")
    assert "commonest passwords" in PageReader(common.text).text
    number, _ = api.add_staff(Role.ADMIN)
    taken_email = api.admin.get(f"/3.0/admin/user/{number}")["user"]["email"]
    taken = _choose(visitor, page, email=taken_email)
    assert "This e-mail address is taken." in taken.text
    assert _choose(visitor, PageReader(taken.text), email="ada@network.example").status_code == 303


def test_link_that_is_opened_changes_nothing(api: Api) -> None:
    number, client = api.add_staff(Role.ADMIN)
    link = str(api.admin.post(f"/3.1/admin/user/{number}/sign_in_link")["user"]["link"])
    for _ in range(2):
        assert Visitor(console_app(api)).get(link).status_code == 200
    assert client.get("/3.1/auth/sessions")["sessions"] == []


def test_link_mailed_by_an_administrator_is_in_the_mail_alone(api: Api) -> None:
    number, _ = api.add_staff(Role.SECTION_STATS)
    email = api.admin.get(f"/3.0/admin/user/{number}")["user"]["email"]
    answer = api.admin.post(f"/3.1/admin/user/{number}/sign_in_link", mail=1)
    assert answer["user"] == {"id": number, "link": None}
    visitor = Visitor(console_app(api))
    answer = _choose(visitor, visitor.read(_mailed_link(api, email)))
    assert answer.headers["location"] == "/console/"


def test_new_password_is_asked_alike_for_unknown_accounts(api: Api) -> None:
    api.add_affiliate(email="known@x.example", login="known")
    visitor = Visitor(console_app(api))
    texts = [_ask(visitor, login).replace(login, "LOGIN") for login in ("known@x.example", "nobody@x.example")]
    assert texts[0] == texts[1]
    assert [row.recipient for row in _mails(api)] == ["known@x.example"]
    _ask(visitor, "known")
    assert len(_mails(api)) == 1
    api.clock.advance(AGAIN_MS)
    _ask(visitor, "known")
    assert len(_mails(api)) == 2


def test_new_password_of_mailed_link_ends_sessions_and_the_old_password(api: Api) -> None:
    _, client = api.add_affiliate(email="known@x.example", login="known")
    api.open_session(client)
    visitor = Visitor(console_app(api))
    _ask(visitor, "known")
    link = _mailed_link(api, "known@x.example")
    answer = _choose(visitor, visitor.read(link))
    assert answer.headers["location"] == "/sign-in/keys"
    assert len(client.get("/3.1/auth/sessions")["sessions"]) == 1
    assert Visitor(console_app(api)).sign_in("known", AFFILIATE_PASSWORD).status_code == 401


def test_link_in_mail_lives_from_its_sending(api: Api) -> None:
    api.add_affiliate(email="known@x.example", login="known")
    visitor = Visitor(console_app(api))
    _ask(visitor, "known")
    link = _mailed_link(api, "known@x.example")
    api.clock.advance(LINK_MS + 1)
    [queued] = _mails(api)
    with api.deps.database.write() as conn:
        sign_in_links.begin_lifetime(conn, queued.id, api.clock.now_ms())
    api.clock.advance(LINK_MS - 1)
    assert visitor.get(link).status_code == 200


def test_link_does_not_replace_second_factor(api: Api) -> None:
    _, client = api.add_affiliate(email="known@x.example", login="known")
    _set_up_second_factor(api, client)
    visitor = Visitor(console_app(api))
    _ask(visitor, "known")
    answer = _choose(visitor, visitor.read(_mailed_link(api, "known@x.example")))
    assert answer.headers["location"] == "/sign-in?changed=password&next=%2Fsign-in%2Fkeys"
    assert "set-cookie" not in answer.headers
    assert "Your password is changed" in visitor.read("/sign-in?changed=password").text
    assert "authenticator app" in visitor.sign_in("known").text


def test_requests_for_links_are_limited_by_address(api: Api) -> None:
    visitor = Visitor(console_app(api))
    for _ in range(LINKS_PER_NETWORK):
        _ask(visitor, "nobody@x.example")
    answer = visitor.client.post("/sign-in/forgotten", data={"login": "nobody@x.example"})
    assert answer.status_code == 429 and "Try again in" in answer.text


def _first_link(api: Api) -> str:
    link = first_link(api.deps.database, api.clock, "")
    assert link is not None
    return link


def _choose(visitor: Visitor, form: PageReader, **typed: str) -> Any:
    sent = {"token": form.fields["token"], "password": PASSWORD, "again": PASSWORD, **typed}
    return visitor.client.post("/sign-in/link", data=sent)


def _ask(visitor: Visitor, login: str) -> str:
    answer = visitor.client.post("/sign-in/forgotten", data={"login": login})
    assert answer.status_code == 200
    return str(answer.text)


def _mails(api: Api) -> list[Any]:
    with api.deps.database.read() as conn:
        return list(conn.execute(select(mail).where(mail.c.body.contains("/sign-in/link"))).all())


def _mailed_link(api: Api, email: str) -> str:
    [body] = [row.body for row in _mails(api) if row.recipient == email]
    return "/sign-in/link" + body.partition("/sign-in/link")[2].split()[0]


def _set_up_second_factor(api: Api, client: ApiClient) -> None:
    secret = client.post("/3.1/auth/second_factor", password=AFFILIATE_PASSWORD)["secret"]
    client.post("/3.1/auth/second_factor/confirm", otp=code_at(secret, api.clock.now_ms() // 1000 // STEP_S))
