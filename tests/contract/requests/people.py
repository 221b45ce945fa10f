"""Requests for methods of connections, tickets, sources, categories, SmartLinks and domains."""

from collections.abc import Callable
from itertools import count
from typing import Any

from tests.support.api import Api
from tests.support.client import ApiClient

_numbers = count(1)


def good_params(offer: int, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    return {
        "offer.affiliate.enable": {"offer_id": offer, "pid": pid},
        "offer.affiliate.disable": {"offer_id": offer, "pid": pid},
        "admin.offer.source.add": {"title_lang[en]": "Search"},
        "admin.offer.source.edit": {"title_lang[en]": "Search"},
        "admin.category.add": {"title": "Finance"},
        "admin.category.edit": {"title": "Finance"},
        "admin.smartlink.category.add": {"name": "Summer"},
        "partner.activation.offer": {"offer_id": offer, "pid": pid, "comment": "Search traffic"},
        "admin.ticket.offer": {"do": "approve"},
        "admin.ticket.smartlink": {"do": "approve"},
        "partner.ticket.add": {"type": "financial", "title": "A late payment", "text": "When is it paid?"},
        "admin.ticket.answer": {"text": "Which traffic do you have?"},
        "admin.domain.add": {"url": "host-{n}.example"},
    }


def filled_smartlink(api: Api, offer: int) -> str:
    """Make a SmartLink of an offer and return its id."""
    made = str(api.admin.post("/3.0/admin/smartlink/category", name="Summer")["data"]["_id"])
    api.admin.post(f"/3.0/admin/offer/{offer}", **{"smartlink_categories[]": [made]})
    return made


def smartlink_ticket(api: Api, offer: int, pid: int) -> int:
    """Ask for a SmartLink of an offer and return the ticket."""
    asking = {"pid": pid, "smartlink_id": filled_smartlink(api, offer), "comment": "Search traffic"}
    api.admin.post("/3.0/partner/activation/smartlink", **asking)
    return int(api.admin.get("/3.0/admin/tickets", pid=pid, **{"type[]": "smartlink_request"})["tickets"][0]["id"])


def question(_pid: int, client: ApiClient) -> int:
    """Ask a question as an affiliate and return the ticket."""
    asked = {"type": "technical", "title": "Postbacks", "text": "Why are they late?"}
    return int(client.post("/3.0/partner/ticket", **asked)["ticket"]["id"])


def path_subjects(api: Api, pid: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods, made for each request."""
    closed = api.add_offer(privacy="protected")

    def source() -> str:
        return str(api.admin.post("/3.0/admin/offer/source", **{"title_lang[en]": "Search"})["source"]["id"])

    def category() -> str:
        return str(api.admin.post("/3.0/admin/category", title="Finance")["category"]["id"])

    def smartlink() -> str:
        return str(api.admin.post("/3.0/admin/smartlink/category", name="Summer")["data"]["_id"])

    def domain() -> int:
        return int(api.admin.post("/3.1/admin/domains", url=f"{next(_numbers)}.example")["domain"]["id"])

    def private_domain() -> int:
        """A domain that the check may not ask."""
        return int(api.admin.post("/3.1/admin/domains", url=f"10.0.0.1:{next(_numbers) + 1}")["domain"]["id"])

    def ticket() -> str:
        asking = {"pid": api.add_affiliate()[0], "offer_id": closed, "comment": "Search traffic"}
        api.admin.post("/3.0/partner/activation/offer", **asking)
        return str(api.admin.get("/3.0/admin/tickets", status="open", limit=1)["tickets"][0]["id"])

    return {
        "admin.ticket.get": ticket,
        "admin.ticket.offer": ticket,
        "admin.ticket.answer": ticket,
        "admin.ticket.close": lambda: question(*api.add_affiliate()),
        "admin.ticket.smartlink": lambda: smartlink_ticket(api, closed, api.add_affiliate()[0]),
        "admin.offer.disable-affiliates": lambda: closed,
        "offer.privacy.get": lambda: closed,
        "admin.offer.tracking-link": lambda: api.add_offer(privacy="public"),
        "admin.affiliate.disable-offers": lambda: pid,
        "admin.offer.source.edit": source,
        "admin.offer.source.remove": source,
        "admin.category.edit": category,
        "admin.smartlink.category.edit": smartlink,
        "admin.smartlink.category.remove": smartlink,
        "admin.smartlink.category.count": smartlink,
        "partner.smartlink.category.count": smartlink,
        "admin.domain.check": private_domain,
        "admin.domain.edit": domain,
        "admin.domain.remove": domain,
    }
