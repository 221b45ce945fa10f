"""Payments, requests, postbacks, SmartLinks, referrals and news of affiliates."""

from decimal import Decimal

from tests.support.api import NOW, Api
from tests.support.delivery_attempts import add_attempt
from tests.support.models.events import NOON
from tests.support.pages import advertiser_visitor, affiliate_visitor, staff_visitor, store_address
from trackyard.base.ids import new_id
from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.store.money import ledger

MARKUP = '"><script>alert(1)</script>'


def test_own_payments_have_the_balance_and_the_payments_of_the_affiliate(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    empty = visitor.read("/portal/payments").text
    assert "There is no payment yet." in empty and "Available $0.00" in empty
    entries = [
        LedgerEntry(affiliate, "conversion", new_id(NOW), 1, "USD", ZERO, Decimal(amount), NOW)
        for affiliate, amount in ((pid, "30"), (other, "77"))
    ]
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, entries)
    api.admin.post("/3.1/admin/payments", **{"pid[]": [pid, other]})
    text = visitor.read("/portal/payments").text
    assert "Being paid $30.00" in text and "$77.00" not in text
    assert "Available $0.00" in text
    assert "Nothing meets these filters." in visitor.read("/portal/payments?status=paid").text
    [own] = api.admin.get("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    api.admin.post(f"/3.1/admin/payments/{own['id']}", status="paid")
    text = visitor.read("/portal/payments?status=paid").text
    assert "Paid 2023-11-14" in text and "$30.00" in text


def test_own_requests_say_what_staff_decided(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    assert "You asked for no offer and asked no question yet." in visitor.read("/portal/requests").text
    offer = api.add_offer(title="Boots", privacy="protected")
    visitor.post(f"/portal/offers/{offer}/request", comment=MARKUP)
    answer = visitor.get("/portal/requests")
    assert "<script>alert" not in answer.text
    assert "Open" in visitor.read("/portal/requests").text
    [ticket] = api.admin.get("/3.1/admin/tickets")["tickets"]
    api.admin.post(f"/3.1/admin/ticket/{ticket['id']}/offer", do="reject")
    assert "Rejected" in visitor.read("/portal/requests").text
    _, stranger = affiliate_visitor(api)
    assert "Rejected" not in stranger.read("/portal/requests").text


def test_own_postback_is_added_changed_and_removed(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    assert "You have no postback yet." in visitor.read("/portal/postbacks").text
    typed = {"form_do": "save", "url": "no url", "goal": "sale"}
    refused = visitor.post("/portal/postbacks/new", **typed)
    assert refused.status_code == 400 and "no url" in refused.text
    assert visitor.post("/portal/postbacks/new", **typed | {"url": "https://a.example/?c={clickid}"}).status_code == 303
    page = visitor.read("/portal/postbacks")
    assert "https://a.example/?c={clickid} all every change sale Active" in page.text
    assert "{clickid} ID of the click" in page.text
    [edit] = [link for link in page.links if link.endswith("/edit")]
    changed = visitor.post(edit, form_do="save", url="https://b.example/", goal="sale")
    assert changed.status_code == 303
    assert "https://b.example/ all every change sale" in visitor.read("/portal/postbacks").text
    removal = edit.replace("/edit", "/delete")
    assert "Delete postback" in visitor.read(removal).text
    _, stranger = affiliate_visitor(api)
    assert stranger.get(removal).status_code == 404
    assert stranger.post(removal).status_code == 404
    assert visitor.post(removal).status_code == 303
    assert "You have no postback yet." in visitor.read("/portal/postbacks").text


def test_own_postback_test_shows_what_the_server_answered(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    visitor.post("/portal/postbacks/new", form_do="save", url="http://shop.example/?c={clickid}")
    store_address(api, "http://127.0.0.1:9/?c={clickid}")
    [edit] = [link for link in visitor.read("/portal/postbacks").links if link.endswith("/edit")]
    tested = visitor.post(edit.replace("/edit", "/test"))
    assert tested.status_code == 200
    assert "your server cannot be reached" in tested.text
    assert "c={clickid}" not in tested.text.partition("verdict")[2].partition("</div>")[0]


def test_own_postbacks_say_how_many_deliveries_succeeded(api: Api) -> None:
    api.clock.advance(NOON + 60_000 - NOW)
    pid, visitor = affiliate_visitor(api)
    assert "Nothing was sent in these days." in visitor.read("/portal/postbacks").text
    for code in (200, 204, 200, 500):
        add_attempt(api.deps.analytics, affiliate=pid, time=NOON + 2000, started_at=NOON + 2000, http_code=code)
    text = visitor.read("/portal/postbacks").text.replace("\N{NO-BREAK SPACE}", " ")
    assert "Your server took 3 of 4 requests: 75.0 %. 1 failed (25.0 %)." in text
    _, stranger = affiliate_visitor(api)
    assert "Your server took" not in stranger.read("/portal/postbacks").text


def test_own_smartlinks_and_referrals_carry_the_number_of_the_affiliate(api: Api) -> None:
    api.clock.advance(NOON + 60_000 - NOW)
    pid, visitor = affiliate_visitor(api, ref_percent="5")
    assert "The network has no SmartLinks." in visitor.read("/portal/smartlinks").text
    category = api.admin.post("/3.1/admin/smartlink/category", name=MARKUP)["category"]["_id"]
    answer = visitor.get("/portal/smartlinks")
    assert "<script>alert" not in answer.text
    assert f"http://track.example/sl?id={category}&pid={pid}" in visitor.read("/portal/smartlinks").text
    text = visitor.read("/portal/referrals").text.replace("\N{NO-BREAK SPACE}", " ")
    assert "You get 5.0 % of what affiliates earn" in text
    assert "No affiliate that you brought earned anything in these days." in text


def test_smartlink_is_requested_on_its_page_and_decided_on_that_of_staff(api: Api) -> None:
    made = api.admin.post("/3.1/admin/smartlink/category", name=MARKUP)["category"]["_id"]
    pid, visitor = affiliate_visitor(api)
    page, ask, requests = "/portal/smartlinks", f"/portal/smartlinks/{made}/request", "/console/requests"
    missing = visitor.post("/portal/smartlinks/0123/request", comment="By mail")
    assert missing.status_code == 404
    early = visitor.post(ask, comment="By mail")
    assert early.status_code == 400 and "This SmartLink has no offer yet." in early.text and "By mail" in early.text
    offer = api.add_offer(title="Boots", privacy="protected", **{"smartlink_categories[]": [made]})
    assert "Say how you want to promote the offers." in visitor.post(ask, comment=" ").text
    assert "Request its offers" in visitor.read(page).text
    assert visitor.post(ask, comment="By mail").status_code == 303
    text = visitor.read(page).text
    assert "the request is sent." in text.lower() and " Open " in text and "Request its offers" not in text
    assert visitor.post(ask, comment="Again").status_code == 303
    assert "The request waits already." in visitor.read(page).text
    staff = staff_visitor(api)
    waiting = staff.read(requests)
    assert f"{MARKUP} SmartLink: all of its offers By mail" in waiting.text
    assert staff.read(next(link for link in waiting.links if made in link)).fields["name"] == MARKUP
    [ticket] = api.admin.get("/3.1/admin/tickets")["tickets"]
    staff.post(requests, one=f"reject s{ticket['id']}", reason="No mail")
    rejected = visitor.read(page).text
    assert "Rejected No mail Request its offers" in rejected
    visitor.post(ask, comment="By search")
    newest = api.admin.get("/3.1/admin/tickets", status="open")["tickets"][0]["id"]
    staff.post(requests, one=f"approve s{newest}")
    assert api.admin.get(f"/3.1/offers/{offer}/privacy")["affiliates_enabled"] == [pid]
    assert " Approved " in visitor.read(page).text
    visitor.post(ask, comment="Once more")
    assert "You have all offers of this SmartLink already." in visitor.read(page).text
    _, stranger = affiliate_visitor(api)
    assert " Approved " not in stranger.read(page).text


def test_own_news_are_those_that_staff_published(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    assert "There are no news." in visitor.read("/portal/news").text
    api.admin.post("/3.1/admin/news", title=MARKUP, small_desc="<p>Short</p>", desc="Long", fixed=1)
    api.admin.post("/3.1/admin/news", title="Draft", status=0)
    answer = visitor.get("/portal/news")
    assert "<script>alert" not in answer.text and "Draft" not in answer.text
    assert "Pinned 2023-11-14 22:13 Short Long" in visitor.read("/portal/news").text


def test_news_are_on_the_first_page_and_unread_until_they_are_read(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    _, advertiser = advertiser_visitor(api)
    assert "All news" not in visitor.read("/portal/").text
    for number in range(4):
        api.clock.advance(1000)  # news of one moment have no order
        api.admin.post(
            "/3.1/admin/news", title=f"News {number}", desc="Long\nread", audience="all", fixed=int(not number)
        )
    for person, home, page in ((visitor, "/portal/", "/portal/news"), (advertiser, "/advertiser/", "/advertiser/news")):
        shown = person.read(home)
        assert "4 unread" in shown.text and page in shown.links
        assert "News 0" in shown.text and "News 3" in shown.text and "News 1" not in shown.text
        assert "News 1" in person.read(page).text
        assert "unread" not in person.read(home).text


def test_own_pixel_is_added_changed_and_removed(api: Api) -> None:
    offer = api.add_offer(title="Boots", privacy="public")
    _, visitor = affiliate_visitor(api)
    assert "You have no pixel." in visitor.read("/portal/postbacks").text
    typed = {"form_do": "save", "name": "Count", "code_type": "iframe", "offer_id": str(offer)}
    assert visitor.post("/portal/pixels/new", **typed, code="").status_code == 400
    assert (
        visitor.post("/portal/pixels/new", **typed, code="<iframe src='https://a.example'></iframe>").status_code == 303
    )
    page = visitor.read("/portal/postbacks")
    assert "Count Boots iframe Waits for a check" in page.text
    [edit] = [link for link in page.links if link.startswith("/portal/pixels/") and link.endswith("/edit")]
    assert visitor.post(edit, form_do="save", name=MARKUP, code_type="iframe").status_code in (303, 400)
    assert "<script>alert" not in visitor.get("/portal/postbacks").text
    removal = edit.replace("/edit", "/delete")
    _, stranger = affiliate_visitor(api)
    assert stranger.get(removal).status_code == 404
    assert "Delete the pixel" in visitor.read(removal).text
    assert visitor.post(removal).status_code == 303
    assert "You have no pixel." in visitor.read("/portal/postbacks").text
