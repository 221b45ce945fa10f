"""The pages of advertisers: home, offers, conversions, statistics and postback addresses."""

import csv
from dataclasses import dataclass
from decimal import Decimal

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import PageReader, Visitor, advertiser_visitor, staff_visitor
from trackyard.domain.conversions.statuses import Status

CODE = "a-code-of-the-shop-12345678"
DAY_MS = 86_400_000
DAYS = "from=2023-11-01&to=2023-11-15"


@dataclass
class Shop:
    """An advertiser with an offer of two goals, clicks and conversions, and the offer of another one."""

    api: Api
    number: str
    offer: int
    affiliate: int
    visitor: Visitor

    def text(self, path: str) -> str:
        """The words of a page."""
        return self.visitor.read(path).text.replace("\N{NO-BREAK SPACE}", " ")

    def rows(self, path: str) -> list[dict[str, str]]:
        """The rows of a file."""
        answer = self.visitor.get(path)
        assert answer.headers["content-type"].startswith("text/csv"), answer.text[:500]
        return list(csv.DictReader(answer.content.decode("utf-8-sig").splitlines()))


@pytest.fixture
def shop(api: Api) -> Shop:
    api.clock.advance(NOON + 6 * 3_600_000 - NOW)
    number, visitor = advertiser_visitor(api, title="Blue Shop", hash_password=CODE)
    terms = {
        "payments[1][total]": "5",
        "payments[1][revenue]": "3",
        "payments[1][goal]": "deposit one",
        "payments[1][type]": "percent",
        "payments[1][title]": "Deposit",
    }
    offer = api.add_offer(advertiser=number, title="Shoes", url="https://shop.example/?ref={clickid}", **terms)
    foreign = api.add_offer(title="Foreign offer")
    pid, _ = api.add_affiliate(name="Secret affiliate")
    own = {"offer": offer, "affiliate": pid, "advertiser": number, "sub1": "secret-sub"}
    clicks = [new_click(place, **own) for place in range(1, 5)]
    clicks += [new_click(place, **own, time=NOON - 3 * DAY_MS) for place in range(11, 13)]
    load_clicks(api.deps, [*clicks, new_click(21, offer=foreign, affiliate=pid)])
    parties = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": number}
    for place, status in enumerate((Status.CONFIRMED, Status.PENDING, Status.HOLD), 1):
        add_conversion(
            api.deps, place, **parties, status=status, action_id=f"order-{place}", click={"sub1": "secret-sub"}
        )
    add_conversion(api.deps, 4, **parties, status=Status.DECLINED, comment="Cap is reached", charge=Decimal(0))
    add_conversion(api.deps, 21, offer_id=foreign, affiliate_id=pid, action_id="foreign-order")
    return Shop(api, number, offer, pid, visitor)


def test_home_has_clicks_conversions_by_status_and_charge(shop: Shop) -> None:
    text = shop.text("/advertiser/")
    assert "Confirmed charge today $10.00 7 days: $10.00 · 30 days: $10.00" in text
    assert "Clicks today 4 7 days: 6 · 30 days: 6" in text
    assert "Confirmed 1 1 1 Pending 1 1 1 On hold 1 1 1 Declined 1 1 1 Clicks 4 6 6" in text
    assert "You pay $10.00 $10.00 $10.00 May come $20.00 $20.00 $20.00" in text
    assert "Clicks" in shop.text("/advertiser/?show=clicks")
    assert "/advertiser/conversions?status=declined&period=7d" in shop.visitor.read("/advertiser/").links


def test_pages_show_no_affiliate_payout_or_margin_and_nothing_of_others(shop: Shop) -> None:
    paths = ("", "offers", f"offers/{shop.offer}", "conversions", "statistics?by=offer", "postbacks", "profile")
    for path in paths:
        content = shop.visitor.get(f"/advertiser/{path}").text
        hidden = ("Secret affiliate", "secret-sub", "Foreign", "foreign-order", "$7.00", "Payout", "Margin", "EPC")
        assert [name for name in hidden if name in content] == [], path
    assert shop.visitor.get("/advertiser/offers/999").status_code == 404


def test_conversions_are_filtered_explained_and_sent_as_a_file(shop: Shop) -> None:
    text = shop.text(f"/advertiser/conversions?{DAYS}")
    assert "4 conversions" in text
    assert "Cap is reached. A cap of conversions or of budget is reached." in text
    assert "1 conversion ·" in shop.text(f"/advertiser/conversions?{DAYS}&status=pending")
    assert "1 conversion ·" in shop.text(f"/advertiser/conversions?{DAYS}&action=order-3")
    assert "Nothing meets these filters." in shop.text(f"/advertiser/conversions?{DAYS}&country=FR")
    rows = shop.rows(f"/advertiser/conversions?{DAYS}&status=confirmed&format=csv&fields=all")
    assert [(row["action_id"], row["charge"], row["offer_title"]) for row in rows] == [("order-1", "10", "Shoes")]
    assert (rows[0]["partner_id"], rows[0]["sub1"]) == ("", "")
    rows = shop.rows(f"/advertiser/conversions?{DAYS}&status=confirmed&format=csv")
    assert (rows[0]["Action id"], rows[0]["Charge"]) == ("order-1", "10") and "Affiliate" not in rows[0]


