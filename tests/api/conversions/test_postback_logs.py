"""The logs of inbound postbacks and of those to affiliates."""

from typing import Any

import pytest

from tests.api.conversions.edit_setup import PERIOD, ConversionEditSetup, world
from tests.support.client import ApiClient
from tests.support.models.events import NOON, new_click
from trackyard.analytics.load import load, lookup_item
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.rows import AffiliatePostbackLog, ServerPostbackLog, encode_row
from trackyard.journal.records import encode

__all__ = ["world"]

MISSING = "f" * 24
CUSTOM = tuple(f"custom_field_{number}" for number in range(1, 8))


def server_log(world: ConversionEditSetup, number: int, **fields: Any) -> None:
    """A record of a call of the first offer, as the projector loads it."""
    values: dict[str, Any] = {
        "id": f"{number:024x}", "revision": 1, "time": NOON + number, "click_id": f"{number:024x}", "conversion_id": "",
        "offer": world.offer, "affiliate": world.pid, "advertiser": world.advertiser, "goal": "1", "action_id": "",
        "status": 1, "method": "GET", "ip": "192.0.2.9", "ua": "curl/8", "query": "clickid=x&secure=***", "body": "",
        "response": "Broken clickid", "journal": "001-1", "position": number,
    }  # fmt: skip
    row = ServerPostbackLog(**values | fields)
    load(world.api.deps.analytics, "server_log", [encode_row(row)], f"log-{number}-{row.revision}")


SERVER_FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [3, 2, 1]),
    ({"offer": "offer"}, [2, 1]),
    ({"offer[]": ["offer", "77"]}, [3, 2, 1]),
    ({"partner": "88"}, [3]),
    ({"supplier": "a" * 24}, [3]),
    ({"action_id": "B"}, [2]),
    ({"click_id": f"{1:024x}"}, [1]),
    ({"goal": "9"}, [2]),
    ({"status": "2"}, [2]),
    ({"status": "pending"}, [2]),
    ({"status": "confirmed", "goal": "9"}, []),
    ({"status[]": ["1", "pending"]}, [3, 2, 1]),
    ({"goal": ["9", "none"]}, [2]),
    ({"action_id[]": ["B", "none"]}, [2]),
    ({"click_id[]": [f"{1:024X}", f"{2:024X}"]}, [2, 1]),
    ({"supplier": ["A" * 24, "b" * 24]}, [3]),
    ({"timezone": "Pacific/Auckland"}, [3, 2, 1]),
    ({"timezone": "Pacific/Auckland", "date_to": "2023-11-15"}, []),
    ({"limit": "1", "page": "2"}, [2]),
]


def test_server_postback_log_masks_secrets(world: ConversionEditSetup) -> None:
    server_log(world, 1, revision=0, response="waiting", offer=0, affiliate=0, advertiser="")
    server_log(world, 1)
    server_log(world, 2, goal="9", action_id="B", status=2, body='{"a": 1}')
    server_log(world, 3, offer=77, affiliate=88, advertiser="a" * 24)
    day = {"date_from": "2023-11-15", "date_to": "2023-11-16"}
    for params, numbers in SERVER_FILTERS:
        sent = {
            name: [
                str(world.offer) if item == "offer" else item for item in ([value] if isinstance(value, str) else value)
            ]
            for name, value in params.items()
        }
        body = world.api.admin.get("/3.1/stats/serverpostbacks", **day | sent)
        assert (params, [int(item["_id"]["$id"], 16) for item in body["postbacks"]]) == (params, numbers)
        if "limit" not in params:
            assert body["pagination"]["total_count"] == len(numbers)
    second, first = world.log(offer=world.offer)
    assert (first["response"], first["track"], first["_post"]) == ("Broken clickid", None, [])
    assert (first["get"], first["_get"]) == ("clickid=x&secure=***", {"clickid": "x", "secure": "***"})
    assert first["date"] == {"sec": NOON // 1000, "usec": 1000}
    assert second["_post"] == {"a": "1"}


def test_server_postback_log_shows_click(world: ConversionEditSetup) -> None:
    click = new_click(5, offer=world.offer, affiliate=world.pid, advertiser=world.advertiser, sub1="s")
    load(world.api.deps.analytics, "click_lookup", [lookup_item(encode(click))], "click-5")
    server_log(world, 1, click_id=click.id, conversion_id=world.first, response="")
    [record] = world.log()
    track = record["track"]
    assert (track["id"], track["sub1"], track["conversion_id"], track["uniq"]) == (click.id, "s", world.first, 1)
    assert track["partner"]["id"] == str(world.pid) and "@" in track["partner"]["email"]
    assert (track["offer"]["id"], track["offer_id"]) == (world.offer, str(world.offer))
    assert track["offer"]["url"] == "https://shop.example/"


def affiliate_log(world: ConversionEditSetup, number: int, **fields: Any) -> None:
    values: dict[str, Any] = {
        "id": f"{number:024x}", "time": NOON + number, "job_id": "9" * 24, "conversion_id": world.first,
        "postback_id": 4, "offer": world.offer, "affiliate": world.pid, "advertiser": world.advertiser, "goal": "1",
        "status": 1, "http_code": 200, "url": "https://a.example/?c=1", "attempt": number, "outcome": "sent",
        "error": "", "forced": 0, "version": 1,
    }  # fmt: skip
    row = AffiliatePostbackLog(**values | fields)
    load(world.api.deps.analytics, "affiliate_log", [encode_row(row)], f"call-{number}")


AFFILIATE_FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [3, 2, 1]),
    ({"offer": "77"}, [3]),
    ({"partner[]": ["88", "89"]}, [3]),
    ({"goal": "9"}, [2]),
    ({"http_code": "0"}, [2]),
    ({"http_code": "500"}, []),
    ({"status": "1"}, [3, 1]),
    ({"status": "declined"}, [2]),
    ({"status[]": ["1", "3"]}, [3, 2, 1]),
    ({"http_code[]": ["0", "500"]}, [2]),
    ({"http_code": ["0", "200"]}, [3, 2, 1]),
    ({"goal[]": ["9", "1"]}, [3, 2, 1]),
    ({"date_to": "2023-11-14"}, []),
    ({"limit": "2", "page": "2"}, [1]),
]


