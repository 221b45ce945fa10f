"""Threads on the pages of staff, affiliates and advertisers."""

from io import BytesIO
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor, advertiser_visitor, affiliate_visitor, console_app, staff_visitor

HOSTILE = '"><script>alert(1)</script>'


def send(visitor: Visitor, path: str, text: str, **more: Any) -> Any:
    token = visitor.read(path).fields["form_token"]
    return visitor.client.post(path, data={"form_token": token, "text": text} | more)


def test_affiliate_and_staff_write_to_each_other_about_an_offer(api: Api) -> None:
    app = console_app(api)
    staff = staff_visitor(api, app=app)
    pid, ann = affiliate_visitor(api, name="Ann")
    offer = api.add_offer(title="Shoes", privacy="public")
    page = ann.read(f"/portal/offers/{offer}")
    assert f"/portal/threads/about?subject=offer&id={offer}" in page.links and "Nothing is written about" in page.text
    about = f"/portal/threads/about?subject=offer&id={offer}"
    place = send(ann, about, f"May I {HOSTILE}").headers["location"]
    assert "May I" in ann.get(place).text and HOSTILE not in ann.get(place).text
    number = place.rpartition("/")[2]
    listed = staff.read("/console/threads")
    assert "1 unread" in listed.text and f"/console/threads/{number}" in listed.links
    assert "May I" in staff.get(f"/console/threads/{number}").text
    assert "1 unread" not in staff.read("/console/threads").text, "opening marks it"
    png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + (8).to_bytes(4) + (8).to_bytes(4) + b"\x08\x02"
    token = staff.read("/console/").fields["form_token"]
    sent = {"data": {"form_token": token, "text": "Yes"}, "files": {"files[]": ("terms.png", BytesIO(png))}}
    assert staff.client.post(f"/console/threads/{number}", **sent).status_code == 303
    home = ann.read("/portal/")
    assert "Unread messages" in home.text and place in home.links and place in ann.read(f"/portal/offers/{offer}").links
    assert f"/console/threads/{number}" in staff.read(f"/console/offers/{offer}").links
    shown = ann.read(place)
    assert "terms.png" in shown.text and any("/files/" in link for link in shown.links)
    assert "Unread messages" not in ann.read("/portal/").text
    refused = send(ann, place, "")
    assert refused.status_code == 400
    assert staff.get(f"/console/threads/about?subject=affiliate&id={pid}").status_code == 200


def test_staff_choose_the_company_of_an_offer_and_of_a_conversion(api: Api) -> None:
    staff = staff_visitor(api)
    number, shop = advertiser_visitor(api)
    offer = api.add_offer(title="Shoes", advertiser=number, privacy="public")
    pid, _ = affiliate_visitor(api)
    about = f"/console/threads/about?subject=offer&id={offer}"
    assert send(staff, about, "To the shop").status_code == 303
    assert send(staff, about, "To the affiliate", company=str(pid)).status_code == 303
    refused = send(staff, about, "To no company", company="4711")
    assert refused.status_code == 400 and "To no company" in refused.text
    assert len([each for each in staff.read(about).links if each.startswith("/console/threads/6")]) == 2
    text = shop.read("/advertiser/threads").text
    assert "Shoes" in text and "1 unread" in text


@pytest.mark.parametrize("home", ["/console/", "/portal/", "/advertiser/"])
def test_list_of_threads_begins_empty_and_a_thing_without_a_name_leads_to_it(api: Api, home: str) -> None:
    people = {"/console/": staff_visitor, "/portal/": affiliate_visitor, "/advertiser/": advertiser_visitor}
    made: Any = people[home](api)
    visitor = made if isinstance(made, Visitor) else made[1]
    assert "Nothing is written yet." in visitor.get(f"{home}threads").text
    assert visitor.get(f"{home}threads/about?subject=news").headers["location"] == f"{home}threads"
    assert visitor.get(f"{home}threads/{'0' * 24}").status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "saved"),
    [
        ("terms.pdf", b"%PDF-1.7 rest", True),
        ("orders.csv", "order;sum\nä;1".encode(), True),
        ("page.html", b"<script>alert(1)</script>", False),
        ("program.exe", b"MZ\x90\x00", False),
        ("empty.txt", b"", False),
    ],
)
def test_thread_takes_documents_that_browsers_only_save(api: Api, name: str, content: bytes, *, saved: bool) -> None:
    staff = staff_visitor(api)
    pid, _ = affiliate_visitor(api)
    about = f"/console/threads/about?subject=affiliate&id={pid}"
    token = staff.read(about).fields["form_token"]
    sent = {"data": {"form_token": token, "text": "See"}, "files": {"files[]": (name, BytesIO(content))}}
    answer = staff.client.post(about, **sent)
    assert answer.status_code == (303 if saved else 415)
    if saved:
        [link] = [each for each in staff.read(answer.headers["location"]).links if "/files/" in each]
        got = staff.client.get(link)
        assert got.content == content
        assert got.headers["content-disposition"].startswith("attachment") and "sandbox" in str(got.headers)
