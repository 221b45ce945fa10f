"""Staff invite affiliates, advertisers and staff users by mail (docs/spec/people.md#invitations)."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import Api
from tests.support.pages import Visitor, console_app
from tests.support.processes.mails import mails
from trackyard.domain.people.roles import Role
from trackyard.store.people import preferences, sign_ins
from trackyard.store.people.sign_in_links import LINK_MS
from trackyard.store.tables import advertiser, affiliate, staff

EMAIL = "ina@invited.example"
WORDS = "Welcome, Ina.\n\nWe spoke in {place}."
NAMED = {"first_name": "Ina", "last_name": "Reef"}
CHOSEN = "twelve letters long"
INVITED: dict[str, tuple[str, dict[str, str], Any, str]] = {
    "affiliate": ("partner", {"name": "Ina Media"}, affiliate, "/portal/"),
    "advertiser": ("advertiser", {"title": "Ina Shop", "contact": "Ina"}, advertiser, "/advertiser/"),
    "staff": (
        "user",
        {"first_name": "Ina", "last_name": "Reef", "roles[]": "ROLE_SECTION_DASHBOARD"},
        staff,
        "/console/",
    ),
}
"""What is invited: its part of the path, what it needs, its table and its first page."""
every_kind = pytest.mark.parametrize("kind", INVITED)


def invite(api: Api, kind: str, **more: str) -> Any:
    part, needed, _, _ = INVITED[kind]
    return api.admin.post(f"/3.1/admin/{part}/invite", **{"email": EMAIL} | needed | more)


def accounts(api: Api, kind: str) -> list[Any]:
    table = INVITED[kind][2]
    with api.deps.database.read() as conn:
        return list(conn.execute(select(table).where(table.c.email == EMAIL)).all())


def links(api: Api) -> list[str]:
    """The links that were mailed to the invited, the oldest first."""
    found = [each.body for each in mails(api) if each.recipient == EMAIL and "token=" in each.body]
    return [f"/sign-in/link?token={body.partition('token=')[2].split()[0]}" for body in found]


def choose(visitor: Visitor, link: str, password: str = CHOSEN) -> Any:
    sent = {"token": link.partition("token=")[2], "password": password, "again": password}
    return visitor.client.post("/sign-in/link", data=sent)


@every_kind
def test_invited_chooses_a_password_with_the_link_and_is_signed_in(api: Api, kind: str) -> None:
    answer = invite(api, kind, message=WORDS)
    [row] = accounts(api, kind)
    assert not row.password_hash and "'password':" not in str(answer)
    [mail] = [each for each in mails(api) if each.recipient == EMAIL]
    assert WORDS in mail.body and mail.subject.startswith("You are invited to ")
    visitor, [link] = Visitor(console_app(api)), links(api)
    assert choose(visitor, link, "elevenchars").status_code == 400
    assert visitor.get(link).status_code == 200  # a refusal, and opening it, leave the link
    assert choose(visitor, link).headers["location"] == INVITED[kind][3]
    assert [each.subject for each in mails(api) if each.recipient == EMAIL] == [mail.subject]  # nothing was changed
    assert visitor.get(INVITED[kind][3]).status_code == 200
    assert choose(Visitor(console_app(api)), link).status_code == 400
    assert Visitor(console_app(api)).sign_in(EMAIL, CHOSEN).status_code == 303


@every_kind
def test_invited_account_has_no_sign_in_before_a_password_is_chosen(api: Api, kind: str) -> None:
    invite(api, kind)
    for password in ("", " ", "None", EMAIL):
        assert Visitor(console_app(api)).sign_in(EMAIL, password).status_code in (400, 401)
    api.clock.advance(LINK_MS * 3)
    [link] = links(api)
    with api.deps.database.write() as conn:  # the mail left, and its link ended
        [found] = sign_ins.list_linked(conn, EMAIL)
        assert found.password_hash is None and found.may_sign_in
    assert link


@every_kind
def test_invitation_is_in_the_language_that_staff_choose(api: Api, kind: str) -> None:
    invite(api, kind, lang="ru", message=WORDS)
    [mail] = [each for each in mails(api) if each.recipient == EMAIL]
    assert mail.subject.startswith("Вас приглашают в ") and WORDS in mail.body
    with api.deps.database.read() as conn:
        [found] = sign_ins.list_linked(conn, EMAIL)
        assert preferences.find_preferences(conn, found.account).language == "ru"


@every_kind
def test_taken_address_is_refused_without_a_second_account_or_mail(api: Api, kind: str) -> None:
    invite(api, kind)
    before = len(mails(api))
    part, needed, _, _ = INVITED[kind]
    again = api.admin.call("POST", f"/3.1/admin/{part}/invite", data={"email": EMAIL.upper()} | needed)
    assert (again.status_code, list(again.json()["fields"])) == (409, ["email"])
    assert (len(accounts(api, kind)), len(mails(api))) == (1, before)


@every_kind
def test_forgotten_password_finds_an_account_that_has_none_yet(api: Api, kind: str) -> None:
    invite(api, kind)
    visitor = Visitor(console_app(api))
    visitor.client.post("/sign-in/forgotten", data={"login": EMAIL})
    [first, second] = links(api)
    assert choose(visitor, second).headers["location"] == INVITED[kind][3]
    assert choose(Visitor(console_app(api)), first).status_code == 400


def test_advertiser_made_without_an_invitation_gets_a_link_when_it_asks(api: Api) -> None:
    api.add_advertiser(email=EMAIL)
    visitor = Visitor(console_app(api))
    visitor.client.post("/sign-in/forgotten", data={"login": EMAIL})
    [link] = links(api)
    assert choose(visitor, link).headers["location"] == "/advertiser/"


def test_manager_invites_what_it_then_manages(api: Api) -> None:
    number, desk = api.add_staff(Role.MANAGER_AFFILIATE, Role.MANAGER_SALES)
    made = desk.post("/3.1/admin/partner/invite", email=EMAIL)["partner"]
    assert made["manager"]["id"] == number
    shop = desk.post("/3.1/admin/advertiser/invite", email="shop@invited.example", title="Shop")["advertiser"]
    assert shop["manager"] == number
    refused = desk.call("POST", "/3.1/admin/user/invite", data={"email": "x@invited.example"} | NAMED)
    assert refused.status_code == 403


def test_advertiser_that_may_not_sign_in_is_not_invited(api: Api) -> None:
    sent = {"email": EMAIL, "title": "Shop", "status": "not active"}
    refused = api.admin.call("POST", "/3.1/admin/advertiser/invite", data=sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["status"])
    assert accounts(api, "advertiser") == []


def test_link_of_a_blocked_staff_user_is_refused(api: Api) -> None:
    number, _ = api.add_staff(Role.SECTION_NEWS)
    api.admin.post(f"/3.1/admin/user/{number}/block")
    for mailed in ("0", "1"):
        refused = api.admin.call("POST", f"/3.1/admin/user/{number}/sign_in_link", data={"mail": mailed})
        assert refused.status_code == 409
