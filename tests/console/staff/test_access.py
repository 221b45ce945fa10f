"""The card "Access" on the page of every person (docs/spec/console.md#access)."""

import re
from typing import Any

import pytest

from tests.contract.requests.companies import add_place
from tests.support.api import Api
from tests.support.pages import PASSWORD, PageReader, Visitor, console_app, staff_visitor
from tests.support.processes.mails import mails
from trackyard.actions.people.sign_in.passwords import store_password
from trackyard.base.secrets import hash_password
from trackyard.console.frame.methods import methods_of
from trackyard.console.parts import PARTS
from trackyard.console.staff.access import ACCESS_KINDS
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.store.people import persons

EMAIL = "ina@access.example"
CHOSEN = "twelve letters long"
HOMES = {"affiliate": "/portal/", "advertiser": "/advertiser/", "staff": "/console/", "member": "/portal/"}
every_kind = pytest.mark.parametrize("kind", ACCESS_KINDS)
GIVES_PASSWORDS = frozenset(
    (
        "admin.partner.add", "admin.partner.password", "admin.user.add", "admin.user.password",
        "admin.advertiser.sendpass",
    )
)  # fmt: skip
"""The methods by which staff choose a password for an account, or mail one."""


def made(api: Api, kind: str) -> tuple[str, Account, str]:
    """Return the page of an account with a password, who signs in, and the e-mail address."""
    match kind:
        case "affiliate":
            number = str(api.add_affiliate(email=EMAIL)[0])
            path, signer = f"/console/affiliates/{number}", Account(AccountKind.AFFILIATE, number)
        case "advertiser":
            number = api.add_advertiser(email=EMAIL)
            path, signer = f"/console/advertisers/{number}", Account(AccountKind.ADVERTISER, number)
        case "staff":
            number, _ = api.add_staff(Role.SECTION_DASHBOARD)
            path, signer = f"/console/staff/{number}", Account(AccountKind.STAFF, number)
        case _:
            pid = str(api.add_affiliate()[0])
            number = add_place(api, Account(AccountKind.AFFILIATE, pid))
            path = f"/console/affiliates/{pid}/people/{number}"
            with api.deps.database.read() as conn:
                place = persons.find_member(conn, number)
            assert place is not None
            signer = place.signer
    with api.deps.database.write() as conn:
        store_password(conn, signer, hash_password(PASSWORD), api.clock.now_ms())
    page = staff_visitor(api).read(path).text
    email = re.search(r"E-mail address (\S+@\S+)", page[page.index("Access") :])
    assert email is not None
    return path, signer, email[1]


def use(api: Api, link: str) -> Any:
    visitor = Visitor(console_app(api))
    sent = {"token": link.partition("token=")[2].split()[0], "password": CHOSEN, "again": CHOSEN}
    return visitor.client.post("/sign-in/link", data=sent)


@every_kind
def test_sign_in_link_is_shown_once_to_copy_and_opens_the_account(api: Api, kind: str) -> None:
    path, _, _ = made(api, kind)
    visitor = staff_visitor(api)
    assert "has a password" in visitor.read(path).text and "Copy the link" not in visitor.read(path).text
    shown = visitor.post(f"{path}/link")
    link = next(each for tag, each in PageReader(shown.text).elements if "token=" in (each.get("data-copy") or ""))
    assert "Copy the link" in shown.text and "/sign-in/link?token=" not in visitor.read(path).text
    assert "Link works until" in visitor.read(path).text
    answer = use(api, str(link["data-copy"]))
    assert answer.headers["location"] in (HOMES[kind], "/sign-in/keys")


@every_kind
def test_sign_in_link_is_mailed_and_no_password_is(api: Api, kind: str) -> None:
    path, _, email = made(api, kind)
    visitor = staff_visitor(api)
    answer = visitor.post(f"{path}/mail-link")
    assert answer.headers["location"] == f"{path}#access"
    assert f"A sign-in link is on its way to {email}." in visitor.read(path).text
    [body] = [each.body for each in mails(api) if each.recipient == email and "token=" in each.body]
    assert not [each for each in mails(api) if PASSWORD in each.body or CHOSEN in each.body]
    assert use(api, body).status_code == 303


@every_kind
def test_sessions_are_counted_and_ended(api: Api, kind: str) -> None:
    path, _, email = made(api, kind)
    person = Visitor(console_app(api))
    assert person.sign_in(email).status_code == 303
    visitor = staff_visitor(api)
    assert "Sessions 1 open" in visitor.read(path).text
    visitor.post(f"{path}/end-sessions")
    page = visitor.read(path).text
    assert "1 session is ended." in page and "Sessions 0 open" in page and "End all sessions" not in page
    assert person.get(HOMES[kind]).status_code == 303  # to the sign-in