def test_affiliates_appear_once_staff_let_the_advertiser_see_them(shop: Shop) -> None:
    shop.api.admin.post(f"/3.1/admin/advertiser/{shop.number}", sees_affiliates=1)
    text = shop.text(f"/advertiser/conversions?{DAYS}")
    assert f"#{shop.affiliate} secret-sub" in text and "$7.00" not in text
    [row] = shop.rows(f"/advertiser/conversions?{DAYS}&status=confirmed&format=csv&fields=all")
    assert (row["partner_id"], row["sub1"]) == (str(shop.affiliate), "secret-sub")


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("day", "2023-11-15 4 4 1 1 1 1 75.0 % $30.00"),
        ("offer", "Shoes 6 new 6 1 1 1 1 50.0 % $30.00"),
        ("country", "6 new 6 1 1 1 1 50.0 % $30.00"),
        ("goal", "1 1 1 1"),
    ],
)
def test_statistics_are_those_of_the_api(shop: Shop, by: str, rows: str) -> None:
    path = f"/advertiser/statistics?{DAYS}&by={by}"
    assert rows in shop.text(path)
    charges = sum(float(row["actions.total.charge"] or 0) for row in shop.rows(f"{path}&format=csv&fields=all"))
    assert charges == 30


def test_statistics_compare_the_days_that_are_over_with_the_days_before(shop: Shop) -> None:
    parties = {"offer": shop.offer, "affiliate": shop.affiliate, "advertiser": shop.number}
    load_clicks(shop.api.deps, [new_click(place, **parties, time=NOON - 8 * DAY_MS) for place in range(31, 35)])
    text = shop.text("/advertiser/statistics?period=7d&by=offer")
    assert "Changes compare the days that are over with the 7 days before." in text
    assert "Total 6 ↓ 50 % — 1 1 1 1 50.0 % new $30.00 new $10.00 $10.00 $10.00 Shoes 6 ↓ 50 % 6 1" in text
    assert "Changes compare" not in shop.text("/advertiser/statistics?period=today")


def test_numbers_of_statistics_lead_to_the_conversions_that_they_count(shop: Shop) -> None:
    page = shop.visitor.read(f"/advertiser/statistics?{DAYS}&by=day")
    [link] = [each for each in page.links if "status=pending" in each]
    assert "1 conversion · 15 Nov 2023" in shop.text(link)


def test_offer_has_charges_the_postback_address_and_a_test(shop: Shop) -> None:
    assert "Shoes" in shop.text("/advertiser/offers?q=sho")
    assert "Nothing meets these filters." in shop.text("/advertiser/offers?q=boots")
    page = shop.visitor.read(f"/advertiser/offers/{shop.offer}")
    assert "The parameter ref has the click id" in page.text
    assert "deposit one · Deposit" in page.text and "$10.00" in page.text
    copied = [given["data-copy"] for _, given in page.elements if "data-copy" in given]
    base = f"http://track.example/postback?clickid=CLICK&secure={CODE}&action_id=ORDER"
    assert copied[-2:] == [base, f"{base}&sum=AMOUNT&goal=deposit%20one"]


def test_postback_addresses_have_each_goal_with_its_pixel(shop: Shop) -> None:
    page = shop.visitor.read("/advertiser/postbacks")
    copied = [given["data-copy"] for _, given in page.elements if "data-copy" in given]
    assert f"http://track.example/postback?clickid=CLICK&secure={CODE}" in copied
    pixels = [each for each in copied if each.startswith("<img")]
    assert len(pixels) == 2 and "&afid=ORDER&afprice=AMOUNT&afgoal=deposit%20one" in pixels[1]
    shop.api.admin.post(f"/3.1/admin/offer/{shop.offer}", pixels=0)
    assert "<img" not in shop.visitor.read("/advertiser/postbacks").source.replace("&lt;", "<")


def test_advertiser_changes_its_contact_on_its_profile(shop: Shop) -> None:
    sent = {"contact": "Ada", "skype": "", "url": "no address"}
    refused = shop.visitor.post("/advertiser/profile/contact", **sent)
    assert refused.status_code == 400 and PageReader(refused.text).fields["contact"] == "Ada"
    assert shop.visitor.post("/advertiser/profile/contact", **sent | {"url": ""}).status_code == 303
    assert "Your contact is saved." in shop.text("/advertiser/profile")
    assert shop.api.admin.get(f"/3.1/admin/advertiser/{shop.number}")["advertiser"]["contact"] == "Ada"


def test_staff_say_whether_an_advertiser_signs_in_and_send_no_password(shop: Shop) -> None:
    path = f"/console/advertisers/{shop.number}"
    staff = staff_visitor(shop.api)
    assert "Mail a sign-in link" in staff.read(path).text
    assert staff.post(f"{path}/password").status_code == 404
    assert shop.visitor.get("/advertiser/").status_code == 200, "it stays signed in"
    page = staff.read(f"{path}/edit")
    names = {given.get("name") for _, given in page.elements}
    assert {"status", "sees_affiliates"} <= names
