"""Trying a postback out: one call is made, its answer is shown, and nothing else happens."""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.outbound.interactive import OnDemandClient
from trackyard.outbound.results import signature
from trackyard.store.people.affiliates import find_affiliate
from trackyard.store.tracking import deliveries

PATH = "/3.1/partner/postback/test"
MACROS = [
    "clickid",
    "transactionid",
    "action_id",
    "offerid",
    "offer_id",
    "offer_name",
    "pid",
    "status",
    "status_name",
    "sum",
    "order_sum",
    "currency",
    "goal",
    "goal_name",
    "ip",
    "geo",
    "city",
    "os",
    "device_type",
    "uagent",
    "referrer",
    "sub1",
    "sub8",
    "custom_field1",
    "custom_field7",
    "date",
    "time",
    "date_only",
    "click_date",
    "timestamp",
    "comment",
    "ref_id",
    "os_id",
    "ext1",
    "ext3",
    "user_id",
    "promo_code",
    "rand",
]


@pytest.fixture
def target() -> Iterator[Receiver]:
    """A receiver with different answers by path."""

    def reply(request: ReceivedRequest) -> Reply:
        if request.path.startswith("/moved"):
            return Reply(302, b"", {"Location": "/elsewhere"})
        return Reply(500, b"out of \xff order") if request.path.startswith("/broken") else Reply(200, b"thanks")

    with Receiver(reply) as receiver:
        yield receiver


@pytest.fixture
def affiliate(api: Api) -> tuple[int, ApiClient]:
    """An affiliate of an installation that may call the loopback, where receivers of tests listen."""
    given = {"email": "a@affiliate.example", "password": "long-enough"}
    made = api.admin.post("/3.0/admin/partner", **given)["partner"]
    return made["id"], calling(api, made["api_key"])


def calling(api: Api, key: str) -> ApiClient:
    deps = replace(api.deps, trials=OnDemandClient([ip_network("127.0.0.0/8")]))
    return ApiClient(build(deps), CATALOGUE, key)


def test_postback_trial_sends_one_request_and_shows_response(
    api: Api, affiliate: tuple[int, ApiClient], target: Receiver
) -> None:
    pid, client = affiliate
    offer = api.add_offer(title="Shoes & more")
    url = target.url("/call?o={offer_id}&t={offer_name}&p={pid}&s={status_name}&g={goal}&x={unknown}")
    body = client.post(PATH, url=url, offer_id=offer, goal="2", status="hold")
    [call] = target.requests()
    assert call.query == {
        "o": str(offer), "t": "Shoes & more", "p": str(pid), "s": "hold", "g": "2", "x": "{unknown}",
    }  # fmt: skip
    assert body["test"] == {"url": target.url(call.path), "http_code": 200, "body": "thanks", "error": ""}
    with api.deps.database.read() as conn:
        found = find_affiliate(conn, Scope.everything(), pid)
        assert not deliveries.has_due(conn, 2**60)
    assert found is not None
    signed = signature(found.postback_secret, api.clock.now_ms() // 1000, body["test"]["url"])
    assert call.headers["x-trackyard-signature"] == signed
    assert call.headers["x-trackyard-test"] == "1"
    assert len(call.headers["x-trackyard-delivery"]) == 24
    assert api.admin.get("/3.0/admin/postbacks", partner_id=pid)["postbacks"] == []


def test_postback_trial_fills_every_macro(affiliate: tuple[int, ApiClient], target: Receiver) -> None:
    _, client = affiliate
    client.post(PATH, url=target.url("/?" + "&".join(f"{name}={{{name}}}" for name in MACROS)))
    [call] = target.requests()
    assert set(call.query) == set(MACROS)
    assert {name for name, value in call.query.items() if not value or "{" in value} == {"offer_name"}
    assert (call.query["status_name"], call.query["status"], call.query["goal"]) == ("confirmed", "1", "1")
    assert (call.query["offer_id"], call.query["currency"], call.query["sum"]) == ("0", "USD", "1")


@pytest.mark.parametrize(("version", "status", "called"), [
    ("3.0", "not_found", "not_found"), ("3.1", "not_found", "declined"), ("3.1", "by_creating", "confirmed"),
])  # fmt: skip
def test_postback_trial_status_names_depend_on_version(
    affiliate: tuple[int, ApiClient], target: Receiver, version: str, status: str, called: str
) -> None:
    _, client = affiliate
    client.post(f"/{version}/partner/postback/test", url=target.url("/?s={status_name}"), status=status)
    [call] = target.requests()
    assert call.query == {"s": called}


def test_postback_trial_shows_connection_errors(affiliate: tuple[int, ApiClient], target: Receiver) -> None:
    _, client = affiliate
    broken = client.post(PATH, url=target.url("/broken"))["test"]
    assert (broken["http_code"], broken["body"]) == (500, "out of \ufffd order")
    assert client.post(PATH, url=target.url("/moved"))["test"]["http_code"] == 302
    assert [request.path for request in target.requests()] == ["/broken", "/moved"]
    unreachable = client.post(PATH, url="http://10.0.0.1/")["test"]
    assert (unreachable["http_code"], unreachable["body"]) == (0, "")
    assert "may be called" in unreachable["error"]


def test_postback_trial_does_not_reach_private_addresses(api: Api, target: Receiver) -> None:
    _, client = api.add_affiliate()
    assert client.post(PATH, url=target.url("/"))["test"]["http_code"] == 0
    assert target.requests() == []


def test_postback_trial_by_staff_needs_own_affiliate_id(api: Api, target: Receiver) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    (own, _), (foreign, _) = api.add_affiliate(manager_id=manager), api.add_affiliate()
    for params in ({}, {"pid": foreign}, {"pid": 999}):
        refused = client.call("POST", PATH, data={"url": target.url("/")} | params)
        assert (refused.status_code, refused.json()["fields"].keys()) == (400, {"pid"})
    assert client.post(PATH, url=target.url("/"), pid=own)["status"] == 1


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({}, {"url"}),
        ({"url": "ftp://a.example"}, {"url"}),
        ({"url": "http://127.0.0.1/", "offer_id": 999}, {"offer_id"}),
    ],
)
def test_postback_trial_with_invalid_value_is_rejected(
    affiliate: tuple[int, ApiClient], params: dict[str, Any], names: set[str]
) -> None:
    _, client = affiliate
    refused = client.call("POST", PATH, data=params)
    assert (refused.status_code, refused.json()["fields"].keys()) == (400, names)