@every_kind
def test_second_factor_is_shown_and_removed(api: Api, kind: str) -> None:
    path, _, email = made(api, kind)
    person = Visitor(console_app(api))
    person.sign_in(email)
    root = f"{HOMES[kind]}profile/second-factor"
    form = PageReader(person.post(root, password=PASSWORD).text).fields
    code = code_at(form["secret"], api.clock.now_ms() // 1000 // STEP_S)
    assert person.post(f"{root}/confirm", secret=form["secret"], url=form["url"], otp=code).status_code == 200
    visitor = staff_visitor(api)
    assert "Second factor on" in visitor.read(path).text
    visitor.post(f"{path}/second-factor")
    page = visitor.read(path).text
    assert "Second factor off" in page and "Remove the second factor" not in page


@pytest.mark.parametrize("kind", ["affiliate", "staff"])
def test_keys_are_listed_without_the_keys_and_ended_by_administrators(api: Api, kind: str) -> None:
    path, signer, _ = made(api, kind)
    owner = {"user_id": signer.id} if kind == "staff" else {"affiliate_id": signer.id}
    key = api.admin.post("/3.1/admin/keys", name="Nightly import", **{"scopes[]": ["read"]}, **owner)["key"]
    visitor = staff_visitor(api)
    page = visitor.read(path).text
    assert "First key" in page and "Nightly import" in page and key["api_key"] not in page
    visitor.post(f"{path}/end-key", key=key["id"])
    assert "Nightly import" not in visitor.read(path).text
    other = api.admin.post("/3.1/admin/keys", name="Other", affiliate_id=api.add_affiliate()[0], **{"scopes[]": "read"})
    assert visitor.post(f"{path}/end-key", key=other["key"]["id"]).status_code == 404


def test_account_that_is_invited_shows_it_and_is_invited_again(api: Api) -> None:
    visitor, paths = staff_visitor(api), []
    for page, sent in {
        "/console/affiliates/new": {"email": "a@access.example"},
        "/console/advertisers/invite": {"email": "b@access.example", "title": "Shop"},
        "/console/staff/new": {"email": "c@access.example", "first_name": "C", "last_name": "D"},
    }.items():
        paths.append(visitor.post(page, form_do="save", **sent).headers["location"])
    pid = api.add_affiliate()[0]
    people = f"/console/affiliates/{pid}/people"
    visitor.post(f"{people}/new", form_do="save", email="d@access.example", role="manager")
    paths += {each for each in visitor.read(people).links if re.fullmatch(rf"{people}/[0-9a-f]{{24}}", each)}
    assert len(paths) == len(ACCESS_KINDS)
    for path, email in zip(paths, ("a", "b", "c", "d"), strict=True):
        assert "invited" in visitor.read(path).text
        assert visitor.post(f"{path}/mail-link").status_code == 303
        assert "Mail the invitation again" in visitor.read(path).text
        [mail] = [each for each in mails(api) if each.recipient == f"{email}@access.example"]  # the one before ended
        assert mail.subject.startswith("You are invited to ")
        assert use(api, mail.body).status_code == 303
        assert "has a password" in visitor.read(path).text


def test_link_of_a_person_of_a_company_out_of_scope_is_refused(api: Api) -> None:
    number, desk = api.add_staff(Role.MANAGER_AFFILIATE)
    pid = api.add_affiliate(manager_id=number)[0]
    foreign = api.add_affiliate()[0]
    for company in (pid, foreign):
        sent = {"company": f"affiliate:{company}", "email": EMAIL, "role": "manager"}
        place = api.admin.post("/3.1/people", **sent)["person"]["id"]
        if company == pid:
            own = place
    for mailed in ("0", "1"):
        assert desk.call("POST", f"/3.1/people/{own}/sign_in_link", data={"mail": mailed}).status_code == 409
    assert desk.call("POST", f"/3.1/people/{place}/sign_in_link").status_code == 404
    assert api.admin.post(f"/3.1/people/{own}/sign_in_link")["user"]["link"]


def test_staff_with_levels_mail_links_and_see_none(api: Api) -> None:
    number, desk = api.add_staff(Role.SECTION_PARTNER)
    api.admin.post(f"/3.1/user/{number}/permissions", **{"permissions[stats][slice-city][level]": "deny"})
    pid = api.add_affiliate(email=EMAIL)[0]
    api.admin.post(f"/3.1/user/{number}/permissions", **{"permissions[general][billing][level]": "deny"})
    assert desk.refusal("POST", f"/3.1/admin/partner/{pid}/sign_in_link") == (403, "levels")
    assert desk.post(f"/3.1/admin/partner/{pid}/sign_in_link", mail="1")["user"]["link"] is None


def test_no_page_chooses_or_mails_a_password_of_another_account() -> None:
    routes = [route for part in PARTS for route in part.routes]
    needed = {(route.path, need.id) for route in routes for each in route.needs for need in methods_of(each)}
    assert len(needed) > 300
    assert not [each for each in needed if each[1] in GIVES_PASSWORDS]
