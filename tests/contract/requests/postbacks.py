"""Requests for methods of postbacks, pixels, news and texts of mails."""

from collections.abc import Callable
from typing import Any

from tests.support.api import Api
from tests.support.delivery_attempts import add_attempt
from tests.support.models.events import new_click

URL = "https://a.example/?c={clickid}"
PIXEL = {"name": "Count", "code": '<img src="https://a.example/">', "code_type": "image"}

MAIL_TEXT = {"language": "en", "subject": "New: {offers}", "body": "Hello {name},\n\n{offers}"}
MAIL_TEXT_ACTS = ("get", "edit", "remove", "preview", "test")


def good_params(offer: int, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    return {
        "partner.postback.add": {"pid": pid, "url": URL},
        "partner.postback.edit": {"url": URL},
        "partner.postbacks.remove-by-affiliates": {"ids": pid},
        "partner.postbacks.remove-by-offers": {"ids": offer},
        "admin.postbacks.list": {"partner_id": pid},
        "partner.postback.test": {"pid": pid, "url": "http://10.0.0.1/"},  # which may not be called
        "admin.affiliatepostbacks.replay": {"pid": pid, "from": "2023-11-14 00:00:00", "to": "2023-11-14 23:59:59"},
        "admin.postback-check": {"params[clickid]": new_click(1).id, "ip": "192.0.2.1"},
        "admin.explain": {"id": new_click(1).id},
        "partner.pixel.add": PIXEL | {"offer_id": offer, "pid": pid},
        "admin.news.add": {"title": "Summer"},
        "admin.news.edit": {"title": "Winter"},
        "admin.mail-text.edit": MAIL_TEXT,
        "admin.mail-text.remove": {"language": "en"},
        "admin.mail-text.preview": MAIL_TEXT,
        "admin.mail-text.test": MAIL_TEXT,
    }


def path_subjects(api: Api, offer: int, pid: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods, made for each request."""

    def postback() -> int:
        body = api.admin.post("/3.0/partner/postback", pid=pid, url=URL, offer_id=offer)
        return int(body["postback"]["id"])

    def pixel() -> int:
        return int(api.admin.post("/3.0/partner/pixel", pid=pid, offer_id=offer, **PIXEL)["pixel"]["id"])

    def news() -> str:
        return str(api.admin.post("/3.1/admin/news", title="Summer")["news"]["_id"]["$id"])

    def attempt() -> str:
        return add_attempt(api.deps.analytics, affiliate=pid, offer=offer, postback_id=postback())

    return {
        "admin.affiliatepostback.resend": attempt,
        "admin.postback.resume": postback,
        "news.get": news,
        **{f"admin.mail-text.{act}": lambda: "offers.connected" for act in MAIL_TEXT_ACTS},
        "admin.news.edit": news,
        "admin.news.remove": news,
        "admin.news.send": news,
        "partner.postback.edit": postback,
        "partner.postback.remove": postback,
        "partner.pixels.list-of": lambda: pid,
        "partner.pixel.edit": pixel,
        "partner.pixel.remove": pixel,
    }
