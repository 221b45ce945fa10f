"""Staff users: made, changed, given keys and passwords, by administrators alone."""

from typing import Any

import pytest

from tests.support.api import Api
from trackyard.domain.people.roles import Role
from trackyard.store.people import affiliates

NEW = {"email": "Mia@Staff.Example", "password": "sesame", "first_name": "Mia", "last_name": "Moe"}


def add(api: Api, **params: Any) -> dict[str, Any]:
    user: dict[str, Any] = api.admin.post("/3.0/admin/user", **NEW | params)["user"]
    return user


def test_staff_user_creation_shows_password_and_key(api: Api) -> None:
    roles = ["ROLE_SECTION_OFFER", "ROLE_MANAGER_SALES"]
    user = add(api, skype="mia", work_hours="9-17", **{"roles[]": roles})
    assert (user["email"], user["password"], user["skype"], user["work_hours"]) == (
        "mia@staff.example", "sesame", "mia", "9-17",
    )  # fmt: skip
    assert sorted(user["roles"]) == sorted(roles)
    assert (user["type"], user["last_login_at"]) == ("account_manager", None)
    assert len(user["api_key"]) == 40
    client = api.admin.with_key(user["api_key"])
    assert client.call("POST", "/3.0/admin/advertiser", data={"title": "Shop"}).status_code == 200
    assert client.call("GET", "/3.0/admin/users").json()["code"] == "users.write"


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"password": "four"}, "password"),
        ({"password": ""}, "password"),
        ({"email": "no address"}, "email"),
        ({"roles[]": "ROLE_KING"}, "roles[0]"),
        ({"first_name": ""}, "first_name"),
    ],
)
def test_staff_user_with_invalid_value_is_rejected(api: Api, params: dict[str, str], field: str) -> None:
    assert api.admin.refusal("POST", "/3.0/admin/user", data=NEW | params) == (400, [field])
    assert api.admin.get("/3.0/admin/users")["pagination"]["total_count"] == 1


def test_staff_user_email_must_be_unique(api: Api) -> None:
    first = add(api)
    assert api.admin.refusal("POST", "/3.0/admin/user", data=NEW | {"email": "MIA@staff.example"}) == (409, ["email"])
    other = add(api, email="other@staff.example")
    refused = api.admin.call("POST", f"/3.0/admin/user/{other['id']}", data={"email": "mia@staff.example"})
    assert (refused.status_code, list(refused.json()["fields"])) == (409, ["email"])
    assert api.admin.post(f"/3.0/admin/user/{first['id']}", email="mia@staff.example")["status"] == 1


def test_staff_user_edit_changes_sent_fields_only(api: Api) -> None:
    user = add(api, skype="mia", **{"roles[]": "ROLE_SECTION_NEWS"})
    edited = api.admin.post(f"/3.0/admin/user/{user['id']}", first_name="Maya")["user"]
    assert edited == user | {"first_name": "Maya", "password": None}
    edited = api.admin.post(f"/3.0/admin/user/{user['id']}", skype="", password="mustard", **{"roles[]": ""})["user"]
    assert (edited["skype"], edited["roles"], edited["password"]) == ("", [], "mustard")
    assert api.admin.get(f"/3.0/admin/user/{user['id']}")["user"]["api_key"] == user["api_key"]


def test_staff_user_edit_returns_sent_password(api: Api) -> None:
    path = f"/3.0/admin/user/{add(api)['id']}"
    assert api.admin.post(path, password="mustard")["user"]["password"] == "mustard"
    assert api.admin.post(path, skype="mia")["user"]["password"] is None
    assert "password" not in api.admin.get(path)["user"]


def test_staff_user_password_endpoint_sets_sent_password(api: Api) -> None:
    user = add(api)
    path = f"/3.0/admin/user/{user['id']}/password"

    def signs_in(password: str) -> bool:
        tried = {"login": user["email"], "password": password}
        return api.admin.call("POST", "/3.1/auth", data=tried).status_code == 200

    assert api.admin.post(path, password="mustard")["user"] == {"id": user["id"], "password": "mustard"}
    assert signs_in("mustard")
    made = api.admin.post(path)["user"]["password"]
    assert len(made) >= 6 and signs_in(made) and not signs_in("mustard")
    for short in ("five5", ""):
        assert api.admin.refusal("POST", path, data={"password": short}) == (400, ["password"])
    assert signs_in(made)


def test_staff_user_search_matches_part_of_name_email_or_skype(api: Api) -> None:
    mia, zoe = add(api, skype="live.mia"), add(api, email="zoe@other.example", first_name="Zoë", last_name="Älg")

    def found(text: str) -> list[str]:
        answer = api.admin.get("/3.0/admin/users", q=text)
        assert answer["pagination"]["total_count"] == len(answer["users"])
        return [user["id"] for user in answer["users"]]

    assert found("ZOË ÄL") == [zoe["id"]] and found("OTHER.ex") == [zoe["id"]] and found("LIVE") == [mia["id"]]
    assert found(zoe["id"]) == [zoe["id"]]
    assert found("nothing") == [] and found("%") == []
    assert len(found("")) == 3


