"""Edits and imports of conversions, and the history."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.api.conversions.edit_setup import PERIOD, ConversionEditSetup, world
from tests.support.models.events import NOON, new_click
from tests.support.models.history import load_clicks
from trackyard.domain.people.roles import Role
from trackyard.store.tables import conversion

__all__ = ["world"]

MISSING = "f" * 24
CUSTOM = tuple(f"custom_field_{number}" for number in range(1, 8))


def test_conversion_edit_is_queued_and_applied(world: ConversionEditSetup) -> None:
    body = world.api.admin.post(
        "/3.0/admin/conversion/edit", **{"ids[]": world.first}, status="declined", payouts="1.5", revenue=3
    )
    assert body["data"] == {"ids": [world.first], "status": "declined", "currency": None, "payouts": 1.5, "revenue": 3}
    assert "few minutes" in body["message"]
    assert world.queued() == 1
    assert world.conversions()[world.first]["status"] == "confirmed"
    world.settle()
    after = world.conversions()[world.first]
    assert (after["status"], after["payouts"], after["revenue"], after["earnings"]) == ("declined", 1.5, 3, 1.5)
    assert world.conversions()[world.second]["status"] == "confirmed"
    assert world.queued() == 0
    days = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    [row] = world.api.admin.get("/3.1/stats/getbydate", **days)["stats"]
    assert (row["actions"]["declined"]["count"], row["actions"]["total"]["payouts"]) == (1, 8.5)


def test_conversion_edit_changes_and_removes_custom_fields(world: ConversionEditSetup) -> None:
    path = "/3.0/admin/conversion/edit"
    world.post(path, **{"ids[]": world.first}, custom_field_1="red", custom_field_15="last")
    with world.api.deps.database.read() as conn:
        fields = conn.execute(select(conversion.c.custom_fields).where(conversion.c.id == world.first)).scalar_one()
    assert fields == {"1": "red", "15": "last"}
    assert world.conversions()[world.first]["custom_field_1"] == "red"
    world.post(path, **{"ids[]": world.first}, custom_field_1="", status="declined")
    after = world.conversions()[world.first]
    assert (after["custom_field_1"] or "", after["status"]) == ("", "declined")
    assert world.conversions()[world.second]["status"] == "confirmed"


def test_conversion_edit_by_advertiser_changes_only_its_own(world: ConversionEditSetup) -> None:
    other = world.api.add_advertiser()
    path, sent = "/3.0/admin/conversion/edit-by-advertiser", {"ids[]": world.first, "status": "declined"}
    for advertiser in (other, MISSING):
        refused = world.api.admin.call("POST", path, data=sent | {"advertiser_id": advertiser})
        fields = {"ids[0]": [f"There is no conversion {world.first}."]}
        assert (refused.status_code, refused.json()["fields"]) == (400, fields)
    many = {"ids[]": [f"{number:024x}" for number in range(2001)], "advertiser_id": other}
    too_many = world.api.admin.call("POST", path, data=many)
    assert (too_many.status_code, list(too_many.json()["fields"])) == (400, ["ids"])
    assert world.queued() == 0
    body = world.post(path, **sent, advertiser_id=world.advertiser)
    assert body["data"]["ids"] == [world.first]
    assert world.conversions()[world.first]["status"] == "declined"
    assert world.conversions()[world.second]["status"] == "confirmed"


ALL = {"all": 1, "params[date_from]": "2023-11-14", "params[date_to]": "2023-11-15", "status": "declined"}


def test_conversion_edit_of_all_changes_what_filters_select(world: ConversionEditSetup) -> None:
    path = "/3.1/admin/conversion/edit"
    body = world.post(path, **ALL, **{"params[action_id]": "A2", "params[status]": 1})
    assert body["data"]["ids"] == [world.second]
    assert {each: row["status"] for each, row in world.conversions().items()} == {
        world.first: "confirmed",
        world.second: "declined",
    }
    again = world.api.admin.call("POST", path, data=ALL | {"params[action_id]": "A2", "params[status]": 1})
    assert (again.status_code, again.json()["fields"]) == (400, {"params": ["No conversion matches these filters."]})
    assert world.post(path, **ALL | {"status": "pending"})["data"]["ids"] == [world.first, world.second]
    assert {row["status"] for row in world.conversions().values()} == {"pending"}


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"params[offers]": 1}, {"params": ["These filters do not exist: offers. Nothing was changed."]}),
        ({"all": 0}, {"all": ["Send all=1 with params: the filters select conversions to change only then."]}),
        ({"ids[]": MISSING}, {"all": ["Send either ids or all=1."]}),
        ({"params[date_to]": ""}, {"params[date_to]": ["This value is required."]}),
        ({"params[date_to]": "2023-11-01"}, {"params[date_to]": ["This day must not lie before the first."]}),
    ],
)
def test_conversion_edit_of_all_without_clear_filters_changes_nothing(
    world: ConversionEditSetup, changed: dict[str, Any], fields: dict[str, Any]
) -> None:
    refused = world.api.admin.call("POST", "/3.1/admin/conversion/edit", data=ALL | changed)
    assert (refused.status_code, refused.json()["fields"]) == (400, fields)
    bare = world.api.admin.call("POST", "/3.1/admin/conversion/edit", data={"all": 1, "status": "declined"})
    assert set(bare.json()["fields"]) == {"params[date_from]", "params[date_to]"}
    assert world.queued() == 0


def test_conversion_edit_of_all_by_sales_manager_covers_own_advertisers(world: ConversionEditSetup) -> None:
    manager, client = world.api.add_staff(Role.MANAGER_SALES)
    refused = client.call("POST", "/3.1/admin/conversion/edit", data=ALL)
    assert refused.json()["fields"] == {"params": ["No conversion matches these filters."]}
    world.api.admin.post(f"/3.0/admin/advertiser/{world.advertiser}", manager=manager)
    assert client.post("/3.1/admin/conversion/edit", **ALL)["data"]["ids"] == [world.first, world.second]


NAMES: list[tuple[dict[str, Any], set[str]]] = [
    ({"ids[]": ["first", "second"]}, {"first", "second"}),
    ({"action_ids[]": "A2"}, {"second"}),
    ({"action_ids[]": " A2 "}, {"second"}),  # as its sender writes it
    ({"clickids[]": "click1"}, {"first"}),
    ({"ids": "first", "action_ids": "A2"}, {"first", "second"}),
]


@pytest.mark.parametrize(("named", "meant"), NAMES)
def test_conversion_edit_finds_conversions_by_any_id(
    world: ConversionEditSetup, named: dict[str, Any], meant: set[str]
) -> None:
    ids = {"first": world.first, "second": world.second, "click1": world.conversions()[world.first]["clickid"]}
    sent = {
        name: [ids.get(value, value) for value in values] if isinstance(values, list) else ids.get(values, values)
        for name, values in named.items()
    }
    world.post("/3.1/admin/conversion/edit", **sent, comment="by hand")
    changed = {name for name in ("first", "second") if world.conversions()[ids[name]]["comment"] == "by hand"}
    assert changed == meant


REFUSED_EDITS: list[tuple[dict[str, Any], str]] = [
    ({"status": "declined"}, "ids"),
    ({"ids": "", "status": "declined"}, "ids"),
    ({"ids[]": MISSING}, "ids[0]"),
    ({"action_ids[]": ["A1", "B"]}, "action_ids[1]"),
    ({"action_ids[]": ["A1", ""]}, "action_ids[1]"),
    ({"clickids": MISSING}, "clickids[0]"),
    ({"action_ids": "A1", "status": "pending_cap"}, "status"),
    ({"action_ids": "A1", "payouts": "-1"}, "payouts"),
    ({"action_ids": "A1", "currency": "XXX"}, "currency"),
]


@pytest.mark.parametrize(("params", "name"), REFUSED_EDITS)
def test_conversion_edit_with_invalid_value_is_rejected(
    world: ConversionEditSetup, params: dict[str, Any], name: str
) -> None:
    assert world.api.admin.refusal("POST", "/3.1/admin/conversion/edit", data=params) == (400, [name])
    assert world.queued() == 0


def test_conversion_import_creates_conversion_and_click(world: ConversionEditSetup) -> None:
    body = world.post(
        "/3.0/admin/conversion/import", offer=world.offer, pid=world.pid, ip="2a02:8108::1", action_id="I1", goal=1
    )
    nothing = dict.fromkeys(("ua", "sum", "status", "comment", "click_id", *CUSTOM))
    echo = {"offer": world.offer, "pid": world.pid, "action_id": "I1", "goal": 1, "ip": "2a02:8108::1"}
    assert body["data"] == echo | nothing
    [made] = [item for item in world.conversions().values() if item["action_id"] == "I1"]
    assert (made["status"], made["payouts"], made["revenue"], made["country"]) == ("confirmed", 7, 10, "DE")
    assert made["created_at"] == "2023-11-14 22:13:20"
    assert [click["id"] for click in world.api.admin.get("/3.0/stats/clicks", **PERIOD)["clicks"]] == []
    assert made["clickid"][8:10] == "ff"


def test_conversion_import_errors_use_sent_list_indexes(world: ConversionEditSetup) -> None:
    items = {"list[3][offer]": world.offer, "list[3][pid]": 999, "list[12][offer]": 999, "list[12][pid]": world.pid}
    refused = world.api.admin.call("POST", "/3.0/admin/conversions/import", data=items)
    assert list(refused.json()["fields"]) == ["list[3][pid]", "list[12][offer]"]
    refused = world.api.admin.call("POST", "/3.0/admin/conversions/import", data=items | {"list[12][sum]": "x"})
    assert list(refused.json()["fields"]) == ["list[12][sum]"]


def test_conversion_import_with_click_takes_its_dimensions(world: ConversionEditSetup) -> None:
    own = {"offer": world.offer, "affiliate": world.pid, "advertiser": "e" * 24}
    click = new_click(
        7, **own, time=NOON - 3_600_000, country="NP", os="iOS", sub1="s1", sub8="s8", ip="192.0.2.7", landing=2
    )
    load_clicks(world.api.deps, [click])
    given = {"offer": world.offer, "pid": world.pid, "click_id": click.id.upper(), "ip": "217.0.0.1"}
    custom = {name: f"x{name[-1]}" for name in CUSTOM}
    body = world.post("/3.0/admin/conversion/import", **given | custom)
    assert {name: body["data"][name] for name in ("click_id", *CUSTOM)} == {"click_id": click.id} | custom
    [made] = [item for item in world.conversions().values() if item["clickid"] == click.id]
    assert (made["clickid"], made["country"], made["os"], made["sub1"]) == (click.id, "NP", "iOS", "s1")
    assert (made["sub8"], made["ip"], made["click_time"]) == ("s8", "192.0.2.7", "2023-11-15 11:00:00")
    assert (made["landing_id"], made["supplier_id"]) == (2, "e" * 24)
    assert {name: made[name] for name in CUSTOM} == custom
    assert (made["created_at"], made["payouts"]) == ("2023-11-14 22:13:20", 7)
    [listed] = world.api.admin.get("/3.1/stats/clicks", **PERIOD)["clicks"]
    assert listed["conversion_id"] == made["id"]
    [record] = world.log(click_id=click.id)
    assert (record["_get"]["click_id"], record["_get"]["custom_field_7"]) == (click.id, "x7")
    assert "click" not in record["_get"] and record["track"]["sub1"] == "s1"


def test_conversion_import_for_converted_click_is_rejected_in_log(world: ConversionEditSetup) -> None:
    given = {"offer": world.offer, "pid": world.pid}
    click = new_click(7, offer=world.offer, affiliate=world.pid)
    load_clicks(world.api.deps, [click])
    items = {f"list[{place}][{name}]": value for place in (0, 1) for name, value in given.items()}
    clicks = {f"list[{place}][click_id]": click.id for place in (0, 1)}
    world.post("/3.1/admin/conversions/import", **items, **clicks, **{"list[0][custom_field_2]": "b"})
    made = [item for item in world.conversions().values() if item["clickid"] == click.id]
    assert [item["custom_field_2"] for item in made] == ["b"]
    assert sorted(item["response"] for item in world.log(click_id=click.id)) == ["", "Conversion exists"]
    world.post("/3.1/admin/conversion/import", **given, click_id=click.id, action_id="again")
    assert len([item for item in world.conversions().values() if item["clickid"] == click.id]) == 2


def test_conversion_import_with_imported_click_takes_its_dimensions(world: ConversionEditSetup) -> None:
    given = {"offer": world.offer, "pid": world.pid}
    world.post("/3.1/admin/conversion/import", **given, ip="2a02:8108::1", action_id="I1")
    [made] = [item for item in world.conversions().values() if item["action_id"] == "I1"]
    world.post("/3.1/admin/conversion/import", **given, click_id=made["clickid"], action_id="I2")
    [again] = [item for item in world.conversions().values() if item["action_id"] == "I2"]
    assert (again["clickid"], again["country"]) == (made["clickid"], "DE")


def test_conversion_import_with_mismatched_click_is_rejected(world: ConversionEditSetup) -> None:
    other = world.api.add_offer(advertiser=world.advertiser)
    pid, _ = world.api.add_affiliate()
    own = {"offer": world.offer, "affiliate": world.pid}
    load_clicks(world.api.deps, [new_click(7, **own), new_click(8, **own, reason="bot")])
    accepted, rejected = new_click(7).id, new_click(8).id
    cases = (
        (world.offer, world.pid, MISSING), (other, world.pid, accepted), (world.offer, pid, accepted),
        (world.offer, world.pid, rejected), (world.offer, world.pid, "x"),
    )  # fmt: skip
    for offer, affiliate, click_id in cases:
        sent = {"offer": offer, "pid": affiliate, "click_id": click_id}
        assert world.api.admin.refusal("POST", "/3.1/admin/conversion/import", data=sent) == (400, ["click_id"])
        listed = {f"list[2][{name}]": value for name, value in sent.items()}
        refused = world.api.admin.call("POST", "/3.1/admin/conversions/import", data=listed)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["list[2][click_id]"])
    assert world.queued() == 0


def test_conversion_imports_are_all_or_nothing(world: ConversionEditSetup) -> None:
    items = {"list[0][offer]": world.offer, "list[0][pid]": world.pid, "list[0][status]": "pending_cap"}
    more = {"list[1][offer]": world.offer, "list[1][pid]": 999, "list[2][offer]": 999, "list[2][pid]": world.pid}
    refused = world.api.admin.call("POST", "/3.0/admin/conversions/import", data=items | more)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["list[1][pid]", "list[2][offer]"])
    assert world.queued() == 0
    more = {"list[1][offer]": world.offer, "list[1][pid]": world.pid, "list[1][action_id]": "I2"}
    body = world.post("/3.0/admin/conversions/import", **items | more)
    assert [item["action_id"] for item in body["data"]["list"]] == [None, "I2"]
    made = [item for item in world.conversions().values() if item["id"] not in (world.first, world.second)]
    assert sorted(item["status"] for item in made) == ["confirmed", "pending"]


REFUSED_IMPORTS: list[tuple[dict[str, Any], str]] = [
    ({"ip": "1.2.3"}, "ip"),
    ({"sum": "-1"}, "sum"),
    ({"goal": "x"}, "goal"),
    ({"status": "waiting"}, "status"),
    ({"pid": "999"}, "pid"),
    ({"offer": ""}, "offer"),
]


@pytest.mark.parametrize(("params", "name"), REFUSED_IMPORTS)
def test_conversion_import_with_invalid_value_is_rejected(
    world: ConversionEditSetup, params: dict[str, Any], name: str
) -> None:
    given = {"offer": world.offer, "pid": world.pid}
    assert world.api.admin.refusal("POST", "/3.1/admin/conversion/import", data=given | params) == (400, [name])
    assert world.queued() == 0


def test_conversion_edits_and_imports_need_conversions_write_permission(world: ConversionEditSetup) -> None:
    readers = (Role.MANAGER_AFFILIATE, Role.SECTION_STATS, Role.STATS_CONVERSION)
    clients = [world.api.add_staff(role)[1] for role in readers]
    for path in ("conversion/edit", "conversion/import", "conversions/import"):
        for client in clients:
            refused = client.call("POST", f"/3.1/admin/{path}", data={"ids": world.first, "comment": "x"})
            assert (refused.status_code, refused.json()["code"]) == (403, "conversions.write")
        assert world.affiliate.call("POST", f"/3.1/admin/{path}").status_code == 403
    assert world.queued() == 0


def test_conversions_are_readable_by_statistics_roles(world: ConversionEditSetup) -> None:
    for role in (Role.SECTION_STATS, Role.STATS_CONVERSION):
        _, reader = world.api.add_staff(role)
        assert len(reader.get("/3.0/stats/conversions", **PERIOD)["conversions"]) == 2
        assert reader.get("/3.1/stats/conversionsbyid", id=world.first)["conversion"]["id"] == world.first


def test_conversion_edits_by_sales_manager_cover_own_advertisers_only(world: ConversionEditSetup) -> None:
    manager, client = world.api.add_staff(Role.MANAGER_SALES)
    edit = {"ids": world.first, "comment": "x"}
    assert client.refusal("POST", "/3.1/admin/conversion/edit", data=edit) == (400, ["ids[0]"])
    refused = client.call("POST", "/3.1/admin/conversion/import", data={"offer": world.offer, "pid": world.pid})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["offer"])
    world.api.admin.post(f"/3.0/admin/advertiser/{world.advertiser}", manager=manager)
    assert client.post("/3.1/admin/conversion/edit", **edit)["data"]["ids"] == [world.first]
    client.post("/3.1/admin/conversion/import", offer=world.offer, pid=world.pid, action_id="M1")
    world.settle()
    assert world.conversions()[world.first]["comment"] == "x"
    assert "M1" in {item["action_id"] for item in world.conversions().values()}


def test_conversion_log_shows_outcome_of_each_request(world: ConversionEditSetup) -> None:
    world.post("/3.0/admin/conversion/import", offer=world.offer, pid=world.pid, action_id="A3", ua="x")
    world.post("/3.0/admin/conversion/import", offer=world.offer, pid=world.pid, action_id="A3", status="pending")
    world.post("/3.0/admin/conversion/edit", action_ids="A3", status="hold")
    found = world.log()
    assert sorted(item["response"] for item in found) == ["", "", "Conversion exists"]
    [exists] = [item for item in found if item["response"]]
    assert exists["_get"]["by"].startswith("staff:") and exists["_get"]["action_id"] == "A3"
    assert '"REQUEST_METHOD": "IMPORT"' in exists["server"]
    made = next(item for item in world.conversions().values() if item["action_id"] == "A3")
    tracks = [item["track"] for item in world.log(action_id="A3")]
    assert {track["conversion_id"] for track in tracks} == {made["id"]}
    assert {(track["ua"], track["offer"]["title"], track["partner"]["id"]) for track in tracks} == {
        ("x", "Shoes", str(world.pid))
    }
    assert [item["_get"]["status"] for item in world.log(action_id="A3", status="hold")] == ["hold"]


def test_conversion_history_lists_each_change(world: ConversionEditSetup) -> None:
    world.api.clock.advance(86_400_000)
    staff, clerk = world.api.add_staff(Role.ADMIN)
    clerk.post("/3.1/admin/conversion/edit", ids=world.first, status="declined", comment="fraud", revenue="2.5")
    world.settle()
    path = f"/3.1/stats/conversion/{world.first}/history"
    body = world.api.admin.get(path)
    first, second = body["history"]
    assert (first["version"], first["status"], first["payouts"], first["revenue"]) == (1, "confirmed", 7, 10)
    assert second == {
        "version": 2, "created_at": "2023-11-15 22:13:20", "by": f"staff:{staff}", "status": "declined",
        "currency": "USD", "revenue": 2.5, "payouts": 7, "comment": "fraud",
    }  # fmt: skip
    assert [item["version"] for item in world.api.admin.get(path, limit=1, page=2)["history"]] == [2]
    _, client = world.api.add_staff(Role.MANAGER_AFFILIATE)
    assert client.call("GET", path).status_code == 404
    assert world.affiliate.call("GET", path).status_code == 403