def test_affiliate_postback_log_lists_attempts(world: ConversionEditSetup) -> None:
    affiliate_log(world, 1)
    affiliate_log(world, 2, goal="9", http_code=0, outcome="failed", error="refused", status=4)
    affiliate_log(world, 3, offer=77, affiliate=88)
    for params, numbers in AFFILIATE_FILTERS:
        found = world.api.admin.get("/3.1/stats/affiliatepostbacks", **PERIOD | params)["postbacks"]
        assert (params, [item["attempt"] for item in found]) == (params, numbers)
    second, first = world.affiliate.get("/3.1/stats/affiliatepostbacks", **PERIOD)["postbacks"]
    assert (first["pid"], first["lead_id"], first["job_id"]) == (world.pid, world.first, "9" * 24)
    assert (first["postback_url"], first["http_code"], first["outcome"]) == ("https://a.example/?c=1", 200, "sent")
    assert (second["http_code"], second["error"], second["status"]) == (0, "refused", 3)
    assert [item["status"] for item in world.affiliate.get("/3.0/stats/affiliatepostbacks", **PERIOD)["postbacks"]] == [
        4, 1,
    ]  # fmt: skip


@pytest.mark.parametrize("log", ["serverpostbacks", "affiliatepostbacks"])
@pytest.mark.parametrize(
    ("version", "status", "answered"),
    [
        ("3.0", "nonsense", 400), ("3.1", "nonsense", 400), ("3.1", "0", 400), ("3.1", "6", 400),
        ("3.0", "pending_cap", 400), ("3.0", "not_found", 200), ("3.0", "4", 200), ("3.1", "not_found", 400),
        ("3.1", "4", 400), ("3.1", "declined", 200), ("3.1", "5", 200), ("3.1", "", 200),
    ],
)  # fmt: skip
def test_postback_log_status_filter_depends_on_version(
    world: ConversionEditSetup, log: str, version: str, status: str, answered: int
) -> None:
    response = world.api.admin.call("GET", f"/{version}/stats/{log}", params=PERIOD | {"status": status})
    assert response.status_code == answered
    assert answered == 200 or list(response.json()["fields"]) == ["status"]


def test_affiliate_postback_log_has_conversion_amounts_at_that_time(world: ConversionEditSetup) -> None:
    affiliate_log(world, 1)
    world.post("/3.1/admin/conversion/edit", ids=world.first, payouts="1.5", revenue="2.25", currency="USD")
    affiliate_log(world, 2, version=2)
    affiliate_log(world, 3, conversion_id="f" * 24)

    def amounts(client: ApiClient) -> list[tuple[Any, ...]]:
        found = client.get("/3.0/stats/affiliatepostbacks", **PERIOD)["postbacks"]
        return [(item["payouts"], item["revenue"], item["currency"]) for item in found]

    assert amounts(world.api.admin) == [(0, 0, 0), (1.5, 2.25, 840), (7, 10, 840)]
    assert amounts(world.affiliate) == [(0, 0, 0), (1.5, 1.5, 840), (7, 7, 840)]


def test_postback_logs_respect_caller_scope(world: ConversionEditSetup) -> None:
    server_log(world, 1)
    affiliate_log(world, 1)
    _, stranger = world.api.add_affiliate()
    assert stranger.get("/3.0/stats/affiliatepostbacks", **PERIOD, partner=world.pid)["postbacks"] == []
    assert world.affiliate.call("GET", "/3.0/stats/serverpostbacks", params=PERIOD).status_code == 403
    _, manager = world.api.add_staff(Role.MANAGER_SALES)
    assert manager.get("/3.0/stats/serverpostbacks", **PERIOD)["postbacks"] == []
    assert manager.get("/3.0/stats/affiliatepostbacks", **PERIOD)["postbacks"] == []
    _, reader = world.api.add_staff(Role.STATS_SERVER_POSTBACK)
    assert len(reader.get("/3.0/stats/serverpostbacks", **PERIOD)["postbacks"]) == 1
    assert reader.call("GET", "/3.0/stats/affiliatepostbacks", params=PERIOD).status_code == 403


def test_affiliate_postback_log_shows_own_postbacks_only(world: ConversionEditSetup) -> None:
    affiliate_log(world, 1)
    affiliate_log(world, 2, postback_id=0, url="https://cross.example/")
    path = "/3.1/stats/affiliatepostbacks"
    for client, numbers in ((world.api.admin, [2, 1]), (world.affiliate, [1])):
        body = client.get(path, **PERIOD)
        assert [item["attempt"] for item in body["postbacks"]] == numbers
        assert body["pagination"]["total_count"] == len(numbers)
