"""Many people are invited by pasted lines or a file (docs/spec/people.md#many-invitations)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor, staff_visitor
from tests.support.processes.mails import mails
from trackyard.console.staff.inviting_many import MANY, MOST_INVITED
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Role

WORDS = "See you in the network."
LINES = {
    AccountKind.AFFILIATE: ("email,name,language", "{0},Media {0},ru"),
    AccountKind.ADVERTISER: ("email,company,contact", "{0},Shop {0},Ann"),
    AccountKind.STAFF: ("email;first name;last name;role", "{0};Ann;Lee;Affiliate manager, ROLE_SECTION_NEWS"),
}
FOUND = {
    AccountKind.AFFILIATE: ("/3.1/admin/partners", "search", "partners"),
    AccountKind.ADVERTISER: ("/3.1/admin/advertisers", "search", "advertisers"),
    AccountKind.STAFF: ("/3.1/admin/users", "q", "users"),
}
every_kind = pytest.mark.parametrize("kind", MANY)


def invited(api: Api) -> list[str]:
    return sorted(each.recipient for each in mails(api) if "token=" in each.body)


def found(api: Api, kind: AccountKind, email: str) -> list[Any]:
    path, parameter, name = FOUND[kind]
    return [each for each in api.admin.get(path, **{parameter: email})[name] if each["email"] == email]


def send(visitor: Visitor, kind: AccountKind, *emails: str, **fields: str) -> Any:
    head, line = LINES[kind]
    text = "\n".join([head, *(line.format(each) for each in emails)])
    return visitor.post(f"{MANY[kind].path}/invite-many", text=text, message=WORDS, **fields)


@every_kind
def test_dry_run_shows_each_line_and_changes_nothing(api: Api, kind: AccountKind) -> None:
    visitor = staff_visitor(api)
    send(visitor, kind, "here@many.example", do="import")
    before = invited(api)
    page = send(visitor, kind, "new@many.example", "HERE@many.example", "no address", "New@many.example")
    assert page.status_code == 200 and page.text.count("Is invited") == page.text.count("Already here") == 1
    for sentence in ("This is not an e-mail address.", "Line 2 has the same e-mail address.", "Send 1 invitation"):
        assert sentence in page.text
    assert (invited(api), found(api, kind, "new@many.example")) == (before, [])


@every_kind
def test_lines_invite_each_once_and_faults_name_their_line(api: Api, kind: AccountKind) -> None:
    visitor = staff_visitor(api)
    emails = ("one@many.example", "no address", "two@many.example", "one@many.example")
    done = send(visitor, kind, *emails, do="import")
    assert "2 invitations are on their way." in done.text
    assert "This is not an e-mail address." in done.text and "Line 2 has the same e-mail address." in done.text
    assert invited(api) == ["one@many.example", "two@many.example"]
    assert all(WORDS in each.body for each in mails(api) if "token=" in each.body)
    again = send(visitor, kind, *emails, do="import")  # a second send makes no second account
    assert "0 invitations are on their way." in again.text and again.text.count("Already here") == 2
    assert invited(api) == ["one@many.example", "two@many.example"]
    assert [len(found(api, kind, each)) for each in ("one@many.example", "two@many.example")] == [1, 1]


def test_columns_of_a_line_reach_the_account(api: Api) -> None:
    visitor = staff_visitor(api)
    for kind in MANY:
        assert send(visitor, kind, f"{kind}@many.example", do="import").headers["location"] == MANY[kind].path
    [mail] = [each for each in mails(api) if each.recipient == "affiliate@many.example"]
    assert mail.subject.startswith("Вас приглашают в ")
    [user] = found(api, AccountKind.STAFF, "staff@many.example")
    assert sorted(user["roles"]) == ["ROLE_MANAGER_AFFILIATE", "ROLE_SECTION_NEWS"]
    [shop] = found(api, AccountKind.ADVERTISER, "advertiser@many.example")
    assert (shop["title"], shop["contact"]) == ("Shop advertiser@many.example", "Ann")


def test_line_that_the_method_refuses_leaves_no_account(api: Api) -> None:
    visitor, kind = staff_visitor(api), AccountKind.STAFF
    text = "email,first name,last name,role\na@many.example,A,B,Captain\nb@many.example,A,B,\n"
    page = visitor.post(f"{MANY[kind].path}/invite-many", text=text, do="import")
    assert "Role: " in page.text and "1 invitation is on its way." in page.text
    assert (found(api, kind, "a@many.example"), invited(api)) == ([], ["b@many.example"])


def test_file_with_more_lines_than_the_limit_is_refused(api: Api) -> None:
    visitor, kind = staff_visitor(api), AccountKind.AFFILIATE
    page = send(visitor, kind, *(f"{n}@many.example" for n in range(MOST_INVITED + 1)), do="import")
    assert page.status_code == 400 and str(MOST_INVITED) in page.text
    assert invited(api) == []


@every_kind
def test_page_is_for_staff_who_may_invite(api: Api, kind: AccountKind) -> None:
    visitor = staff_visitor(api, Role.SECTION_NEWS)
    assert visitor.get(f"{MANY[kind].path}/invite-many").status_code == 403
    assert send(visitor, kind, "x@many.example", do="import").status_code == 403
