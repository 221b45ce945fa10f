"""Staff look at a portal as one person of a company.

docs/spec/console.md#looking-as-an-affiliate."""

import pytest

from tests.console.staff.affiliates.test_look_levels import deny, manager_visitor, pages_of
from tests.contract.requests.companies import add_place
from tests.support.api import PASSWORD, Api
from tests.support.pages import Visitor, console_app, staff_visitor
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.companies import COMPANY_ROLES, CompanyRole
from trackyard.domain.people.roles import Role
from trackyard.store.people import persons

STAFF = {AccountKind.AFFILIATE: Role.MANAGER_AFFILIATE, AccountKind.ADVERTISER: Role.MANAGER_SALES}
PATHS = {AccountKind.AFFILIATE: "/console/affiliates", AccountKind.ADVERTISER: "/console/advertisers"}
AUDIENCES = {AccountKind.AFFILIATE: "affiliate", AccountKind.ADVERTISER: "advertiser"}


def add_company(api: Api, kind: AccountKind, manager: str = "") -> Account:
    """Return a new active company, of a manager where one is given."""
    if kind is AccountKind.AFFILIATE:
        pid, _ = api.add_affiliate(
            status="active", company="Bright Fitness", **({"manager_id": manager} if manager else {})
        )
        return Account(kind, str(pid))
    return Account(kind, api.add_advertiser(title="Bright Fitness", **({"manager": manager} if manager else {})))


def visitor_of(api: Api, member_id: str) -> Visitor:
    """Return a browser in which a member signed in."""
    with api.deps.database.read() as conn:
        place = persons.find_member(conn, member_id)
        assert place is not None
        person = persons.find_person(conn, place.signer.id)
    assert person is not None
    visitor = Visitor(console_app(api))
    visitor.sign_in(person.email, PASSWORD)
    return visitor


def opened(visitor: Visitor, kind: AccountKind) -> set[str]:
    """Return the pages of a portal that are not refused."""
    paths = pages_of(AUDIENCES[kind])
    answers = {path: visitor.get(f"{path}?format=csv" if path.endswith("file") else path) for path in paths}
    assert {each.status_code for each in answers.values()} <= {200, 303, 400, 403, 404}
    return {path for path, each in answers.items() if each.status_code != 403}


@pytest.mark.parametrize(("kind", "least"), [(AccountKind.AFFILIATE, 20), (AccountKind.ADVERTISER, 9)])
def test_look_as_a_person_is_refused_what_either_is_refused(api: Api, kind: AccountKind, least: int) -> None:
    number, staff = manager_visitor(api, STAFF[kind])
    company = add_company(api, kind, number)
    deny(api, number)
    assert len(pages_of(AUDIENCES[kind])) >= least
    page, end = f"{PATHS[kind]}/{company.id}", {str(kind): company.id}
    assert staff.post(f"{page}/look-as").status_code == 303
    by_owner = opened(staff, kind)
    staff.post("/console/end-look", **end)
    seen = {}
    for role in COMPANY_ROLES:
        if role is CompanyRole.OWNER:
            continue
        member = add_place(api, company, role)
        begun = staff.post(f"{page}/people/{member}/look-as")
        assert begun.status_code == 303, begun.text
        looked = seen[role] = opened(staff, kind)
        assert looked == by_owner & opened(visitor_of(api, member), kind), role
        assert staff.get(page).status_code == 200  # pages of staff stay as they are
        staff.post("/console/end-look", **end)
    assert len(seen) == len(COMPANY_ROLES) - 1 == 3
    assert any(pages < by_owner for pages in seen.values()), "a role sees less than the owner"


@pytest.mark.parametrize("kind", AUDIENCES)
def test_look_as_a_person_names_the_person_and_changes_nothing(api: Api, kind: AccountKind) -> None:
    company, staff = add_company(api, kind), staff_visitor(api)
    member = add_place(api, company, CompanyRole.REPORTS)
    page = f"{PATHS[kind]}/{company.id}"
    listed = staff.get(f"{page}/people").text
    assert f"{page}/people/{member}/look-as" in listed and f'"{page}/look-as"' in listed
    begun = staff.post(f"{page}/people/{member}/look-as")
    home = begun.headers["location"]
    path = staff.get(home).headers.get("location", home)
    banner = f"You see the portal as Ann Lee sees it, “Reports only” of Bright Fitness (#{company.id})."
    assert banner in staff.read(path).text
    for refused in ("profile/password", "people/new"):
        answer = staff.post(f"{home}{refused}")
        assert (answer.status_code, "nothing can be changed here" in answer.text) == (403, True), refused
    assert staff.get(f"{home}companies").status_code == 403  # companies of others are not for this staff user
    [logged] = api.admin.get("/3.1/admin/audit", what="member", key=member, method="people.look_as")["audit"]
    assert logged["changes"]["portal_seen_until_at"]["from"] is None
    assert api.admin.get(f"/3.0/admin/user/{logged['user']['id']}")["user"]["email"] == staff.login
    shown = staff.read(f"/console/audit-log?what=member&key={member}").text
    assert f"Person {member}" in shown
    with api.deps.database.write() as conn:
        persons.remove_member(conn, persons.list_members(conn, company)[0])
    gone = staff.get(path)
    assert (gone.status_code, gone.headers["location"]) == (303, page)


def test_look_as_a_person_of_a_closed_company_is_refused(api: Api) -> None:
    company, staff = add_company(api, AccountKind.AFFILIATE), staff_visitor(api)
    member = add_place(api, company, CompanyRole.MANAGER)
    api.admin.post(f"/3.1/admin/partner/{company.id}", status="banned")
    refused = staff.post(f"/console/affiliates/{company.id}/people/{member}/look-as")
    assert refused.status_code == 409 and "not active" in refused.text
