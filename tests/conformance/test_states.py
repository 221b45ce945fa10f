"""States and transitions: each move with what it changes for others."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import integer, text
from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecRequest,
    SpecSentence,
    answers,
    each_row,
    empty,
    equal,
    header,
    hides,
    is_,
    refused,
    sentence,
    shows,
    table,
    visit,
)
from tests.conformance.world import BERLIN, IPHONE, FilledProgram

SECTION = "States and transitions"
admin, una = Caller("admin"), Caller("una")
OFFERS, LIVE, INVOICE = "/3.0/partner/offers", "/3.0/partner/live-offers", "/3.0/admin/advertiser-invoice"
DAYS = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}


def offer(params: Mapping[str, Any]) -> SpecRequest:
    """Create an active, public offer that pays."""
    given = {
        "title": "<unique>",
        "advertiser": "<shop>",
        "url": "https://target.example/?c={clickid}",
        "trafficback_url": "https://elsewhere.example/",
        "status": "active",
        "privacy": "public",
        "payments[0][total]": 2,
        "payments[0][revenue]": 1,
    }
    return admin.post("/3.0/admin/offer", {**given, **params})


def partner() -> SpecRequest:
    """Create an affiliate."""
    return admin.post("/3.0/admin/partner", {"email": "<unique>@a.example", "password": "<password>"})


def click() -> SpecRequest:
    """A click of una on the offer of the row."""
    return visit("/click", {"pid": "<una>", "offer_id": "<made>"}, {"User-Agent": IPHONE, "X-Forwarded-For": BERLIN})


def seen(offer_id: str) -> AnswerCheck:
    return shows("offers[].id", offer_id)


ROWS = table(
    [
        sentence(
            f"Offer: POST admin/offer/ID with status {status} moves it, and affiliates see it only when it is active",
            offer({}).saving(made="offer.id"),
            admin.post("/3.0/admin/offer/<made>", {"status": status}),
            equal("offer.status", status),
            una.get("/3.0/partner/offers", {"int_id[]": "<made>"}),
            seen("<made>") if status == "active" else hides("offers[].id", "<made>"),
        )
        for status in ("active", "stopped", "suspended")
    ],
    sentence(
        "Offer: an active offer takes clicks, a stopped one does not",
        offer({}).saving(made="offer.id"),
        click().eventually(),
        header("Location", "https://target.example/", 302),
        admin.post("/3.0/admin/offer/<made>", {"status": "stopped"}),
        click().eventually(),
        header("Location", "https://elsewhere.example/", 302),
    ),
    sentence(
        "Offer: mass-update moves each offer",
        offer({}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/mass-update", {"offer_id[]": "<made>", "status": "suspended"}),
        una.get("/3.0/partner/offers", {"int_id[]": "<made>"}),
        hides("offers[].id", "<made>"),
    ),
    sentence(
        "Offer: without a status a new one is stopped",
        admin.post("/3.0/admin/offer", {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}),
        equal("offer.status", "stopped"),
    ),
    sentence(
        "Offer: delete removes it from every list",
        offer({}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/delete", {"offer_id[]": "<made>"}),
        is_("message", text),
        admin.get("/3.0/offers", {"int_id[]": "<made>"}),
        empty("offers"),
    ),
    [
        sentence(
            f"Privacy: {what}",
            offer({"privacy": privacy}).saving(made="offer.id"),
            una.get(path, {"int_id[]": "<made>"}),
            seen("<made>") if shown else hides("offers[].id", "<made>"),
        )
        for what, privacy, path, shown in (
            ("public offers are in partner/offers", "public", OFFERS, True),
            ("public offers are live", "public", LIVE, True),
            ("protected offers are in partner/offers", "protected", OFFERS, True),
            ("protected offers are not live without a connection", "protected", LIVE, False),
            ("private offers are not in partner/offers without a connection", "private", OFFERS, False),
            ("private offers are not live without a connection", "private", LIVE, False),
        )
    ],
    [
        sentence(
            f"Affiliate-offer link: enable-affiliate connects to a {privacy} offer, disable-affiliate disconnects",
            offer({"privacy": privacy}).saving(made="offer.id"),
            admin.post("/3.0/offer/enable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
            una.get(LIVE, {"int_id[]": "<made>"}),
            seen("<made>"),
            click().eventually(),
            header("Location", "https://target.example/", 302),
            admin.post("/3.0/offer/disable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
            una.get(LIVE, {"int_id[]": "<made>"}),
            hides("offers[].id", "<made>"),
            click().eventually(),
            header("Location", "https://elsewhere.example/", 302),
        )
        for privacy in ("protected", "private")
    ],
    sentence(
        "Affiliate-offer link: admin/offer/ID/disable-affiliates disconnects all",
        offer({"privacy": "private"}).saving(made="offer.id"),
        admin.post("/3.0/offer/enable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
        una.get(LIVE, {"int_id[]": "<made>"}),
        seen("<made>"),
        admin.post("/3.0/admin/offer/<made>/disable-affiliates"),
        una.get(LIVE, {"int_id[]": "<made>"}),
        hides("offers[].id", "<made>"),
    ),
    sentence(
        "Affiliate-offer link: admin/affiliate/ID/disable-offers disconnects all offers of an affiliate",
        offer({"privacy": "private"}).saving(made="offer.id"),
        partner().saving(pid="partner.id", pid_key="partner.api_key"),
        admin.post("/3.0/offer/enable-affiliate", {"offer_id": "<made>", "pid": "<pid>", "notice": 0}),
        Caller("pid").get(LIVE, {"int_id[]": "<made>"}),
        seen("<made>"),
        admin.post("/3.0/admin/affiliate/<pid>/disable-offers"),
        Caller("pid").get(LIVE, {"int_id[]": "<made>"}),
        hides("offers[].id", "<made>"),
        Caller("pid").get(LIVE, {"int_id[]": "<shoes>"}),
        seen("<shoes>"),
    ),
    sentence(
        "Advertiser blacklist: disable-affiliate refuses the affiliate's clicks, enable-affiliate takes it off",
        admin.post("/3.0/admin/advertiser", {"title": "<unique>"}).saving(adv="advertiser.id"),
        offer({"advertiser": "<adv>"}).saving(made="offer.id"),
        click().eventually(),
        header("Location", "https://target.example/", 302),
        admin.post("/3.0/admin/advertiser/disable-affiliate", {"advertisers_id[]": "<adv>", "pid": "<una>"}),
        is_("message", text),
        click().eventually(),
        header("Location", "https://elsewhere.example/", 302),
        admin.post("/3.0/admin/advertiser/enable-affiliate", {"advertisers_id[]": "<adv>", "pid": "<una>"}),
        click().eventually(),
        header("Location", "https://target.example/", 302),
    ),
    sentence(
        "Advertiser blacklist: the message says when the affiliate was not on the list",
        admin.post("/3.0/admin/advertiser/enable-affiliate", {"advertisers_id[]": "<mill>", "pid": "<una>"}),
        is_("message", text),
    ),
    [
        sentence(
            f"Affiliate: status {status} {effect}",
            partner().saving(made="partner.id", made_key="partner.api_key"),
            Caller("made").get("/3.0/balance"),
            equal("status", 1),
            admin.post("/3.0/admin/partner/<made>", {"status": status}),
            equal("partner.status", status),
            Caller("made").get("/3.0/balance"),
            answers(200) if status == "active" else refused(401),
        )
        for status, effect in {
            "active": "lets it call",
            "not active": "closes its key",
            "banned": "closes its key",
        }.items()
    ],
    [
        sentence(
            f"Invoice: POST with status {status} moves it",
            admin.post(INVOICE, {"supplier_id": "<shop>", "currency": "USD", "status": before}).saving(made="number"),
            admin.post(f"{INVOICE}/<made>", {"supplier_id": "<shop>", "status": status}),
            admin.get(f"{INVOICE}/<made>"),
            equal("message.status", status),
        )
        for before, status in (("unpaid", "paid"), ("paid", "unpaid"))
    ],
    sentence(
        "Connection request: activation/offer makes an open ticket",
        offer({"privacy": "protected"}).saving(made="offer.id"),
        una.post("/3.0/partner/activation/offer", {"offer_id": "<made>", "comment": "<unique>"}),
        is_("message", text),
        admin.get("/3.0/admin/tickets", {"status": "open"}),
        is_("tickets[description=<unique>].offer.id", integer),
    ),
    [
        sentence(
            f"Ticket: {do} closes it and {effect}",
            offer({"privacy": "protected"}).saving(made="offer.id"),
            una.post("/3.0/partner/activation/offer", {"offer_id": "<made>", "comment": "<unique>"}),
            admin.get("/3.0/admin/tickets", {"status": "open", "limit": 1000}).saving(
                ticket="tickets[description=<unique>].id"
            ),
            admin.post("/3.0/admin/ticket/<ticket>/offer", {"do": do}),
            admin.get("/3.0/admin/tickets", {"status": "closed", "limit": 1000}),
            shows("tickets[].id", "<ticket>"),
            una.get(LIVE, {"int_id[]": "<made>"}),
            seen("<made>") if do == "approve" else hides("offers[].id", "<made>"),
            admin.post("/3.0/admin/ticket/<ticket>/offer", {"do": do}),
            refused(409),
        )
        for do, effect in {"approve": "connects the affiliate", "reject": "connects nobody"}.items()
    ],
    [
        sentence(
            f"Conversion: edit moves it to {status}, and statistics follow",
            offer({}).saving(made="offer.id"),
            admin.post(
                "/3.0/admin/conversion/import",
                {"offer": "<made>", "pid": "<una>", "action_id": "<unique>", "status": "pending", "goal": 1},
            ),
            admin.get("/3.0/stats/conversions", {"action_id": "<unique>"})
            .saving(conversion="conversions[0].id")
            .eventually(),
            equal("conversions[0].status", "pending"),
            admin.post("/3.0/admin/conversion/edit", {"ids[]": "<conversion>", "status": status}),
            admin.get("/3.0/stats/getbyprogram", {**DAYS, "filter[offer]": "<made>"}).eventually(),
            equal(f"stats[0].actions.{status}.count", 1),
            equal("stats[0].actions.pending.count", 0),
        )
        for status in ("confirmed", "declined", "not_found", "hold")
    ],
    [
        sentence(
            f"Pixel: {name} {value} is what the affiliate's list shows then",
            una.post(
                "/3.0/partner/pixel",
                {
                    "offer_id": "<shoes>",
                    "name": "<unique>",
                    "code": "<img src='https://a.example/'>",
                    "code_type": "image",
                },
            ).saving(made="pixel.id"),
            admin.post("/3.0/partner/pixel/<made>", {name: value}),
            una.get("/3.0/partner/pixels"),
            is_(f"pixel.<made>.{name}", lambda found_, value=value: str(found_) == str(value)),
        )
        for name, value in (("is_active", 0), ("is_active", 1), ("moderation_status", 1))
    ],
)


@each_row(ROWS)
def test_states_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
