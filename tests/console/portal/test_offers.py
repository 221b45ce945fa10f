"""The offers of affiliates: the list, one offer, its link, a request for it."""

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import Visitor, affiliate_visitor
from trackyard.domain.tracking.reference.texts import reference_texts
from trackyard.domain.tracking.rejections import REJECTION_REASONS

MARKUP = '"><script>alert(1)</script>'


def numbers(visitor: Visitor, query: str = "") -> list[str]:
    """The numbers of the listed offers, in order."""
    links = visitor.read(f"/portal/offers{query}").links
    return [link.rpartition("/")[2] for link in links if link.startswith("/portal/offers/")]


def test_own_offer_list_filters_by_what_its_address_says(api: Api) -> None:
    category = api.admin.post("/3.1/admin/category", title="Games")["category"]["id"]
    public = api.add_offer(title="Shoes", privacy="public", **{"categories[]": category})
    protected = api.add_offer(title="Boots", privacy="protected", **{"countries[]": "DE"})
    api.add_offer(title="Secret", privacy="private")
    _, visitor = affiliate_visitor(api)
    assert numbers(visitor) == [str(protected), str(public)]
    assert numbers(visitor, "?sort=title") == [str(protected), str(public)]
    for query, number in (("?q=sho", public), (f"?category={category}", public), ("?country=DE", protected)):
        assert numbers(visitor, query) == [str(number)], query
    assert numbers(visitor, "?mine=1") == [str(public)]
    text = visitor.read("/portal/offers").text
    assert f"{public} Shoes Games Connected all $7.00" in text
    assert f"{protected} Boots On request DE $7.00" in text
    assert "Nothing meets these filters." in visitor.read("/portal/offers?q=nothing").text
    assert numbers(visitor, "?page=x&sort=drop&category=no&country=no&mine=no") == [str(protected), str(public)]


