"""Levels narrow what the roles of staff users give, and presets give levels by one name."""

from typing import Any

import pytest

from tests.api.people.test_own_account import DAY, SPAN, slices, tree_param
from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.domain.people.permissions import shown_name
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff_permissions import WITHOUT_EFFECT

MANAGERS = (Role.MANAGER_AFFILIATE, Role.MANAGER_SALES, Role.SECTION_PAYMENT)
Call = tuple[str, str, dict[str, Any]]

REFUSED: dict[tuple[str, str], list[tuple[Call, str]]] = {
    ("stats.slice-city", "deny"): [
        (("GET", "stats/getbycities", DAY), "stats.slice-city"),
        (("GET", "stats/custom", slices("city")), "stats.slice-city"),
    ],
    ("stats.slice-advertiser_id", "deny"): [
        (("GET", "stats/getbyadvertiser", DAY), "stats.slice-advertiser_id"),
        (("GET", "stats/custom", slices("advertiser")), "stats.slice-advertiser_id"),
    ],
    ("stats.stats-export", "deny"): [
        (("GET", "stats/custom", slices("day") | {"format": "csv"}), "stats.stats-export")
    ],
    ("stats.conversions-list", "read"): [(("POST", "admin/conversion/edit", {}), "conversions.write")],
    ("stats.conversions-list", "deny"): [(("GET", "stats/conversions", SPAN), "stats.conversion")],
    ("stats.conversions-import", "read"): [(("POST", "admin/conversion/import", {}), "stats.conversions-import")],
    ("stats.server-postback", "deny"): [(("GET", "stats/serverpostbacks", SPAN), "stats.server_postback")],
    ("users.entity-affiliate", "read"): [(("POST", "admin/partner", {}), "affiliates.write")],
    ("users.entity-affiliate", "deny"): [(("GET", "admin/partners", {}), "affiliates.read")],
    ("users.entity-advertiser", "read"): [(("POST", "admin/advertiser", {}), "advertisers.write")],
    ("users.entity-advertiser", "deny"): [(("GET", "admin/advertisers", {}), "advertisers.read")],
    ("general.billing", "read"): [
        (("GET", "admin/payments", {}), "payments.write"),
        (("GET", "admin/advertiser-invoices", {}), "invoices.write"),
    ],
    ("general.billing", "deny"): [(("GET", "balance", {"pid": 1}), "balances.read")],
    ("general.marketplace", "deny"): [(("GET", "offers", {}), "general.marketplace")],
}
"""Feature and level to calls that they refuse, with the code of the 403."""


def path_of(staff_id: str) -> str:
    return f"/3.1/user/{staff_id}/permissions"


def refusals(client: ApiClient, calls: list[tuple[Call, str]]) -> list[str]:
    found = []
    for (method, path, params), _ in calls:
        place = "data" if method == "POST" else "params"
        answer = client.call(method, f"/3.1/{path}", **{place: params})
        found.append(answer.json()["code"] if answer.status_code == 403 else "")
    return found


@pytest.mark.parametrize(("feature", "level"), REFUSED)
def test_level_of_staff_user_refuses_what_its_roles_give(shared_api: Api, feature: str, level: str) -> None:
    api = shared_api
    (number, client), (_, other) = api.add_staff(*MANAGERS), api.add_staff(*MANAGERS)
    calls = REFUSED[feature, level]
    assert refusals(client, calls) == [""] * len(calls)
    shown = api.admin.post(path_of(number), **tree_param(feature, level))["permissions"]
    area, _, name = feature.partition(".")
    own = client.get("/3.1/user/me")["user"]["permissions"]
    assert own == shown["permissions"]
    assert own[area][name]["level"] == level != own[area][name]["default_level"]
    assert refusals(client, calls) == [code for _, code in calls]
    assert refusals(other, calls) == [""] * len(calls)
    api.admin.post(path_of(number), **tree_param(feature, "default"))
    assert refusals(client, calls) == [""] * len(calls)


def test_level_of_staff_user_never_widens_its_roles(shared_api: Api) -> None:
    number, client = shared_api.add_staff(Role.SECTION_NEWS)
    shown = shared_api.admin.post(path_of(number), **tree_param("users.entity-affiliate", "write"))["permissions"]
    assert shown["permissions"]["users"]["entity-affiliate"] == {"level": "deny", "exceptions": {"ints": []}}
    assert client.refusal("GET", "/3.1/admin/partners") == (403, "affiliates.read")


def test_level_taken_from_a_manager_takes_it_from_answers_of_other_methods(shared_api: Api) -> None:
    api = shared_api
    number, client = api.add_staff(Role.MANAGER_SALES)
    advertiser = api.add_advertiser(manager=number, hash_password="shop-code-1")
    offer = api.add_offer(advertiser=advertiser)
    assert "shop-code-1" in client.get(f"/3.1/admin/advertiser/{advertiser}")["advertiser"]["postback_url"]
    api.admin.post(path_of(number), **tree_param("users.entity-advertiser", "read"))
    assert "shop-code-1" not in client.call("GET", f"/3.1/admin/advertiser/{advertiser}").text
    assert "shop-code-1" not in client.call("GET", f"/3.1/offer/{offer}").text