def test_staff_user_email_must_differ_from_affiliate_logins(api: Api) -> None:
    ann, _ = api.add_affiliate(email="ann@affiliate.example")
    with api.deps.database.write() as conn:  # as earlier versions allowed
        affiliates.edit_affiliate(conn, ann, {"login": "ann@staff.example"})
        affiliates.claim_names(conn, ann, "ann@affiliate.example", "ann@staff.example")
    api.add_affiliate(email="both@both.example")
    user = add(api, email="both@both.example")
    for path in ("/3.0/admin/user", f"/3.0/admin/user/{user['id']}"):
        assert api.admin.refusal("POST", path, data=NEW | {"email": "Ann@staff.example"}) == (409, ["email"])
    assert api.admin.post(f"/3.0/admin/user/{user['id']}", email="both@both.example")["status"] == 1


def test_staff_user_roles_take_effect_on_next_request(api: Api) -> None:
    user = add(api)
    client = api.admin.with_key(user["api_key"])
    new = {"title": "Shop"}
    assert client.call("POST", "/3.0/admin/advertiser", data=new).status_code == 403
    api.admin.post(f"/3.0/admin/user/{user['id']}", **{"roles[]": "ROLE_SECTION_SUPPLIER"})
    assert client.call("POST", "/3.0/admin/advertiser", data=new).status_code == 200
    api.admin.post(f"/3.0/admin/user/{user['id']}", **{"roles[]": "ROLE_SECTION_NEWS"})
    assert client.call("POST", "/3.0/admin/advertiser", data=new).status_code == 403


def test_staff_user_last_administrator_keeps_role(api: Api) -> None:
    [first] = api.admin.get("/3.0/admin/users")["users"]
    refused = api.admin.call("POST", f"/3.0/admin/user/{first['id']}", data={"roles[]": "ROLE_SECTION_NEWS"})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["roles"])
    api.add_staff(Role.ADMIN)
    assert api.admin.post(f"/3.0/admin/user/{first['id']}", **{"roles[]": "ROLE_SECTION_NEWS"})["status"] == 1


def test_staff_user_new_key_replaces_old_key_at_once(api: Api) -> None:
    user = add(api, **{"roles[]": "ROLE_SECTION_SUPPLIER"})
    session = api.admin.post("/3.1/auth", email="mia@staff.example", password="sesame")["api_key"]
    renewed = api.admin.post(f"/3.0/admin/user/api_key/{user['id']}")["user"]
    assert renewed["api_key"] != user["api_key"]
    for key, status in ((user["api_key"], 401), (session, 401), (renewed["api_key"], 200)):
        answer = api.admin.with_key(key).call("POST", "/3.0/admin/advertiser", data={"title": "Shop"})
        assert answer.status_code == status
    assert api.admin.get(f"/3.0/admin/user/{user['id']}")["user"]["api_key"] == renewed["api_key"]


def test_staff_user_new_password_is_shown_once_and_ends_sessions(api: Api) -> None:
    user = add(api, **{"roles[]": "ROLE_SECTION_SUPPLIER"})
    session = api.admin.post("/3.1/auth", email="mia@staff.example", password="sesame")["api_key"]
    answer = api.admin.post(f"/3.0/admin/user/{user['id']}/password")["user"]
    assert answer["id"] == user["id"]
    again = {"email": "mia@staff.example", "password": answer["password"]}
    assert api.admin.call("POST", "/3.1/auth", data=again).status_code == 200
    assert api.admin.call("POST", "/3.1/auth", data=again | {"password": "sesame"}).status_code == 401
    assert api.admin.with_key(session).call("POST", "/3.0/admin/advertiser").status_code == 401
    assert api.admin.with_key(user["api_key"]).call("POST", "/3.0/admin/advertiser").status_code == 400  # still a key
    assert answer["password"] not in str(api.admin.get("/3.0/admin/users"))


def test_staff_user_list_has_pages(api: Api) -> None:
    ids = [add(api, email=f"{number}@staff.example")["id"] for number in range(3)]
    first = api.admin.get("/3.0/admin/users", limit=2)
    second = api.admin.get("/3.0/admin/users", limit=2, page=2)
    assert first["pagination"] == {"per_page": 2, "total_count": 4, "page": 1, "next_page": 2}
    assert {user["id"] for page in (first, second) for user in page["users"]} > set(ids)
    assert all(len(user["api_key"]) == 40 for page in (first, second) for user in page["users"])


def test_staff_user_permissions_follow_roles(api: Api) -> None:
    roles = ["ROLE_SECTION_STATS_COUNTRY", "ROLE_SECTION_PARTNER"]
    user = add(api, **{"roles[]": roles})
    tree = api.admin.get(f"/3.0/admin/user/{user['id']}")["user"]["permissions"]
    assert set(tree) == {"automation", "general", "notificator", "stats", "users"}
    may = {f"{area}.{name}": it["level"] for area, names in tree.items() for name, it in names.items()}
    assert {name: level for name, level in may.items() if level != "deny"} == {
        "general.billing": "read",
        "stats.slice-country": "read",
        "users.entity-affiliate": "write",
    }
    [first] = [one for one in api.admin.get("/3.0/admin/users")["users"] if one["id"] != user["id"]]
    everything = api.admin.get(f"/3.0/admin/user/{first['id']}")["user"]["permissions"]
    assert all(it["level"] != "deny" for names in everything.values() for it in names.values())
    assert everything["stats"]["conversions-import"]["level"] == "write"
