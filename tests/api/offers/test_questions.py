"""Questions of affiliates, which staff answer and close (docs/spec/platform.md#questions)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.processes.mails import mails
from trackyard.domain.offers.tickets import MOST_OPEN_QUESTIONS
from trackyard.domain.people.roles import Role

ASK = "/3.1/partner/ticket"
LATE = {"type": "financial", "title": "A late payment", "text": "When is it paid?"}


def ask(client: ApiClient, **changed: str) -> int:
    return int(client.post(ASK, **LATE | changed)["ticket"]["id"])


def found(client: ApiClient, **params: Any) -> list[str]:
    return [each["id"] for each in client.get("/3.0/admin/tickets", **params)["tickets"]]


def test_question_is_answered_and_closed_without_a_decision(api: Api) -> None:
    pid, client = api.add_affiliate(email="ann@affiliate.example")
    made = client.post(ASK, **LATE)["ticket"]
    assert (made["type"], made["status"], made["offer_id"], made["decision"]) == ("financial", "open", None, None)
    path = f"/3.0/admin/ticket/{made['id']}"
    shown = api.admin.get(path)["ticket"]
    assert shown == api.admin.get("/3.0/admin/tickets")["tickets"][0]
    assert (shown["type"], shown["title"], shown["description"]) == tuple(LATE.values())
    assert (shown["partner"]["id"], shown["offer"], shown["smartlink"]) == (pid, None, None)

    api.admin.post(f"{path}/answer", text="On Friday")
    [mail] = mails(api)
    assert (mail.recipient, mail.subject) == ("ann@affiliate.example", "An answer to your question: A late payment")
    api.clock.advance(60_000)
    assert api.admin.post(f"{path}/close")["message"] == f"Ticket {made['id']} is closed"
    [own] = client.get("/3.1/partner/tickets")["tickets"]
    assert (own["status"], own["decision"], own["answers"][0]["text"]) == ("closed", None, "On Friday")
    assert own["updated"] > own["created"] and len(mails(api)) == 1
    for method, sent in (("close", {}), ("answer", {"text": "More"}), ("offer", {"do": "approve"})):
        assert api.admin.call("POST", f"{path}/{method}", data=sent).status_code == 409, method


def test_ticket_ends_by_the_method_of_its_type_alone(api: Api) -> None:
    _, client = api.add_affiliate()
    question = ask(client, type="technical")
    client.post("/3.1/partner/activation/offer", offer_id=api.add_offer(privacy="protected"), comment="Mail")
    request = api.admin.get("/3.0/admin/tickets", type="offer")["tickets"][0]["id"]
    for number, method, sent in (
        (question, "offer", {"do": "reject"}), (question, "smartlink", {"do": "approve"}), (request, "close", {}),
    ):  # fmt: skip
        refused = api.admin.call("POST", f"/3.0/admin/ticket/{number}/{method}", data=sent)
        right = "close" if number == question else "offer"
        assert refused.status_code == 409
        assert f"use /admin/ticket/{number}/{right}." in refused.json()["fields"]["id"][0]
    assert {each["status"] for each in api.admin.get("/3.0/admin/tickets")["tickets"]} == {"open"}


def test_questions_are_selected_by_their_type(api: Api) -> None:
    _, client = api.add_affiliate()
    client.post("/3.1/partner/activation/offer", offer_id=api.add_offer(privacy="protected"), comment="Mail")
    numbers = {kind: str(ask(client, type=kind)) for kind in ("common", "financial", "technical")}
    for kind, number in numbers.items():
        assert found(api.admin, type=kind) == [number]
    assert found(api.admin, **{"type[]": ["offer_request", "common"]}) == [numbers["common"], "1"]
    assert found(api.admin, search="late payment", type="offer") == []


@pytest.mark.parametrize("changed", [{"type": "offer"}, {"title": " "}, {"title": "x" * 201}, {"text": ""}])
def test_question_without_type_subject_or_text_is_refused(api: Api, changed: dict[str, str]) -> None:
    _, client = api.add_affiliate()
    assert client.refusal("POST", ASK, data=LATE | changed) == (400, list(changed))
    assert found(api.admin) == []


def test_question_beyond_the_most_open_ones_waits_until_one_is_closed(api: Api) -> None:
    _, client = api.add_affiliate()
    for number in range(MOST_OPEN_QUESTIONS):
        ask(client, title=f"Question {number}")
    assert client.refusal("POST", ASK, data=LATE) == (409, ["text"])
    ask(api.add_affiliate()[1])
    api.admin.post("/3.0/admin/ticket/1/close")
    ask(client)


def test_question_is_seen_by_the_manager_of_its_affiliate(api: Api) -> None:
    manager, desk = api.add_staff(Role.MANAGER_AFFILIATE)
    _, own = api.add_affiliate(manager_id=manager)
    _, foreign = api.add_affiliate()
    mine, theirs = ask(own), ask(foreign)
    assert found(desk) == [str(mine)]
    assert desk.call("POST", f"/3.0/admin/ticket/{theirs}/close").status_code == 404
    assert desk.post(f"/3.0/admin/ticket/{mine}/close")["status"] == 1
    assert api.admin.call("POST", ASK, data=LATE).status_code == 403
    assert [each["id"] for each in foreign.get("/3.1/partner/tickets")["tickets"]] == [theirs]
