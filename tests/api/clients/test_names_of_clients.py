"""Names and forms of parameters that published clients send.

docs/compatibility.md#names-that-programs-send
"""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from tests.support.processes.mails import mails
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.people.roles import Role

STATUSES = {
    "0": "not active",
    "1": "active",
    "2": "banned",
    "3": "on moderation",
    "banned": "banned",
    "2,3": "banned, on moderation",
}
"""What the Go client documents for status_partner, the words of status, and several by a comma."""


def test_status_partner_selects_as_status_does(shared_api: Api) -> None:
    made = {}
    for status in AffiliateStatus:
        number, _ = shared_api.add_affiliate(status=status.value, tags="st")
        made[number] = status.value
    for sent, words in STATUSES.items():
        found = shared_api.admin.get("/3.0/admin/partners", tags="st", status_partner=sent)["partners"]
        wanted = {number for number, status in made.items() if status in words.split(", ")}
        assert (sent, {each["id"] for each in found}) == (sent, wanted)
    assert shared_api.admin.refusal("GET", "/3.0/admin/partners", params={"status_partner": "4"}) == (
        400,
        ["status_partner"],
    )


PAGES: list[tuple[str, dict[str, str], Any]] = [
    ("/3.0/admin/advertisers", {"page": "0"}, 200),
    ("/3.0/admin/partners", {"page": "0"}, 200),
    ("/3.0/offers", {"page": "0"}, 200),
    ("/3.0/stats/getbydate", {"page": "0", "filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}, 200),
    ("/3.0/admin/partners", {"limit": "0"}, (400, ["limit"])),
    ("/3.0/admin/partners", {"page": "-1"}, (400, ["page"])),
    ("/3.0/admin/partners", {"limit": "-1"}, (400, ["limit"])),
    ("/3.0/admin/partners", {"page": "0.5"}, (400, ["page"])),
]


def test_page_0_is_the_first_page(shared_api: Api) -> None:
    shared_api.add_affiliate()
    for path, sent, wanted in PAGES:
        if wanted == 200:
            assert shared_api.admin.get(path, **sent)["pagination"]["page"] == 1
        else:
            assert (path, sent, shared_api.admin.refusal("GET", path, params=sent)) == (path, sent, wanted)
    assert len(PAGES) == 8


def test_comma_list_of_a_filter_means_any_of_its_values(shared_api: Api) -> None:
    admin = shared_api.admin
    both = admin.get("/3.1/cities", **{"country[]": ["MT", "LI"]})["cities"]
    assert {each["country_code"] for each in both} == {"MT", "LI"}
    assert admin.get("/3.1/cities", country="MT,LI")["cities"] == both
    assert admin.refusal("GET", "/3.1/cities", params={"country": "MT,LIE"}) == (400, ["country"])
    first, _ = shared_api.add_affiliate()
    second, _ = shared_api.add_affiliate()
    found = admin.get("/3.0/admin/partners", id=f"{first},{second}")["partners"]
    assert {each["id"] for each in found} == {first, second}
    named = admin.get("/3.0/admin/partners", search=f"{first},{second}")["partners"]  # a text keeps its comma
    assert named == []


def test_import_takes_custom_fields_by_either_name(shared_api: Api) -> None:
    pid, _ = shared_api.add_affiliate()
    offer = shared_api.add_offer(status="active")
    given = {"offer": offer, "pid": pid, "custom_field1": "one", "custom_field_2": "two", "custom_field7": "seven"}
    answer = shared_api.admin.call("POST", "/3.0/admin/conversion/import", data=given)
    assert "x-ignored-parameters" not in answer.headers
    data = answer.json()["data"]
    assert [data[f"custom_field_{number}"] for number in (1, 2, 3, 7)] == ["one", "two", None, "seven"]
    both = shared_api.admin.call(
        "POST", "/3.0/admin/conversion/import", data=given | {"custom_field_1": "own", "action_id": "2"}
    )
    assert both.json()["data"]["custom_field_1"] == "own"
    assert both.headers["x-ignored-parameters"] == "custom_field1"
    listed = {f"list[0][{name}]": value for name, value in (given | {"action_id": "3"}).items()}
    several = shared_api.admin.post("/3.0/admin/conversions/import", **listed)
    assert several["data"]["list"][0]["custom_field_7"] == "seven"
    wrong = {**given, "custom_field1": "x" * 100_000}
    assert shared_api.admin.refusal("POST", "/3.0/admin/conversion/import", data=wrong) == (400, ["custom_field1"])


def test_currencies_and_smartlinks_are_narrowed(shared_api: Api) -> None:
    admin = shared_api.admin
    made = admin.post("/3.1/admin/currencies", code="SEK", rate="10.5", active="0")["currency"]
    every = admin.get("/3.0/admin/currency", extended=1)["quotes"]
    active = admin.get("/3.0/admin/currency", extended=1, get_only_active=1)["quotes"]
    assert [each for each in every if each not in active] == [made]
    first, second = (admin.post("/3.0/admin/smartlink/category", name=name)["data"]["_id"] for name in ("A", "B"))
    _, client = shared_api.add_affiliate()
    found = client.get("/3.0/partner/smartlink/categories", **{"id[]": [first.upper()]})["data"]
    assert [each["_id"] for each in found] == [first]
    assert {first, second} <= {each["_id"] for each in client.get("/3.0/partner/smartlink/categories")["data"]}


@pytest.mark.parametrize(("sent", "wanted"), [("0", 0), ("1", 1)])
def test_notify_mails_a_new_affiliate(api: Api, sent: str, wanted: int) -> None:
    api.add_affiliate(email="new@affiliate.example", notify=sent, login="newcomer")
    found = [each for each in mails(api) if each.recipient == "new@affiliate.example"]
    assert len(found) == wanted
    assert all("newcomer" in each.body and "/sign-in" in each.body for each in found)


REJECTED = {1: ("Android", "mobile"), 2: ("iOS", "mobile"), 3: ("Windows", "desktop")}
FILTERS: list[tuple[dict[str, str], int]] = [
    ({}, 3),
    ({"filter[os]": "Android"}, 1),
    ({"filter[device]": "mobile"}, 2),
    ({"filter[os][]": "Windows", "filter[device][]": "desktop"}, 1),
    ({"filter[os]": "Windows", "filter[device]": "mobile"}, 0),
]


def test_rejected_clicks_are_filtered_by_system_and_device(api: Api) -> None:
    clicks = [
        new_click(number, os=system, device=device, reason="bot") for number, (system, device) in REJECTED.items()
    ]
    load_clicks(api.deps, clicks)
    day = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    for sent, number in FILTERS:
        found = api.admin.get("/3.0/stats/getbytrafficback", **day | sent)["stats"]
        assert (sent, sum(int(row["trafficback"]) for row in found)) == (sent, number)


KPI = {"0,6": 0.6, "0.6": 0.6, "12,25": 12.25, "7": 7}


def test_kpi_takes_a_decimal_comma(shared_api: Api) -> None:
    given: dict[str, Any] = {
        "offers[]": [shared_api.add_offer()], "action_type": "block", "period": "day", "sub": "sub1",
        "goal1": "1", "goal2": "2", "notify_manager": 0, "affiliates[]": [shared_api.add_affiliate()[0]],
    }  # fmt: skip
    for sent, shown in KPI.items():
        assert (sent, shared_api.admin.post("/3.1/automation/kpi", **given, kpi=sent)["message"]["kpi"]) == (
            sent,
            shown,
        )
    for sent in ("1,234", "0,6,1", ",", "six"):
        assert shared_api.admin.refusal("POST", "/3.1/automation/kpi", data={**given, "kpi": sent}) == (400, ["kpi"])


def tree(exceptions: Any, level: str = "read") -> dict[str, Any]:
    """Return levels of a staff user, as a program sends back what it read."""
    return {"permissions": {"users": {"entity-advertiser": {"level": level, "exceptions": exceptions}}}}


EXCEPTIONS: list[tuple[Any, Any]] = [
    ({"strings": []}, 200),
    ({"ints": []}, 200),
    ({}, 200),
    ([], 200),
    ({"strings": ["5f0000000000000000000001"]}, "permissions[users][entity-advertiser][exceptions][strings][0]"),
    ({"ints": [1]}, "permissions[users][entity-advertiser][exceptions][ints][0]"),
    ({"ints": [1], "strings": []}, "permissions[users][entity-advertiser][exceptions][ints][0]"),
]


@pytest.mark.parametrize("path", ["/3.1/user/STAFF/permissions", "/3.1/presets"])
def test_exceptions_of_permissions_are_empty_or_refused(shared_api: Api, path: str) -> None:
    number, _ = shared_api.add_staff(Role.MANAGER_SALES)
    path = path.replace("STAFF", number)
    for exceptions, wanted in EXCEPTIONS:
        sent = tree(exceptions) | ({"name": "P"} if "presets" in path else {})
        answer = shared_api.admin.call("POST", path, json=sent)
        if wanted == 200:
            assert (exceptions, answer.status_code, answer.headers.get("x-ignored-parameters")) == (
                exceptions,
                200,
                None,
            )
            body = answer.json().get("preset") or answer.json()["permissions"]
            assert body["permissions"]["users"]["entity-advertiser"]["exceptions"] == {"strings": []}
        else:
            assert (answer.status_code, list(answer.json()["fields"])) == (400, [wanted])
    assert len(EXCEPTIONS) == 7


@pytest.mark.parametrize("name", ["affise-checker", "checker"])
def test_checker_is_read_and_shown_by_the_name_of_clients(shared_api: Api, name: str) -> None:
    number, client = shared_api.add_affiliate()
    sent = {"permissions": {"automation": {name: {"level": "write"}}}}
    answer = shared_api.admin.call("POST", f"/3.1/user/{number}/permissions", json=sent).json()["permissions"]
    assert answer["permissions"]["automation"] == {"affise-checker": {"level": "write", "default_level": "deny"}}
    assert client.get("/3.1/partner/me")["user"]["permissions"]["automation"] == answer["permissions"]["automation"]
    preset = shared_api.admin.call("POST", "/3.1/presets", json=sent | {"name": "C"}).json()["preset"]
    assert preset["permissions"]["automation"] == {"affise-checker": {"level": "write"}}
