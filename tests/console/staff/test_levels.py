"""Levels of permissions of staff users, and presets of them."""

from typing import Any

from tests.console.test_list_files import read_file
from tests.support.api import Api
from tests.support.page_forms import read_form, send
from tests.support.pages import staff_visitor
from trackyard.console.staff.accounts.level_words import SECTIONS
from trackyard.domain.people.permissions import FEATURES
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff_permissions import WITHOUT_EFFECT

PRESETS = "/console/staff/presets"
CLICKS = "permissions[stats][clicks-list][level]"
CONVERSIONS = "permissions[stats][conversions-list][level]"
AFFILIATES = "permissions[users][entity-affiliate][level]"


DAY = {"date_from": "2023-11-01", "date_to": "2023-11-02"}


def tree_of(api: Api, number: str) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = api.admin.get(f"/3.1/admin/user/{number}")["user"]["permissions"]
    return found


def presets_of(api: Api) -> list[Any]:
    found: list[Any] = api.admin.get("/3.1/presets")["presets"]
    return found


def test_every_feature_with_an_effect_for_staff_has_words() -> None:
    assert {name for each in SECTIONS for name in each.features} == FEATURES.keys() - WITHOUT_EFFECT


def test_levels_of_a_staff_user_are_changed_and_removed(api: Api) -> None:
    number, client = api.add_staff(Role.SECTION_PARTNER, Role.SECTION_STATS)
    staff, path = staff_visitor(api), f"/console/staff/{number}"
    assert "Levels of permissions as the roles give" in staff.read(path).text
    form = read_form(staff, f"{path}/levels")
    assert form.value(CLICKS) == "default" and "permissions[general][settings][level]" not in form.names
    assert "permissions[stats][conversions-import][level]" not in form.names  # the roles do not give it
    before = tree_of(api, number)
    shown = send(staff, f"{path}/levels", form, "preview", **{CLICKS: "deny"})
    assert "As the roles give: Only read" in shown.text and tree_of(api, number) == before
    assert client.call("GET", "/3.0/stats/clicks", params=DAY).status_code == 200
    assert send(staff, f"{path}/levels", form, **{CLICKS: "deny", AFFILIATES: "read"}).headers["location"] == path
    assert client.refusal("GET", "/3.0/stats/clicks", params=DAY) == (403, "stats.clicks")
    page = staff.read(path).text
    assert "2 features are narrowed" in page and "Affiliates Only read the roles give: Read and write" in page
    assert "Clicks Denied the roles give: Only read" in page and "Import of conversions not given by the roles" in page
    log = staff.read(f"/console/audit-log?what=staff&key={number}").text
    assert "clicks-list" in log and staff.login in log
    form = read_form(staff, f"{path}/levels")
    assert (form.value(CLICKS), form.value(AFFILIATES)) == ("deny", "read")
    assert send(staff, f"{path}/levels", form, **{CLICKS: "default"}).status_code == 303
    assert "1 feature is narrowed" in staff.read(path).text


def test_administrators_and_others_have_no_form_of_levels(api: Api) -> None:
    staff, manager = staff_visitor(api), staff_visitor(api, Role.MANAGER_SALES)
    number, _ = api.add_staff(Role.ADMIN)
    assert "Levels of permissions" not in staff.read(f"/console/staff/{number}").text
    assert staff.get(f"/console/staff/{number}/levels").headers["location"] == f"/console/staff/{number}"
    assert "administrators have everything" in staff.read(f"/console/staff/{number}").text
    for path in (PRESETS, f"{PRESETS}/new", f"/console/staff/{number}/levels"):
        assert manager.get(path).status_code == 403


def test_preset_is_made_changed_applied_and_removed(api: Api) -> None:
    number, client = api.add_staff(Role.SECTION_PARTNER, Role.SECTION_STATS)
    staff, path = staff_visitor(api), f"/console/staff/{number}"
    assert PRESETS in staff.read("/console/staff").links and "There is no preset yet" in staff.read(PRESETS).text
    form = read_form(staff, f"{PRESETS}/new")
    refused = send(staff, f"{PRESETS}/new", form, name="=Readers")
    assert refused.status_code == 400 and presets_of(api) == []
    typed = {"name": "=Readers", "type": "affiliate_manager", CLICKS: "deny", AFFILIATES: "read"}
    assert send(staff, f"{PRESETS}/new", form, **typed).headers["location"] == PRESETS
    [made] = presets_of(api)
    assert (made["type"], made["permissions"]["users"]["entity-affiliate"]["level"]) == (
        "affiliate_manager",
        "read",
    )
    page = staff.read(PRESETS).text
    assert "=Readers Affiliate managers Clicks Affiliates" in page
    assert read_file(staff, f"{PRESETS}?format=csv&fields=all")[0]["permissions.stats.clicks-list.level"] == "deny"
    assert staff.post(f"{path}/preset", preset=made["id"]).headers["location"] == path
    assert "2 features are narrowed" in staff.read(path).text
    assert client.refusal("GET", "/3.0/stats/clicks", params=DAY) == (403, "stats.clicks")
    edit = f"{PRESETS}/{made['id']}/edit"
    assert edit in staff.read(PRESETS).links
    form = read_form(staff, edit)
    assert (form.value("name"), form.value(CLICKS), form.value(CONVERSIONS)) == ("=Readers", "deny", "")
    assert send(staff, edit, form, **{CLICKS: ""}).status_code == 303
    [changed] = presets_of(api)
    assert changed["permissions"]["stats"] == {} and changed["name"] == "=Readers"
    assert tree_of(api, number)["stats"]["clicks-list"]["level"] == "deny"
    assert "Remove the preset =Readers?" in staff.read(f"{PRESETS}/{made['id']}/remove").text
    assert staff.post(f"{PRESETS}/{made['id']}/remove").headers["location"] == PRESETS
    assert presets_of(api) == [] and staff.get(edit).status_code == 404
    staff.post(f"{path}/preset", preset=made["id"])
    assert "Nothing was changed" in staff.read(path).text


def test_levels_of_a_preset_without_a_field_stay(api: Api) -> None:
    sent = {"permissions[users][view-users][level]": "deny", CLICKS: "deny"}
    made = api.admin.post("/3.1/presets", name="Whole", **sent)["preset"]
    edit, staff = f"{PRESETS}/{made['id']}/edit", staff_visitor(api)
    assert send(staff, edit, read_form(staff, edit), name="All").status_code == 303
    [changed] = presets_of(api)
    assert (changed["name"], changed["permissions"]) == ("All", made["permissions"])
