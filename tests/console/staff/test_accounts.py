"""Staff users on pages."""

import pytest

from tests.support.api import Api
from tests.support.pages import PASSWORD, PageReader, Visitor, console_app, staff_visitor
from trackyard.console.account.roles import PRESETS
from trackyard.domain.people.roles import Role

HOSTILE = '"><script>alert(1)</script>'


def test_staff_list_shows_roles_in_words_and_is_searched(api: Api) -> None:
    visitor = staff_visitor(api)
    api.add_staff(Role.MANAGER_SALES)
    page = visitor.read("/console/staff")
    assert "3 staff users" in page.text and "Sales manager" in page.text and "Administrator" in page.text
    found = visitor.read(f"/console/staff?q={visitor.login}")
    assert "1 staff user" in found.text and "Sales manager" not in found.text
    assert "/console/staff" in visitor.read("/console/").links


def test_staff_pages_are_for_administrators(api: Api) -> None:
    visitor = staff_visitor(api, Role.MANAGER_SALES, Role.SECTION_DASHBOARD)
    number, _ = api.add_staff(Role.ADMIN)
    for path in ("", "/new", f"/{number}", f"/{number}/edit", f"/{number}/remove"):
        assert visitor.get(f"/console/staff{path}").status_code == 403
    assert "/console/staff" not in visitor.read("/console/").links


def test_invited_staff_user_chooses_password_with_link_of_its_page(api: Api) -> None:
    app = console_app(api)
    visitor = staff_visitor(api, app=app)
    typed = {"first_name": HOSTILE, "last_name": "Manager", "roles": "ROLE_SECTION_DASHBOARD", "form_do": "save"}
    refused = visitor.post("/console/staff/new", **typed, email="mia")
    assert refused.status_code == 400 and HOSTILE not in refused.text
    assert PageReader(refused.text).fields["first_name"] == HOSTILE
    made = visitor.post("/console/staff/new", **typed, email="mia@network.example")
    path = made.headers["location"]
    page = visitor.read(path)
    assert "An invitation is on its way to mia@network.example." in page.text
    assert "Reads what the first page shows." in page.text
    shown = PageReader(visitor.post(f"{path}/link").text)
    link = next(word for word in shown.text.split() if "/sign-in/link?token=" in word)
    assert "/sign-in/link?token=" not in visitor.read(path).text
    mia = Visitor(app)
    form = mia.read(link[link.index("/sign-in") :])
    answer = mia.client.post(
        "/sign-in/link", data={"token": form.fields["token"], "password": PASSWORD, "again": PASSWORD}
    )
    assert answer.headers["location"] == "/console/"


def test_staff_user_is_edited_and_others_roles_stay(api: Api) -> None:
    visitor = staff_visitor(api)
    number, _ = api.add_staff(Role.SECTION_NEWS, Role.SECTION_TICKET)
    path = f"/console/staff/{number}"
    form = visitor.read(f"{path}/edit").fields
    sent = {"first_name": "Maya", "form_do": "save", "form_shown": form["form_shown"]}
    sent |= {"last_name": form["last_name"], "email": form["email"], "roles": ["ROLE_SECTION_NEWS"]}
    assert visitor.post(f"{path}/edit", **sent).headers["location"] == path
    user = api.admin.get(f"/3.0/admin/user/{number}")["user"]
    assert (user["first_name"], user["roles"]) == ("Maya", ["ROLE_SECTION_NEWS"])


def test_blocked_staff_user_cannot_sign_in_until_it_is_unblocked(api: Api) -> None:
    app = console_app(api)
    visitor, other = staff_visitor(api, app=app), staff_visitor(api, Role.SECTION_DASHBOARD, app=app)
    [number] = [each["id"] for each in api.admin.get("/3.0/admin/users")["users"] if each["email"] == other.login]
    visitor.post(f"/console/staff/{number}/block")
    assert "Blocked" in visitor.read(f"/console/staff/{number}").text
    assert other.get("/console/").status_code == 303
    visitor.post(f"/console/staff/{number}/unblock")
    assert other.sign_in(other.login).status_code == 303


def test_removal_asks_for_a_successor_of_what_the_user_manages(api: Api) -> None:
    visitor = staff_visitor(api)
    number, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    successor, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    pid, _ = api.add_affiliate(manager_id=number)
    path = f"/console/staff/{number}/remove"
    refused = visitor.post(path)
    assert refused.status_code == 400 and "1 affiliates" in refused.text
    assert visitor.post(path, successor=successor).headers["location"] == "/console/staff"
    assert api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["manager"]["id"] == successor
    assert visitor.get(f"/console/staff/{number}").status_code == 404


@pytest.mark.parametrize("verb", ["block", "remove"])
def test_last_administrator_stays(api: Api, verb: str) -> None:
    visitor = staff_visitor(api)
    users = api.admin.get("/3.0/admin/users")["users"]
    [own] = [each["id"] for each in users if each["email"] == visitor.login]
    for each in users:
        if each["id"] != own:
            api.admin.post(f"/3.1/admin/user/{each['id']}/block")
            break
    answer = visitor.post(f"/console/staff/{own}/{verb}")
    page = answer.text if answer.status_code == 400 else visitor.get(f"/console/staff/{own}").text
    assert "The last administrator must stay one." in page


def test_preset_fills_the_roles_in_and_keeps_what_was_typed_until_it_is_saved(api: Api) -> None:
    visitor = staff_visitor(api)
    typed = {"first_name": "Ada", "last_name": "Reef", "email": "ada@staff.example", "roles": "ROLE_ADMIN"}
    filled = visitor.post("/console/staff/new", preset="finance", **typed)
    checked = {
        given["value"]
        for tag, given in PageReader(filled.text).elements
        if "checked" in given and given.get("name") == "roles"
    }
    assert checked == {"ROLE_SECTION_PAYMENT", "ROLE_SECTION_STATS"}
    assert filled.status_code == 200 and "ada@staff.example" in filled.text
    assert "ada@staff.example" not in str(api.admin.get("/3.0/admin/users"))
    assert {role for preset in PRESETS.values() for role in preset.roles} <= set(Role)
