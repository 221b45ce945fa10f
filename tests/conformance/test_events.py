"""Events: calls to affiliates, and what the logs record of them."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import having
from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecRequest,
    SpecSentence,
    Step,
    each_row,
    equal,
    every,
    hides,
    holds,
    is_,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Events"
admin = Caller("admin")
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
CALLED = admin.get(
    "/3.0/stats/affiliatepostbacks",
    {**DAYS, "offer[]": ["<shoes>", "<hats>", "<socks>"], "partner[]": ["<ann>", "<bob>"]},
)


def story(status: str, postback: Mapping[str, Any]) -> tuple[Step, ...]:
    """Make an offer with two postbacks and a conversion.

    One postback has the conditions, the other is always called.
    """
    offer = {
        "title": "<unique>",
        "advertiser": "<shop>",
        "url": "https://a.example/",
        "status": "active",
        "privacy": "public",
        "payments[0][total]": 2,
        "payments[0][revenue]": 1,
    }
    url = {"pid": "<una>", "offer_id": "<made>"}
    return (
        admin.post("/3.0/admin/offer", offer).saving(made="offer.id"),
        admin.post("/3.0/partner/postback", {**url, "url": "<receiver>/<unique>", **postback}),
        admin.post("/3.0/partner/postback", {**url, "url": "<receiver>/always"}),
        admin.post(
            "/3.0/admin/conversion/import",
            {"offer": "<made>", "pid": "<una>", "action_id": "<unique>", "status": status, "goal": 1},
        ),
    )


def log() -> SpecRequest:
    """The calls of the row's offer."""
    return admin.get("/3.0/stats/affiliatepostbacks", {**DAYS, "offer[]": "<made>"})


def settled() -> SpecRequest:
    """The same, once the postback that is always called has been."""
    return log().eventually()


def called_or_not(called: bool) -> str:
    return "is called" if called else "is not called"


def is_called(called: bool) -> AnswerCheck:
    """Whether the conditional postback was called, once the other one was."""

    def agree(body: Any) -> bool:
        urls = [record["postback_url"] for record in body["postbacks"]]
        return len(urls) == (2 if called else 1) and any(url.endswith("/always") for url in urls)

    return holds(agree)


ROWS = table(
    sentence(
        "a postback of one offer is called for its conversions",
        CALLED,
        shows("postbacks[].postback_url", "<receiver>/ann_shoes?c=<red>&s=1", "<receiver>/ann_shoes?c=<blue>&s=2"),
    ),
    sentence(
        "a global postback is called where there is none of the offer",
        CALLED,
        shows("postbacks[].postback_url", "<receiver>/ann_everywhere?c=<gold>&s=1"),
    ),
    sentence(
        "a global postback is not called where there is one of the offer",
        CALLED,
        hides("postbacks[].postback_url", "<receiver>/ann_everywhere?c=<red>&s=1"),
    ),
    sentence(
        "a postback for confirmed conversions is not called for others", CALLED, hides("postbacks[].pid", "<bob>")
    ),
    [
        sentence(
            f"a postback with status {wanted} {called_or_not(called)} for a conversion that is {status}",
            *story(status, {"status": wanted}),
            log().eventually() if called else settled(),
            is_called(called),
        )
        for wanted, status, called in (
            ("confirmed", "confirmed", True),
            ("confirmed", "pending", False),
            ("pending", "pending", True),
            ("declined", "declined", True),
            ("declined", "confirmed", False),
            ("hold", "hold", True),
            ("by_creating", "pending", True),
        )
    ],
    [
        sentence(
            f"a postback with goal {goal} {called_or_not(called)} for goal 1",
            *story("confirmed", {"goal": goal}),
            log().eventually() if called else settled(),
            is_called(called),
        )
        for goal, called in (("1", True), ("2", False))
    ],
    sentence(
        "inbound calls are recorded in the server postback log",
        admin.get("/3.0/stats/serverpostbacks", {**DAYS, "action_id": "order-red"}),
        is_("postbacks", lambda rows: len(rows) == 1),
    ),
    sentence(
        "each call of an affiliate is recorded with http_code, postback_url, lead_id, job_id and status",
        CALLED,
        every("postbacks[]", having("http_code", "postback_url", "lead_id", "job_id", "status")),
    ),
    sentence(
        "macros of postbacks take {custom_field_1} as well as {custom_field1}",
        Caller("una").post("/3.0/partner/postback/test", {"url": "<receiver>/trial?a={custom_field_1}"}),
        equal("test.url", "<receiver>/trial?a=custom_field1"),
    ),
)


@each_row(ROWS)
def test_events_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
