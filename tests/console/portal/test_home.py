"""The first page of affiliates."""

from decimal import Decimal

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import Visitor, affiliate_visitor, staff_visitor
from tests.support.people_pages import earn
from trackyard.console import app as app_of_pages
from trackyard.domain.conversions.statuses import Status

DAY_MS = 86_400_000
MARKUP = '"><script>alert(1)</script>'


@pytest.fixture
def seller(api: Api) -> tuple[Api, int, int, Visitor]:
    """An affiliate with clicks of today and yesterday and four conversions of today; it is 18:00."""
    api.clock.advance(NOON + 6 * 3_600_000 - NOW)
    manager, _ = api.add_staff()
    offer = api.add_offer(
        title=MARKUP,
        privacy="public",
        **{
            "landings[0][title]": "Autumn",
            "landings[0][url]": "https://shop.example/a",
            "landings[0][url_preview]": "https://shop.example/a",
        },
    )
    pid, visitor = affiliate_visitor(api, manager_id=manager, contact_person="Ines")
    own = {"offer": offer, "affiliate": pid}
    clicks = [new_click(number, **own) for number in range(1, 9)]
    clicks += [new_click(number, **own, time=NOON - DAY_MS) for number in range(11, 15)]
    clicks += [new_click(21, **own, time=NOON - DAY_MS + 8 * 3_600_000)]  # at 20:00, which is still to come today
    load_clicks(api.deps, clicks)
    for number, status in enumerate((Status.CONFIRMED, Status.PENDING, Status.HOLD), 1):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=pid, status=status, click={"sub1": MARKUP})
    add_conversion(
        api.deps,
        4,
        offer_id=offer,
        affiliate_id=pid,
        status=Status.DECLINED,
        comment="Cap is reached",
        payout=Decimal(0),
    )
    return api, offer, pid, visitor


def test_home_of_an_affiliate_has_its_money_and_compares_today_with_yesterday(
    seller: tuple[Api, int, int, Visitor],
) -> None:
    text = seller[3].read("/portal/").text.replace("\N{NO-BREAK SPACE}", " ")
    assert "Good evening, Ines" in text
    assert "Earned today $21.00 new" in text
    assert "Clicks today 8 ↑ 100 % up to 18:00" in text
    assert "Conversions 3 new" in text
    assert "EPC $0.875" in text  # 7 dollars of a confirmed conversion over 8 clicks
    assert "Your manager Mia Manager" in text


def test_home_of_an_affiliate_makes_the_link_that_its_address_names(seller: tuple[Api, int, int, Visitor]) -> None:
    _, offer, pid, visitor = seller
    page = visitor.read(f"/portal/?offer={offer}&landing=1&sub1=ig+story")
    assert f"http://track.example/click?pid={pid}&offer_id={offer}&l=1&sub1=ig+story" in page.text
    assert page.fields["sub1"] == "ig story"
    copied = [given["data-copy"] for tag, given in page.elements if "data-copy" in given]
    assert copied[0].endswith("&sub1=ig+story") and copied[1].endswith("?sub1=ig+story")
    assert "show=clicks" in " ".join(page.links)


def test_home_of_an_affiliate_tests_its_link_at_once(
    seller: tuple[Api, int, int, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_of_pages, "address_of", lambda _request: "203.0.113.9")
    _, offer, _, visitor = seller
    visitor.client.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"
    assert "The click gets through." in visitor.read("/portal/").text
    visitor.client.headers["User-Agent"] = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    page = visitor.read(f"/portal/?offer={offer}")
    assert "The click is rejected: the visitor is a known bot." in page.text
    assert f"/portal/offers/{offer}?test=1#test" in page.links


def test_home_of_an_affiliate_has_new_and_top_offers(seller: tuple[Api, int, int, Visitor]) -> None:
    api, offer, _, visitor = seller
    newest = api.add_offer(title="Newest", privacy="protected")
    page = visitor.read("/portal/")
    new, _, top = page.text.partition("New offers")[2].partition("Top offers")
    assert new.index("Newest On request") < new.index(MARKUP)
    assert "Newest" not in top and (MARKUP in top or not top), "an offer without clicks earns nothing"
    assert {f"/portal/offers/{newest}", f"/portal/offers/{offer}", "/portal/offers"} <= set(page.links)


def test_pages_show_the_complete_request_that_gives_the_same(seller: tuple[Api, int, int, Visitor]) -> None:
    api, offer, _, visitor = seller
    base = api.deps.api_url
    home, shown = (visitor.read(path).text for path in ("/portal/", f"/portal/offers/{offer}"))
    assert f"curl -H 'API-Key: KEY' '{base}/3.1/balance'" in home and f"'{base}/3.1/stats/custom?" in home
    assert f"curl -H 'API-Key: KEY' '{base}/3.1/offer/{offer}'" in shown
    overview = staff_visitor(api).read("/console/?period=today").text
    assert f"'{base}/3.1/stats/custom?slice%5B%5D=day&filter%5Bdate_from%5D=2023-11-15" in overview
    form = staff_visitor(api).read("/console/offers/new").text
    assert f"{base}/3.1/admin/offer" in form and "ADDRESS" not in home + shown + overview + form


def test_home_of_an_affiliate_says_why_a_conversion_was_declined(seller: tuple[Api, int, int, Visitor]) -> None:
    text = seller[3].read("/portal/").text
    assert "Declined" in text
    assert "Cap is reached. A cap of conversions or of budget is reached." in text


def test_home_of_an_affiliate_shows_hostile_names_as_text(seller: tuple[Api, int, int, Visitor]) -> None:
    answer = seller[3].get("/portal/?show=clicks")
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text


def test_home_of_a_new_affiliate_says_what_comes_next(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    text = visitor.read("/portal/").text
    assert "You may not send visitors to an offer yet." in text
    assert "No conversion in the last 21 days." in text
    assert "Available $0.00" in text


def test_portal_is_for_affiliates_and_the_console_for_staff(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    page = visitor.read("/portal/?show=nothing&offer=x&landing=y")
    assert "/portal/" in page.links and "/console/" not in page.links
    assert visitor.get("/console/").status_code == 403
    assert staff_visitor(api).get("/portal/").status_code == 403


def test_rail_shows_five_pages_and_others_once_they_are_used(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    page = visitor.get("/portal/").text
    plain, _, folded = page.partition('<details class="more"')
    assert "/portal/payments" in plain and "/portal/postbacks" not in plain and "/portal/postbacks" in folded
    api.add_affiliate(ref=str(pid))
    plain = visitor.get("/portal/").text.partition('<details class="more"')[0]
    assert "/portal/referrals" in plain and "/portal/postbacks" not in plain
    assert '<details class="more" open>' in visitor.get("/portal/news").text


def test_home_of_an_affiliate_has_every_currency_while_another_is_being_paid(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    for currency, amount in (("JPY", "166"), ("GBP", "3")):
        earn(api, pid, amount, currency=currency)
    api.admin.post("/3.1/admin/payments", pid=[pid])
    for currency, amount in (("USD", "17.5"), ("EUR", "5"), ("KWD", "2")):
        earn(api, pid, amount, currency=currency)
    text = visitor.read("/portal/").text.replace("\N{NO-BREAK SPACE}", " ")
    tile = text.partition("Available")[2].partition("On hold")[0]
    assert "$17.50" in tile and "€5.00" in tile and "KWD" in tile, tile
    assert "is being paid" in tile and "JPY" in tile and "£3.00" in tile, tile
