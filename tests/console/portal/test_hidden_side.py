"""What affiliates may not see is on no page of the portal."""

from decimal import Decimal

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.page_world import READ
from tests.support.pages import PageReader, affiliate_visitor
from tests.support.people_pages import earn
from trackyard.domain.conversions.statuses import Status

WORDS = ("advertiser", "charge", "margin")
VALUES = ("Secret shop", "secret-shop", "1234.5", "1,234.5", "/console/offers")
ADDRESSES = ("", "?period=today&by=offer&by=day&add=country&figures=charge&figures=margin&show=margin", "?qr=1&sub1=x")


@pytest.mark.parametrize("query", ADDRESSES)
def test_portal_page_shows_nothing_of_the_advertiser(api: Api, query: str) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    advertiser = api.add_advertiser(title="Secret shop", email="owner@secret-shop.example")
    payment = {"payments[0][total]": "1234.5", "payments[0][revenue]": "7"}
    offer = api.add_offer(privacy="public", advertiser=advertiser, url="https://secret-shop.example/", **payment)
    pid, visitor = affiliate_visitor(api)
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][conversions-import][level]": "write"})
    load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=advertiser) for number in (1, 2)])
    known = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser, "charge": Decimal("1234.5")}
    add_conversion(api.deps, 1, **known)
    add_conversion(api.deps, 2, status=Status.DECLINED, comment="Payments not found", **known)
    added = visitor.post("/portal/postbacks/new", form_do="save", url="https://a.example/?c={clickid}")
    pixel = {"offer_id": offer, "name": "Count", "code_type": "image", "code": "<img src='https://a.example'>"}
    counted = visitor.post("/portal/pixels/new", form_do="save", **pixel)
    assert (added.status_code, counted.status_code) == (303, 303)
    earn(api, pid, "7")
    [paid] = api.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    api.admin.post(f"/3.1/admin/payments/{paid['id']}", status="paid")
    sent = {"email": "ann@people.example", "name": "Ann Lee", "role": "reports"}
    member = api.admin.post("/3.1/people", company=f"affiliate:{pid}", **sent)["person"]
    sent = {"subject": "affiliate", "subject_id": str(pid), "text": "Hello"}
    thread = api.admin.post("/3.1/threads", **sent)["thread"]["id"]
    routes = [route for route in READ if route.audience == "affiliate"]
    assert len(routes) >= 30
    for route in routes:
        number = thread if route.path.startswith("/portal/threads/") else "1"
        path = route.path.replace("{id}", number).replace("{person}", member["id"])
        if path == "/portal/threads/about":  # which leads to the list without a thing
            continue
        answer = visitor.get(f"{path}{query}" if not path.endswith("/file") else f"{path}?format=csv")
        absent = path.endswith("/products") or path == "/portal/messages/1"  # no feed, and no message of staff
        assert answer.status_code == (404 if absent else 200), (path, answer.text[:500])
        if path.endswith("/file"):
            assert "1234.5" not in answer.text
            continue
        said = PageReader(answer.text).text.lower()
        assert not [word for word in WORDS if word in said], path
        assert not [value for value in VALUES if value in answer.text], path
