"""Requests to join offers: rights, lists and decisions.

See docs/api/tickets.md and docs/spec/platform.md#connection-requests.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.api import Api, installed
from tests.support.client import FORBIDDEN_TO_AFFILIATES, ApiClient
from tests.support.processes.mails import mails
from tests.support.stores.statements import recorded_statements
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.ruleset import RulesetConnections
from trackyard.store.engine.database import Database
from trackyard.store.tracking.rulesets import compile_row

ASK = "/3.0/partner/activation/offer"
CAP = {"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": 5}


def connected(api: Api, offer: int) -> tuple[int, ...]:
    with api.deps.database.read() as conn:
        row = compile_row(conn, "connections", str(offer))
    return row.affiliates if isinstance(row, RulesetConnections) else ()


def tickets(client: ApiClient, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/3.0/admin/tickets", **params)["tickets"]
    return found


def test_ticket_approval_connects_and_mails_affiliate(api: Api) -> None:
    pid, affiliate = api.add_affiliate(email="ann@affiliate.example", login="ann")
    offer = api.add_offer(title="Shoes", privacy="protected")
    assert affiliate.post(ASK, offer_id=offer, comment="Search traffic")["message"] == "The request is sent"
    [ticket] = tickets(api.admin)
    assert (ticket["id"], ticket["status"], ticket["type"]) == ("1", "open", "offer")
    assert (ticket["title"], ticket["description"]) == (f"#{offer} Shoes", "Search traffic")
    assert (ticket["partner"]["id"], ticket["partner"]["email"]) == (pid, "ann@affiliate.example")
    assert ticket["partner"]["api_key"] is None
    assert (ticket["offer"]["id"], ticket["offer"]["title"], ticket["offer"]["goals"]) == (offer, "Shoes", {"1": "1"})
    assert not FORBIDDEN_TO_AFFILIATES.intersection({"total", "advertiser"}.intersection(ticket["offer"]))
    assert ticket["offer"]["required_approval"] is True
    assert connected(api, offer) == ()

    api.clock.advance(60_000)
    body = api.admin.post("/3.0/admin/ticket/1/offer", do="approve")
    assert body == {"status": 1, "message": "Ticket 1 is approved"}
    assert connected(api, offer) == (pid,)
    [ticket] = tickets(api.admin, status="closed")
    assert (ticket["created"], ticket["updated"]) == ("2023-11-14 22:13:20", "2023-11-14 22:14:20")
    assert ticket["offer"]["required_approval"] is False
    [mail] = mails(api)
    assert (mail.recipient, mail.subject) == ("ann@affiliate.example", f"Your request for #{offer} Shoes is approved")
    assert tickets(api.admin, status="open") == []


def test_ticket_rejected_may_be_requested_again(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    affiliate.post(ASK, offer_id=offer, comment="Please")
    api.admin.post("/3.0/admin/ticket/1/offer", do="reject")
    assert connected(api, offer) == ()
    assert "rejected" in mails(api)[0].subject
    affiliate.post(ASK, offer_id=offer, comment="Please")
    assert [(ticket["id"], ticket["status"]) for ticket in tickets(api.admin)] == [("2", "open"), ("1", "closed")]


@pytest.mark.parametrize("first", ["approve", "reject"])
@pytest.mark.parametrize("second", ["approve", "reject"])
def test_ticket_decision_is_final(api: Api, first: str, second: str) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    affiliate.post(ASK, offer_id=offer, comment="Please")
    api.admin.post("/3.0/admin/ticket/1/offer", do=first)
    refused = api.admin.call("POST", "/3.0/admin/ticket/1/offer", data={"do": second})
    assert (refused.status_code, refused.json()["fields"]) == (409, {"id": ["The ticket 1 is decided."]})
    assert connected(api, offer) == ((pid,) if first == "approve" else ())
    assert len(mails(api)) == 1


def test_ticket_view_shows_one_ticket(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    affiliate.post(ASK, offer_id=offer, comment="Please")
    body = api.admin.get("/3.0/admin/ticket/1")
    assert body["id"] == body["ticket"]["id"] == "1"
    assert body["ticket"] == tickets(api.admin)[0]
    for path in ("2", "x", "0"):
        assert api.admin.call("GET", f"/3.0/admin/ticket/{path}").status_code == 404
    assert api.admin.call("POST", "/3.0/admin/ticket/1/offer", data={"do": "maybe"}).status_code == 400
    assert api.admin.call("POST", "/3.0/admin/ticket/1/offer").json()["fields"].keys() == {"do"}


def test_ticket_for_public_offer_is_closed_and_connects_at_once(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    assert affiliate.post(ASK, offer_id=offer, comment="Please")["message"] == "Connected to the offer"
    assert connected(api, offer) == (pid,)
    assert [ticket["status"] for ticket in tickets(api.admin)] == ["closed"]
    assert api.admin.call("POST", "/3.0/admin/ticket/1/offer", data={"do": "reject"}).status_code == 409
    assert affiliate.post(ASK, offer_id=offer, comment="Please")["message"] == "Connected to the offer already"
    assert len(tickets(api.admin)) == 1


def test_ticket_for_auto_connect_offer_needs_no_decision(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected", auto_offer_connect=1)
    affiliate.post(ASK, offer_id=offer, comment="Please")
    assert connected(api, offer) == (pid,)


def test_ticket_of_affiliate_disconnected_from_public_offer_needs_decision(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    api.admin.post("/3.0/offer/disable-affiliate", offer_id=offer, pid=pid)
    affiliate.post(ASK, offer_id=offer, comment="Sorry")
    assert connected(api, offer) == ()
    api.admin.post("/3.0/admin/ticket/1/offer", do="approve")
    assert connected(api, offer) == (pid,)


def test_ticket_is_opened_once_per_offer(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    for comment, answer in (("Please", "The request is sent"), ("Please!", "The request is sent already")):
        assert affiliate.post(ASK, offer_id=offer, comment=comment)["message"] == answer
    assert [ticket["description"] for ticket in tickets(api.admin)] == ["Please"]


def test_ticket_for_private_or_removed_offer_is_rejected(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    private, removed = api.add_offer(privacy="private"), api.add_offer(privacy="protected")
    api.admin.post("/3.0/admin/offer/delete", offer_id=removed)
    for offer in (private, removed, 99):
        refused = affiliate.call("POST", ASK, data={"offer_id": offer, "comment": "Please"})
        assert (refused.status_code, refused.json()["fields"].keys()) == (400, {"offer_id"})
    missing = affiliate.call("POST", ASK, data={"offer_id": private})
    assert missing.json()["fields"].keys() == {"comment"}
    assert tickets(api.admin) == []


@pytest.mark.parametrize("privacy", ["public", "protected"])
def test_ticket_for_inactive_offer_needs_connection(api: Api, privacy: str) -> None:
    pid, affiliate = api.add_affiliate()
    draft = api.add_offer(privacy=privacy, status="stopped", **CAP)
    pixel = {"name": "Count", "code": '<img src="https://a.example/">', "code_type": "image"}
    for path, params in (
        (ASK, {"comment": "Please"}),
        ("/3.0/partner/postback", {"url": "https://a.example/"}),
        ("/3.0/partner/pixel", pixel),
    ):
        refused = affiliate.call("POST", path, data={"offer_id": draft} | params)
        assert (refused.status_code, refused.json()["fields"].keys()) == (400, {"offer_id"}), path
    assert affiliate.get("/3.1/stats/caps", offer_id=draft)["stats"] == []
    assert (connected(api, draft), tickets(api.admin)) == ((), [])

    api.admin.post("/3.0/offer/enable-affiliate", offer_id=draft, pid=pid, notice=0)
    assert affiliate.post(ASK, offer_id=draft, comment="Please")["message"] == "Connected to the offer already"
    assert affiliate.post("/3.0/partner/pixel", offer_id=draft, **pixel)["pixel"]["offer_id"] == str(draft)
    assert len(affiliate.get("/3.1/stats/caps", offer_id=draft)["stats"]) == 1


def test_ticket_of_removed_offer_can_only_be_rejected(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    affiliate.post(ASK, offer_id=offer, comment="Please")
    api.admin.post("/3.0/admin/offer/delete", offer_id=offer)
    assert tickets(api.admin)[0]["offer"]["id"] == offer
    assert api.admin.call("POST", "/3.0/admin/ticket/1/offer", data={"do": "approve"}).status_code == 409
    assert api.admin.post("/3.0/admin/ticket/1/offer", do="reject")["status"] == 1


def test_ticket_by_staff_needs_affiliate_id(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=manager)
    foreign, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    asked = {"offer_id": offer, "comment": "Please"}
    assert client.call("POST", ASK, data=asked).json()["fields"].keys() == {"pid"}
    assert client.call("POST", ASK, data=asked | {"pid": foreign}).json()["fields"].keys() == {"pid"}
    client.post(ASK, **asked, pid=own)
    ignored = affiliate.call("POST", ASK, data=asked | {"pid": own})
    assert ignored.headers["x-ignored-parameters"] == "pid"
    assert [ticket["partner"]["id"] for ticket in tickets(api.admin)] == [foreign, own]


def test_ticket_access_follows_roles_and_scope(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    own, affiliate = api.add_affiliate(manager_id=manager)
    _, other = api.add_affiliate()
    offer = api.add_offer(privacy="protected")
    for each in (affiliate, other):
        each.post(ASK, offer_id=offer, comment="Please")
    assert [ticket["partner"]["id"] for ticket in tickets(client)] == [own]
    assert tickets(client)[0]["partner"]["manager"]["id"] == manager
    assert client.get("/3.0/admin/tickets")["pagination"]["total_count"] == 1
    assert client.call("GET", "/3.0/admin/ticket/2").status_code == 404
    assert client.call("POST", "/3.0/admin/ticket/2/offer", data={"do": "approve"}).status_code == 404
    assert client.post("/3.0/admin/ticket/1/offer", do="approve")["status"] == 1
    _, section = api.add_staff(Role.SECTION_TICKET)
    assert len(tickets(section)) == 2
    assert section.post("/3.0/admin/ticket/2/offer", do="reject")["status"] == 1
    for role in (Role.SECTION_OFFER, Role.SECTION_PARTNER, Role.MANAGER_SALES):
        _, refused = api.add_staff(role)
        assert refused.call("GET", "/3.0/admin/tickets").json()["code"] == "tickets.read"
    assert affiliate.call("GET", "/3.0/admin/tickets").json()["code"] == "auth_denied"


def test_ticket_list_pages_are_disjoint_with_constant_statement_count(api: Api) -> None:
    offers = [api.add_offer(privacy="protected") for _ in range(3)]
    for _ in range(3):
        _, affiliate = api.add_affiliate()
        for offer in offers:
            affiliate.post(ASK, offer_id=offer, comment="Please")
    pages = [tickets(api.admin, page=page, limit=4) for page in (1, 2, 3)]
    assert [ticket["id"] for page in pages for ticket in page] == [str(number) for number in range(9, 0, -1)]
    counts = []
    for limit in (1, 9):
        with recorded_statements() as seen:
            assert len(tickets(api.admin, limit=limit)) == limit
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_ticket_decisions_in_parallel_succeed_once(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    _, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected")

    def ask(_number: int) -> int:
        return int(affiliate.call("POST", ASK, data={"offer_id": offer, "comment": "Please"}).status_code)

    def decide(do: str) -> int:
        return int(api.admin.call("POST", "/3.0/admin/ticket/1/offer", data={"do": do}).status_code)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(4))) == {200}
        assert len(tickets(api.admin)) == 1
        assert sorted(pool.map(decide, ["approve", "reject", "approve", "reject"])) == [200, 409, 409, 409]
    assert len(mails(api)) == 1


def test_ticket_list_filters_match_any_of_their_values(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    shoes, hats = (api.add_offer(title=title, privacy="protected") for title in ("Shoes", "Ärmel"))
    (one, first), (two, second) = api.add_affiliate(manager_id=manager), api.add_affiliate()
    for client, offer, comment in ((first, shoes, "Search"), (first, hats, "Mail"), (second, hats, "SEARCH too")):
        client.post(ASK, offer_id=offer, comment=comment)
    api.admin.post("/3.0/admin/ticket/1/offer", do="approve")

    def found(**params: Any) -> list[str]:
        answer = api.admin.get("/3.0/admin/tickets", **params)
        assert answer["pagination"]["total_count"] == len(answer["tickets"])
        return sorted(ticket["id"] for ticket in answer["tickets"])

    assert found(status="closed") == ["1"] and found(**{"status[]": ["open", "closed"]}) == ["1", "2", "3"]
    assert found(pid=two) == ["3"] and found(**{"pid[]": [one, two]}) == ["1", "2", "3"]
    assert found(offer_id=hats) == ["2", "3"] and found(offer_id=hats, pid=one) == ["2"]
    assert found(manager_id=manager) == ["1", "2"] and found(manager_id="0" * 24) == []
    assert found(search="search") == ["1", "3"] and found(search="ÄRM") == ["2", "3"] and found(search="%") == []
    assert found(type="offer_request") == found(type="offer") == found(**{"type[]": ["common", "offer"]})
    assert found(type="offer") == ["1", "2", "3"] and found(type="financial") == []
    for name, value in (("type", "x"), ("status", "x"), ("pid", "x"), ("manager_id", "x"), ("offer_id", "0")):
        assert api.admin.refusal("GET", "/3.0/admin/tickets", params={name: value}) == (400, [name])


def test_ticket_for_staff_without_affiliates_hides_phone_and_money(api: Api) -> None:
    pid, affiliate = api.add_affiliate(phone="+1 555", address_1="Main Street 1")
    affiliate.post(ASK, offer_id=api.add_offer(privacy="protected"), comment="x")
    hidden = {"phone": None, "address_1": None, "balance": {}, "payment_systems": [], "customFields": []}
    for role in (Role.SECTION_TICKET, Role.SECTION_DASHBOARD):
        client = api.add_staff(role)[1]
        for ticket in (*tickets(client), client.get("/3.0/admin/ticket/1")["ticket"]):
            assert ticket["partner"]["id"] == pid
            assert {name: ticket["partner"][name] for name in hidden} == hidden
    [ticket] = tickets(api.admin)
    assert (ticket["partner"]["phone"], ticket["partner"]["address_1"]) == ("+1 555", "Main Street 1")
    assert ticket["partner"]["balance"] != {}
    confined = api.add_staff(Role.SECTION_TICKET, Role.MANAGER_AFFILIATE)[1]  # manages another affiliate
    assert [ticket["partner"]["phone"] for ticket in tickets(confined)] == [None]


def test_ticket_request_for_private_offer_costs_as_much_as_for_none(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    private = api.add_offer(privacy="private")
    ran = []
    for offer in (private + 1, private, private + 1):  # the first request of a key also stores its use
        with recorded_statements() as statements:
            assert affiliate.refusal("POST", ASK, data={"offer_id": offer, "comment": "x"}) == (400, ["offer_id"])
        ran.append(statements)
    assert ran[1] == ran[2]
