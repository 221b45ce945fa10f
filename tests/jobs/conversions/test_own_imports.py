"""Conversions that affiliates import never pay by themselves.

docs/spec/conversions.md#imports-by-affiliates
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import ApiClient
from tests.support.installation import SteppedInstallation
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.store.engine.database import Database

ONE, MANY = "/4.0/affiliate/conversion/import", "/4.0/affiliate/conversions/import"
PERIOD = {"date_from": "2023-10-01", "date_to": "2023-12-31"}
LEVEL = "permissions[stats][conversions-import][level]"


class ImportSetup:
    """An installation with an offer, and an affiliate that may import conversions."""

    def __init__(self, plant: SteppedInstallation) -> None:
        self.plant, self.api = plant, plant.api
        self.advertiser = self.api.add_advertiser()
        self.offer = self.api.add_offer(advertiser=self.advertiser, privacy="public")
        self.pid, self.client = self.add_importer()

    def add_importer(self) -> tuple[int, ApiClient]:
        """Add an affiliate that may import."""
        pid, client = self.api.add_affiliate()
        self.api.admin.post(f"/3.1/user/{pid}/permissions", **{LEVEL: "write"})
        return pid, client

    def conversions(self, **chosen: Any) -> list[dict[str, Any]]:
        """Return the conversions, the newest last."""
        self.plant.settle()
        found: list[dict[str, Any]] = self.api.admin.get("/3.1/stats/conversions", **PERIOD, **chosen)["conversions"]
        return sorted(found, key=lambda each: (each["created_at"], each["id"]))

    def statuses(self) -> list[str]:
        return [each["status"] for each in self.conversions()]


@pytest.fixture
def setup(database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[ImportSetup]:
    made = SteppedInstallation(database, analytics, tmp_path)
    yield ImportSetup(made)
    made.settle()
    assert reconcile(made.api.deps).differences == []
    made.close()


def test_own_import_echoes_and_is_pending_whatever_its_status(setup: ImportSetup) -> None:
    answer = setup.client.post(ONE, offer=setup.offer, action_id="A1", status="confirmed", custom_field_1="gold")
    assert answer["message"] == "Conversion import will take a few minutes"
    assert (answer["data"]["offer"], answer["data"]["action_id"], answer["data"]["ip"]) == (setup.offer, "A1", None)
    assert len(answer["warnings"]) == 1
    sent = [{"offer": setup.offer, "status": status} for status in ("hold", "pending_cap", "pending")]
    answer = setup.client.call("POST", MANY, json={"list": [*sent, {"offer": setup.offer}]}).json()
    assert [each["status"] for each in answer["data"]["list"]] == ["hold", "pending_cap", "pending", None]
    assert setup.statuses() == ["pending"] * 5
    assert setup.client.get("/3.1/balance")["balance"]["available"] in ([], {}, {"USD": 0})
    declined = setup.client.post(ONE, offer=setup.offer, status="declined")
    assert "warnings" not in declined and setup.statuses().count("declined") == 1


def test_own_import_is_confirmed_where_the_network_says_so(setup: ImportSetup) -> None:
    setup.api.admin.post("/3.1/admin/settings", affiliate_imports="confirmed")
    assert "warnings" not in setup.client.post(ONE, offer=setup.offer, status="confirmed")
    setup.client.post(ONE, offer=setup.offer)
    assert setup.statuses() == ["confirmed"] * 2


def test_own_import_needs_permission_offer_and_click_of_the_affiliate(setup: ImportSetup) -> None:
    other, stranger = setup.api.add_affiliate()
    assert stranger.refusal("POST", ONE, data={"offer": setup.offer}) == (403, "stats.conversions-import")
    setup.api.admin.post(f"/3.1/user/{other}/permissions", **{LEVEL: "read"})
    assert stranger.refusal("POST", ONE, data={"offer": setup.offer}) == (403, "stats.conversions-import")
    hidden = setup.api.add_offer(advertiser=setup.advertiser, privacy="private")
    protected = setup.api.add_offer(advertiser=setup.advertiser, privacy="protected")
    for offer in (hidden, protected, 9999):
        refused = setup.client.call("POST", ONE, data={"offer": offer})
        sentence = f"An offer {offer} does not exist, or you are not connected to it."
        assert (refused.status_code, refused.json()["fields"]) == (400, {"offer": [sentence]})
    foreign = setup.plant.click(setup.offer, other, setup.advertiser)
    setup.plant.settle()
    refused = setup.client.call("POST", ONE, data={"offer": setup.offer, "click_id": foreign.id})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["click_id"])
    assert setup.conversions() == []


def test_own_import_never_takes_a_conversion_that_an_advertiser_reports(setup: ImportSetup) -> None:
    other, _ = setup.api.add_affiliate()
    setup.client.post(ONE, offer=setup.offer, action_id="ORDER-1")
    setup.plant.settle()
    click = setup.plant.click(setup.offer, other, setup.advertiser)
    setup.plant.call(clickid=click.id, action_id="ORDER-1", status="1")
    found = {each["partner"]["id"]: each["status"] for each in setup.conversions()}
    assert found == {setup.pid: "pending", other: "confirmed"}
    setup.client.post(ONE, offer=setup.offer, action_id="ORDER-1")  # its own second one exists already
    assert len(setup.conversions()) == 2


def test_own_import_of_a_click_is_decided_by_its_postback(setup: ImportSetup) -> None:
    click = setup.plant.click(setup.offer, setup.pid, setup.advertiser, sub1="s")
    setup.plant.settle()
    setup.client.post(ONE, offer=setup.offer, click_id=click.id)
    [made] = setup.conversions()
    assert (made["status"], made["sub1"], made["clickid"]) == ("pending", "s", click.id)
    setup.plant.call(clickid=click.id, status="1")
    assert setup.statuses() == ["confirmed"]


def test_own_import_of_an_earlier_day_is_made_on_it(setup: ImportSetup) -> None:
    setup.client.post(ONE, offer=setup.offer, created_at="2023-11-01")
    [made] = setup.conversions()
    assert made["created_at"] == "2023-11-01 00:00:00"
    for day in ("2030-01-01", "2023-01-01"):
        refused = setup.client.call("POST", ONE, data={"offer": setup.offer, "created_at": day})
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["created_at"])


def test_own_import_calls_the_offer_only_when_it_is_asked_to(setup: ImportSetup) -> None:
    setup.api.admin.post(f"/3.1/admin/offer/{setup.offer}", cross_postback_url="https://cross.example/?id={action_id}")
    setup.client.post(ONE, offer=setup.offer, action_id="A1")
    setup.client.post(ONE, offer=setup.offer, action_id="A2", send_advertiser_postbacks="true")
    setup.plant.settle()
    with setup.plant.database.read() as conn:
        urls = [row[0] for row in conn.exec_driver_sql("SELECT url FROM delivery")]
    assert urls == ["https://cross.example/?id=A2"]


REFUSED = "/3.1/affiliate/conversions/refused-imports"


def test_own_imports_without_a_conversion_are_listed_for_their_affiliate_alone(setup: ImportSetup) -> None:
    pid, other = setup.add_importer()
    click = setup.plant.click(setup.offer, setup.pid, setup.advertiser)
    setup.plant.settle()
    setup.plant.call(clickid=click.id, action_id="SECRET-ORDER", status="1")
    setup.plant.settle()
    sent: list[tuple[ApiClient, dict[str, Any], str, str]] = [
        # who sends it, what is sent, the reason, why
        (setup.client, {"action_id": "A&1", "sum": "5.50"}, "", "the first one is made"),
        (setup.client, {"action_id": "A&1", "comment": "again"}, "Conversion exists", "the order was sent before"),
        (setup.client, {"click_id": click.id}, "", "the advertiser's order has an identity of its own"),
        (setup.client, {"click_id": click.id}, "Conversion exists", "the click has its conversion"),
        (other, {"action_id": "A&1"}, "", "its own book"),
        (other, {"action_id": "A&1", "status": "declined"}, "Conversion exists", "of the other affiliate"),
    ]  # fmt: skip
    for client, params, _, _ in sent:
        client.post(ONE, offer=setup.offer, **params)
        setup.plant.settle()
    by_staff = {"offer": setup.offer, "pid": setup.pid, "action_id": "S1"}
    for _ in range(2):
        setup.api.admin.post("/3.1/admin/conversion/import", **by_staff)
    setup.plant.settle()

    def listed(client: ApiClient, **more: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.get(REFUSED, **PERIOD, **more)["imports"]
        return found

    expected = [(params.get("action_id"), params.get("click_id"), reason) for client, params, reason, _ in sent
                if reason and client is setup.client]  # fmt: skip
    own = listed(setup.client)
    assert [(each["action_id"], each["click_id"], each["reason"]) for each in reversed(own)] == expected
    assert len(own) == 2 and own[1]["comment"] == "again" and own[1]["offer"] == setup.offer
    assert own[1]["text"].startswith("A conversion of this offer") and own[1]["advice"]
    made = {each["id"]: each["partner"]["id"] for each in setup.conversions()}
    assert [made[each["conversion_id"]] for each in own] == [setup.pid] * 2
    assert "SECRET-ORDER" not in str(own)
    [foreign] = listed(other)
    assert (foreign["status"], made[foreign["conversion_id"]]) == ("declined", pid)
    assert [each["id"] for each in listed(setup.client, limit=1, page=2)] == [own[1]["id"]]
    assert setup.client.get(REFUSED, date_from="2020-01-01", date_to="2020-01-02")["imports"] == []
    _, stranger = setup.api.add_affiliate()
    assert stranger.refusal("GET", REFUSED, params=PERIOD) == (403, "stats.conversions-import")
    assert setup.api.admin.call("GET", REFUSED, params=PERIOD).status_code == 403
