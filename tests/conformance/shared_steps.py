"""Steps that several sections share: an offer of the row, its clicks and its conversions."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.sentence import Caller, SpecRequest, Step, equal, shows, visit
from tests.conformance.world import BERLIN, IPHONE

admin = Caller("admin")
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
VISITOR = {"User-Agent": IPHONE, "X-Forwarded-For": BERLIN}


def offer(params: Mapping[str, Any] | None = None) -> SpecRequest:
    """Create an active, public offer of shop that pays; its id is `made`."""
    given = {
        "title": "<unique>",
        "advertiser": "<shop>",
        "url": "https://target.example/",
        "trafficback_url": "https://elsewhere.example/",
        "status": "active",
        "privacy": "public",
        "payments[0][total]": 2,
        "payments[0][revenue]": 1,
    }
    return admin.post("/3.0/admin/offer", {**given, **(params or {})}).saving(made="offer.id")


def click(params: Mapping[str, Any] | None = None, headers: Mapping[str, str] = VISITOR) -> SpecRequest:
    """A click of una on the offer of the row, answered as JSON."""
    return visit("/click", {"pid": "<una>", "offer_id": "<made>", "format": "json", **(params or {})}, headers)


def clicked(params: Mapping[str, Any] | None = None, url: str = "https://target.example/") -> tuple[Step, ...]:
    """A click of una on the offer of the row, as soon as the offer takes clicks; its id is `own`."""
    return (click(params).saving(own="clickid").eventually(), equal("url", url))


def listed() -> tuple[Step, ...]:
    """The click of the row is listed."""
    return (admin.get("/3.0/stats/clicks", {**DAYS, "offer[]": "<made>"}).eventually(), shows("clicks[].id", "<own>"))


def imported(end: str = "", params: Mapping[str, Any] | None = None) -> SpecRequest:
    """Import a conversion of una for the offer of the row; its action id is the row's word with an ending."""
    given = {"offer": "<made>", "pid": "<una>", "action_id": f"<unique>{end}", "status": "confirmed", "goal": 1}
    return admin.post("/3.0/admin/conversion/import", {**given, **(params or {})})


def found_again(end: str = "") -> SpecRequest:
    """The conversion with the action id of the row, as soon as its checks hold."""
    return admin.get("/3.0/stats/conversions", {"action_id": f"<unique>{end}"}).eventually()
