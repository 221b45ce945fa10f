"""Staff users that are blocked, removed, or left without roles."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.offers.counters import notify_cap_filling
from trackyard.actions.platform.installation import administrator_key
from trackyard.domain.people.roles import Role
from trackyard.store.platform import mail

PASSWORD = "a long enough password"
NEW = {"email": "mia@staff.example", "password": PASSWORD, "first_name": "Mia", "last_name": "Moe"}


def add(api: Api, *roles: Role, **params: Any) -> tuple[str, ApiClient]:
    """A staff user with a password: its id, and a client of its key."""
    user = api.admin.post("/3.0/admin/user", **NEW | params, **{"roles[]": list(roles)})["user"]
    return user["id"], api.admin.with_key(user["api_key"])


def attempt(api: Api, email: str = "mia@staff.example", password: str = PASSWORD) -> Any:
    return api.admin.with_key(None).call("POST", "/3.1/auth", data={"email": email, "password": password})


def status(client: ApiClient) -> int:
    found: int = client.call("GET", "/3.0/news").status_code
    return found


def first_administrator(api: Api) -> str:
    return str(api.admin.get("/3.0/admin/users", q="admin@localhost")["users"][0]["id"])


def test_staff_user_blocked_loses_keys_and_sessions_at_once(api: Api) -> None:
    number, client = add(api, Role.SECTION_NEWS)
    session = api.admin.with_key(attempt(api).json()["api_key"])
    assert (status(client), status(session)) == (200, 200)
    assert api.admin.post(f"/3.1/admin/user/{number}/block")["user"]["status"] == "blocked"
    assert (status(client), status(session)) == (401, 401)
    refused = attempt(api)
    assert (refused.status_code, refused.text) == (401, attempt(api, password="wrong").text)
    assert api.admin.post(f"/3.1/admin/user/{number}/unblock")["user"]["status"] == "active"
    assert (status(client), status(session), attempt(api).status_code) == (200, 401, 200)


def test_staff_user_removed_is_gone_with_its_keys(api: Api) -> None:
    number, client = add(api)
    session = api.admin.with_key(attempt(api).json()["api_key"])
    body = api.admin.post(f"/3.1/admin/user/{number}/remove")
    assert (body["id"], body["affiliates"], body["advertisers"]) == (number, 0, 0)
    assert (status(client), status(session), attempt(api).status_code) == (401, 401, 401)
    assert api.admin.call("GET", f"/3.1/admin/user/{number}").status_code == 404
    assert api.admin.call("POST", f"/3.1/admin/user/{number}/remove").status_code == 404
    again, _ = add(api)
    assert again != number, "the address is free"


@pytest.mark.parametrize("method", ["block", "remove"])
def test_staff_user_that_is_the_last_administrator_stays(api: Api, method: str) -> None:
    own = first_administrator(api)
    number, _ = add(api, Role.ADMIN)
    api.admin.post(f"/3.1/admin/user/{number}/block")
    refused = api.admin.call("POST", f"/3.1/admin/user/{own}/{method}")
    assert (refused.status_code, "last administrator" in refused.json()["error"]) == (400, True)
    assert api.admin.refusal("POST", f"/3.0/admin/user/{own}", data={"roles[]": ""}) == (400, ["roles"])
    api.admin.post(f"/3.1/admin/user/{number}/unblock")
    assert api.admin.call("POST", f"/3.1/admin/user/{own}/{method}").status_code == 200
    assert status(api.admin) == 401


def test_staff_user_that_manages_needs_a_successor(api: Api) -> None:
    number, _ = add(api, Role.MANAGER_AFFILIATE, Role.MANAGER_SALES)
    heir, _ = add(api, email="heir@staff.example")
    pid, _ = api.add_affiliate(manager_id=number)
    advertiser = api.add_advertiser(manager=number)
    path = f"/3.1/admin/user/{number}/remove"
    refused = api.admin.call("POST", path)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["successor"])
    assert "1 affiliates and 1 advertisers" in refused.json()["error"]
    for absent in (number, "f" * 24):
        assert api.admin.refusal("POST", path, data={"successor": absent}) == (400, ["successor"])
    assert api.admin.post(path, successor=heir)["affiliates"] == 1
    assert api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["manager"]["id"] == heir
    assert api.admin.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]["manager"] == heir


def test_staff_user_without_roles_has_no_session_and_a_powerless_key(api: Api) -> None:
    number, client = add(api, Role.ADMIN)
    session = api.admin.with_key(attempt(api).json()["api_key"])
    assert client.call("GET", "/3.0/admin/users").status_code == 200
    api.admin.post(f"/3.0/admin/user/{number}", **{"roles[]": ""})
    assert status(session) == 401
    assert client.refusal("GET", "/3.0/admin/users") == (403, "users.write")
    assert client.refusal("GET", "/3.0/offers") == (403, "offers.read")


def test_staff_user_blocked_is_not_the_first_administrator(api: Api) -> None:
    own = first_administrator(api)
    number, other = add(api, Role.ADMIN)
    other.post(f"/3.1/admin/user/{own}/block")
    users = {user["id"]: user["status"] for user in other.get("/3.0/admin/users")["users"]}
    assert users == {own: "blocked", number: "active"}
    assert administrator_key(api.deps.database, api.deps.cipher) == other.key


def test_staff_user_blocked_gets_no_mail_as_a_manager(api: Api) -> None:
    number, _ = add(api, Role.MANAGER_SALES)
    advertiser = api.add_advertiser(manager=number)

    def recipient() -> str:
        with api.deps.database.write() as conn:
            notify_cap_filling(conn, 1, "Shoes", advertiser, "5", "4", api.clock.now_ms())
            found = mail.claim(conn, api.clock.now_ms(), 1)
            assert found is not None
            mail.remove(conn, found.id)
            return found.recipient

    assert recipient() == "mia@staff.example"
    api.admin.post(f"/3.1/admin/user/{number}/block")
    assert recipient() == "admin@localhost"
