"""The pages about the people of affiliates and advertisers, as each of them uses the pages."""

import re

from tests.support.api import Api
from tests.support.pages import Visitor, advertiser_visitor, affiliate_visitor, console_app, staff_visitor
from trackyard.store.tables import mail

EMAIL = "ann@people.example"
CHOSEN = "a chosen password"


def link_of(api: Api) -> str:
    """Return the path of the link that was mailed."""
    with api.deps.database.read() as conn:
        bodies = conn.execute(mail.select().where(mail.c.recipient == EMAIL)).all()
    [found] = [re.search(r"/sign-in/link\?token=\w+", each.body) for each in bodies if "/sign-in/link" in each.body]
    assert found is not None
    return found[0]


def entered(api: Api) -> Visitor:
    """Choose a password by the link, as an invited person does."""
    person = Visitor(console_app(api))
    link = link_of(api)
    person.read(link)
    token = link.partition("token=")[2]
    answer = person.post("/sign-in/link", token=token, password=CHOSEN, again=CHOSEN)
    assert answer.status_code == 303, answer.text
    return person


def invite(visitor: Visitor, path: str, role: str = "manager", email: str = EMAIL) -> None:
    answer = visitor.post(f"{path}/new", form_do="save", email=email, name="Ann Lee", role=role)
    assert answer.status_code == 303, answer.text


def page_of_person(visitor: Visitor, path: str) -> str:
    """Return the path of the page of the one person of a list besides the owner."""
    [found] = {each for each in visitor.read(path).links if re.fullmatch(rf"{path}/[0-9a-f]{{24}}", each)}
    return found


def test_owner_invites_a_person_who_then_works_in_the_portal(api: Api) -> None:
    _, owner = affiliate_visitor(api, email="owner@media.example")
    assert "Invite a person" in owner.read("/portal/people").text
    invite(owner, "/portal/people", "reports")
    listed = owner.read("/portal/people").text
    assert "Ann Lee" in listed and "invited, has not signed in yet" in listed
    person = entered(api)
    home = person.read(person.get("/portal/").headers["location"])  # the first page that the role may open
    assert "Ann Lee" in home.text
    assert "/portal/reports" in home.links and "/portal/payments" not in home.links
    assert "/portal/people" not in home.links
    assert person.get("/portal/people").status_code == 403
    assert person.get("/portal/payments").status_code == 403
    assert "Ann Lee" in person.read("/portal/profile").text


def test_role_is_changed_and_access_taken_away_on_the_page(api: Api) -> None:
    _, owner = affiliate_visitor(api)
    invite(owner, "/portal/people", "reports")
    person = entered(api)
    [page] = [
        each for each in owner.read("/portal/people").links if re.fullmatch(r"/portal/people/[0-9a-f]{24}", each)
    ][:1]
    assert owner.post(page, form_do="save", role="finance").status_code == 303
    assert person.get("/portal/payments").status_code == 200
    assert owner.post(f"{page}/remove").status_code == 303
    assert person.get("/portal/").status_code == 303  # to the sign-in
    assert owner.get(page).status_code == 404


def test_staff_invite_people_of_an_advertiser_and_hand_it_over(api: Api) -> None:
    number, former = advertiser_visitor(api)
    staff = staff_visitor(api)
    path = f"/console/advertisers/{number}/people"
    assert path in staff.read(f"/console/advertisers/{number}").links
    invite(staff, path)
    person = entered(api)
    assert person.get("/advertiser/").status_code == 200
    page = page_of_person(staff, path)
    assert staff.post(f"{page}/owner").status_code == 303
    assert former.get("/advertiser/").status_code == 303
    again = Visitor(console_app(api))
    assert again.sign_in(EMAIL, CHOSEN).headers["location"] == "/advertiser/"
    assert "Ann Lee" in again.read("/advertiser/people").text


def test_owner_hands_over_with_the_password_alone(api: Api) -> None:
    _, owner = affiliate_visitor(api)
    invite(owner, "/portal/people")
    entered(api)
    page = page_of_person(owner, "/portal/people")
    refused = owner.post(f"{page}/owner", password="wrong")
    assert refused.status_code == 400 and "This is not the password of your account." in refused.text
    assert owner.post(f"{page}/owner", password="long-enough").status_code == 303


def test_person_of_two_companies_chooses_one_after_the_sign_in(api: Api) -> None:
    _, owner = affiliate_visitor(api)
    invite(owner, "/portal/people")
    entered(api)
    number, _ = advertiser_visitor(api, title="Shop")
    invite(staff_visitor(api), f"/console/advertisers/{number}/people", "reports")
    person = Visitor(console_app(api))
    person.login = EMAIL
    assert person.sign_in(EMAIL, CHOSEN).headers["location"] == "/portal/companies"
    choice = person.read("/portal/companies")
    assert "You are here" in choice.text and "Shop" in choice.text
    moved = person.post("/portal/companies", company=f"advertiser:{number}")
    assert moved.headers["location"] == "/advertiser/"
    assert "/advertiser/companies" in person.read("/advertiser/").links
    assert person.post("/advertiser/companies", company="affiliate:999").status_code == 400


def test_audit_log_shows_what_a_person_and_staff_did(api: Api) -> None:
    pid, owner = affiliate_visitor(api)
    invite(owner, "/portal/people")
    person = entered(api)
    assert person.post("/portal/postbacks/new", form_do="save", url="https://a.example/?c={clickid}").status_code == 303
    staff = staff_visitor(api)
    invite(staff, f"/console/affiliates/{pid}/people", email="bob@people.example")
    shown = staff.read("/console/audit-log").text
    assert "Ann Lee" in shown and "Person" in shown