def test_administrator_has_no_levels(api: Api) -> None:
    number, client = api.add_staff(Role.ADMIN)
    answer = api.admin.call("POST", path_of(number), data=tree_param("users.entity-affiliate", "deny"))
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["permissions"])
    limited, other = api.add_staff(Role.SECTION_PARTNER)
    api.admin.post(path_of(limited), **tree_param("users.entity-affiliate", "deny"))
    api.admin.post(f"/3.1/admin/user/{limited}", **{"roles[]": ["ROLE_ADMIN"]})
    assert other.call("GET", "/3.1/admin/partners").status_code == 200
    assert client.call("GET", "/3.1/admin/partners").status_code == 200


@pytest.mark.parametrize("feature", sorted(WITHOUT_EFFECT))
def test_level_without_an_effect_is_not_stored_and_named(shared_api: Api, feature: str) -> None:
    number, client = shared_api.add_staff(*MANAGERS)
    before = client.get("/3.1/user/me")["user"]["permissions"]
    answer = shared_api.admin.post(path_of(number), **tree_param(feature, "deny"))
    assert shown_name(feature) in answer["warnings"][0]
    assert answer["permissions"]["permissions"] == before


def test_level_of_other_spelling_and_in_another_permissions_is_read(shared_api: Api) -> None:
    number, client = shared_api.add_staff(*MANAGERS)
    levels = {"automation": {"affise-checker": {"level": "deny"}}, "stats": {"slice-city": {"level": "deny"}}}
    shared_api.admin.call("POST", path_of(number), json={"permissions": {"permissions": levels}})
    assert client.refusal("GET", "/3.1/stats/getbycities", params=DAY) == (403, "stats.slice-city")


def test_levels_are_written_with_a_first_key_only(shared_api: Api) -> None:
    number, _ = shared_api.add_staff(Role.SECTION_NEWS)
    made = shared_api.admin.post("/3.1/auth/keys", **{"name": "all", "scopes[]": ["read", "write"]})["key"]
    limited = shared_api.admin.with_key(made["api_key"])
    sent = tree_param("stats.slice-city", "deny")
    assert limited.refusal("POST", path_of(number), data=sent) == (403, "scope.credentials")


def test_preset_gives_its_levels_and_stays_apart(api: Api) -> None:
    number, client = api.add_staff(*MANAGERS)
    sent = tree_param("stats.slice-city", "deny") | tree_param("users.view-users", "deny")
    made = api.admin.post("/3.1/presets", name="No cities", type="affiliate_manager", **sent)
    assert "users.view-users" in made["warnings"][0]
    preset = made["preset"]
    assert preset["permissions"]["stats"] == {"slice-city": {"level": "deny"}}
    api.admin.post(path_of(number), **tree_param("stats.slice-country", "deny"))
    answer = api.admin.post(path_of(number), preset_id=preset["id"], **tree_param("stats.slice-os", "deny"))
    stats = answer["permissions"]["permissions"]["stats"]
    assert [stats[f"slice-{name}"]["level"] for name in ("city", "country", "os")] == ["deny", "read", "deny"]
    changed = api.admin.post(f"/3.1/presets/{preset['id']}", **tree_param("stats.slice-goal", "read"))["preset"]
    assert (changed["name"], changed["permissions"]["stats"]) == ("No cities", {"slice-goal": {"level": "read"}})
    assert api.admin.get("/3.1/presets")["presets"] == [changed]
    assert api.admin.call("DELETE", f"/3.1/presets/{preset['id']}").json() == {"status": 1}
    assert api.admin.get("/3.1/presets")["presets"] == []
    assert client.refusal("GET", "/3.1/stats/getbycities", params=DAY) == (403, "stats.slice-city")


def test_preset_that_does_not_exist_or_for_an_affiliate_is_refused(shared_api: Api) -> None:
    pid, _ = shared_api.add_affiliate()
    number, _ = shared_api.add_staff(Role.SECTION_NEWS)
    for subject in (str(pid), number):
        answer = shared_api.admin.call("POST", path_of(subject), data={"preset_id": "a" * 24})
        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["preset_id"])
        assert shared_api.admin.call("POST", path_of(subject)).status_code == 400


def test_messengers_of_a_staff_user_are_kept(shared_api: Api) -> None:
    number, _ = shared_api.add_staff(Role.SECTION_NEWS)
    names = ("whatsapp", "telegram", "viber", "facebook", "wechat", "internal_telegram_username")
    given = {name: f"{name}-1" for name in names}
    shared_api.admin.post(f"/3.0/admin/user/{number}", **given)
    shown = shared_api.admin.get(f"/3.0/admin/user/{number}")["user"]
    assert {name: shown[name] for name in names} == given


def test_public_sign_in_answers_as_the_other_spelling(shared_api: Api) -> None:
    email = "pub@staff.example"
    named = {
        "email": email,
        "password": "sesame",
        "first_name": "P",
        "last_name": "Q",
        "roles[]": ["ROLE_SECTION_NEWS"],
    }
    shared_api.admin.post("/3.0/admin/user", **named)
    made = shared_api.admin.call("POST", "/3.1/pub-auth", data={"email": email, "password": "sesame"}).json()
    assert shared_api.admin.with_key(made["api_key"]).call("GET", "/3.1/user/me").status_code == 200
    assert shared_api.admin.call("POST", "/3.1/pub-auth", data={"email": email, "password": "x"}).status_code == 401