def test_own_offer_list_has_epc_and_cr_of_own_clicks_and_is_ordered_by_them(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    first, second, third = (api.add_offer(title=title, privacy="public") for title in ("Shoes", "Boots", "Hats"))
    pid, visitor = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    place = 0
    for offer, owner, clicks, made in (
        (first, pid, 4, 1),
        (second, pid, 4, 2),
        (first, other, 1, 5),
        (third, other, 1, 1),
    ):
        load_clicks(api.deps, [new_click(place + each, offer=offer, affiliate=owner) for each in range(1, clicks + 1)])
        for each in range(1, made + 1):
            add_conversion(api.deps, place + each, offer_id=offer, affiliate_id=owner)
        place += 10
    text = visitor.read("/portal/offers").text.replace("\N{NO-BREAK SPACE}", " ")
    assert f"{first} Shoes Connected all $7.00 $1.75 25.0 %" in text
    assert f"{second} Boots Connected all $7.00 $3.50 50.0 %" in text
    assert f"{third} Hats Connected all $7.00 — — —" in text
    assert numbers(visitor, "?sort=epc") == numbers(visitor, "?sort=cr-desc") == [str(second), str(first), str(third)]
    assert numbers(visitor, "?sort=epc-asc")[1:] == [str(first), str(second)]
    top = visitor.read("/portal/").text.partition("Top offers")[2].replace("\N{NO-BREAK SPACE}", " ")
    assert top.index("Boots Connected $7.00 $3.50") < top.index("Shoes Connected $7.00 $1.75") and "Hats" not in top


def test_own_offer_list_is_empty_before_the_first_offer(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    assert "There is no offer for you yet." in visitor.read("/portal/offers").text


def test_own_offer_says_its_conditions_and_makes_its_link(api: Api) -> None:
    limits = {"strictly_country": 1, "countries[]": "DE", "allow_deeplink": 1, "hold_period": 7}
    offer = api.add_offer(title=MARKUP, privacy="public", **limits)
    pid, visitor = affiliate_visitor(api)
    answer = visitor.get(f"/portal/offers/{offer}")
    assert "<script>alert" not in answer.text
    page = visitor.read(f"/portal/offers/{offer}?sub7=x%26y&path=https://shop.example/new")
    assert "Visitors from Germany ." in page.text
    assert "confirmed conversions are on hold for 7 days" in page.text
    link = f"http://track.example/click?pid={pid}&offer_id={offer}&sub7=x%26y&redirect=https%3A%2F%2Fshop.example%2Fnew"
    assert link in [given.get("data-copy") for _, given in page.elements]
    assert "path=%2Fnew" in visitor.get(f"/portal/offers/{offer}?path=/new").text


def test_own_offer_says_who_gets_through_for_the_affiliate_itself(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    groups = {
        "targeting[0][country][allow][]": "DE", "targeting[0][affiliate_id][]": pid,
        "targeting[1][country][allow][]": "FR", "targeting[1][affiliate_id][]": other,
        "targeting[2][country][allow][]": "ES",
    }  # fmt: skip
    text = visitor.read(f"/portal/offers/{api.add_offer(privacy='public', **groups)}").text
    assert "For you also visitors from Germany ." in text
    assert "Or visitors from Spain ." in text
    assert "France" not in text


def test_request_for_an_offer_waits_for_staff_and_keeps_what_was_typed(api: Api) -> None:
    offer = api.add_offer(title="Boots", privacy="protected")
    pid, visitor = affiliate_visitor(api)
    refused = visitor.post(f"/portal/offers/{offer}/request", comment="  ")
    assert refused.status_code == 400
    assert "Say how you want to promote the offer." in refused.text
    sent = visitor.post(f"/portal/offers/{offer}/request", comment="By mail")
    assert sent.status_code == 303
    assert "Boots: the request is sent." in visitor.read(sent.headers["location"]).text
    [ticket] = api.admin.get("/3.1/admin/tickets", status="open")["tickets"]
    assert (ticket["description"], ticket["partner"]["id"], ticket["offer"]["id"]) == ("By mail", pid, offer)


def test_own_offer_that_the_affiliate_does_not_see_is_missing(api: Api) -> None:
    _, visitor = affiliate_visitor(api)
    assert visitor.get(f"/portal/offers/{api.add_offer(privacy='private')}").status_code == 404
    assert visitor.get("/portal/offers/999").status_code == 404


def test_own_link_is_tested_in_words_without_what_the_advertiser_keeps_secret(api: Api) -> None:
    shop = api.add_advertiser(title="Secret shop")
    url = "https://shop.example/new?token=s3cret&click={clickid}"
    offer = api.add_offer(privacy="public", url=url, advertiser=shop)
    other = api.add_offer(privacy="private")
    _, visitor = affiliate_visitor(api)
    place = f"/portal/offers/{offer}?test=1&ip=203.0.113.9&agent=Mozilla/5.0+(X11)+Firefox/120.0"
    passed = visitor.read(place)
    assert "The click gets through. The visitor goes to https://shop.example/new ." in passed.text
    for secret in ("s3cret", "Secret shop"):
        assert secret not in visitor.get(place).text
    bot = visitor.read(f"/portal/offers/{offer}?test=1&ip=203.0.113.9&agent=Googlebot/2.1")
    assert "The click is rejected: the visitor is a known bot." in bot.text
    assert "must be an IP address" in visitor.read(f"/portal/offers/{offer}?test=1&ip=x").text
    _, client = api.add_affiliate()
    assert client.call("POST", f"/3.1/partner/offer/{other}/click-check").status_code == 404
    sent = {"params[offer_id]": other, "params[pid]": "1", "ip": "203.0.113.9", "ua": "Mozilla/5.0 Firefox/120.0"}
    assert client.post(f"/3.1/partner/offer/{offer}/click-check", **sent)["check"]["passes"]
    words = reference_texts("results")["rejections"]
    assert len(REJECTION_REASONS) > 30 and all(words[reason]["portal"] for reason in REJECTION_REASONS)
