"""Requests of affiliates for SmartLinks (docs/spec/platform.md#connection-requests)."""

from typing import Any

import pytest

from tests.support.api import Api

ASK, TYPE = "/3.1/partner/activation/smartlink", {"type[]": "smartlink_request"}


@pytest.fixture
def summer(api: Api) -> tuple[str, int, int]:
    """Return a SmartLink and its two offers, which affiliates ask to join."""
    made = str(api.admin.post("/3.0/admin/smartlink/category", name="Summer")["data"]["_id"])
    first, second = (api.add_offer(privacy="protected", **{"smartlink_categories[]": [made]}) for _ in "ab")
    return made, first, second


def ticket(api: Api) -> dict[str, Any]:
    found: dict[str, Any] = api.admin.get("/3.0/admin/tickets", **TYPE)["tickets"][0]
    return found


def states(api: Api, *offers: int) -> list[list[int]]:
    return [api.admin.get(f"/3.1/offers/{offer}/privacy")["affiliates_enabled"] for offer in offers]


def test_smartlink_request_that_is_approved_connects_to_its_offers(api: Api, summer: tuple[str, int, int]) -> None:
    smartlink, first, second = summer
    pid, client = api.add_affiliate()
    assert client.post(ASK, smartlink_id=smartlink, comment="Mail")["message"] == "The request is sent"
    assert client.post(ASK, smartlink_id=smartlink, comment="Again")["message"] == "The request is sent already"
    found = ticket(api)
    assert (found["type"], found["title"], found["description"]) == ("smartlink_request", "Summer", "Mail")
    assert (found["smartlink"], found["offer"]["id"]) == ({"id": smartlink, "name": "Summer"}, first)
    [own] = client.get("/3.1/partner/tickets")["tickets"]
    assert (own["smartlink_id"], own["title"]) == (smartlink, "Summer")
    third = api.add_offer(privacy="protected", **{"smartlink_categories[]": [smartlink]})
    done = api.admin.post(f"/3.0/admin/ticket/{found['id']}/smartlink", do="approve")
    assert done["message"] == f"Ticket {found['id']} is approved"
    assert states(api, first, second, third) == [[pid]] * 3
    assert (ticket(api)["status"], ticket(api)["decision"]) == ("closed", "approve")
    joined = client.post(ASK, smartlink_id=smartlink, comment="Once more")["message"]
    assert joined == "Connected to the offers of the SmartLink already"


def test_smartlink_request_that_is_rejected_connects_nothing(api: Api, summer: tuple[str, int, int]) -> None:
    smartlink, first, second = summer
    _, client = api.add_affiliate()
    client.post(ASK, smartlink_id=smartlink, comment="Mail")
    number = ticket(api)["id"]
    api.admin.post(f"/3.0/admin/ticket/{number}/smartlink", do="reject", reason="No mail")
    assert states(api, first, second) == [[], []]
    [own] = client.get("/3.1/partner/tickets")["tickets"]
    assert (own["decision"], own["reason"]) == ("reject", "No mail")
    refused = api.admin.call("POST", f"/3.0/admin/ticket/{number}/smartlink", data={"do": "approve"})
    assert refused.status_code == 409


def test_ticket_is_decided_by_the_method_of_its_type(api: Api, summer: tuple[str, int, int]) -> None:
    smartlink, first, _ = summer
    _, client = api.add_affiliate()
    client.post(ASK, smartlink_id=smartlink, comment="Mail")
    client.post("/3.1/partner/activation/offer", offer_id=first, comment="Mail")
    of_smartlink, of_offer = ticket(api)["id"], api.admin.get("/3.0/admin/tickets", **{"type[]": "offer"})["tickets"]
    assert len(of_offer) == 1
    for number, method in ((of_smartlink, "offer"), (of_offer[0]["id"], "smartlink")):
        refused = api.admin.call("POST", f"/3.0/admin/ticket/{number}/{method}", data={"do": "approve"})
        assert refused.status_code == 409
    both = api.admin.get("/3.0/admin/tickets", **{"type[]": ["offer_request", "smartlink_request"]})["tickets"]
    assert len(both) == 2 and api.admin.get("/3.0/admin/tickets", **{"type[]": "common"})["tickets"] == []


def test_smartlink_request_needs_offers_that_exist(api: Api, summer: tuple[str, int, int]) -> None:
    smartlink, *_ = summer
    _, client = api.add_affiliate()
    empty = str(api.admin.post("/3.0/admin/smartlink/category", name="Empty")["data"]["_id"])
    for each in (empty, "f" * 24):
        refused = client.call("POST", ASK, data={"smartlink_id": each, "comment": "Mail"})
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["smartlink_id"])
    client.post(ASK, smartlink_id=smartlink, comment="Mail")
    api.admin.post(f"/3.0/admin/smartlink/category/{smartlink}/remove")
    assert ticket(api)["smartlink"] is None
    refused = api.admin.call("POST", f"/3.0/admin/ticket/{ticket(api)['id']}/smartlink", data={"do": "approve"})
    assert refused.status_code == 409
