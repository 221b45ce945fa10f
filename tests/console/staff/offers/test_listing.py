"""The list of offers."""

from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.offer_pages import sales_desk
from tests.support.pages import Visitor, console_app, staff_visitor
from trackyard.base.ids import new_id
from trackyard.console.lists import ordering
from trackyard.console.lists.declared import PER_PAGE
from trackyard.console.offers import listing
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.causes import Alert
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.platform.findings import FindingKind
from trackyard.store.platform.alerts.alerts import add_if_new

HOSTILE = '"><script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}=1+1'


def titles(visitor: Visitor, query: str = "") -> list[str]:
    """The numbers of the offers that a page lists, in its order."""
    links = visitor.read(f"/console/offers{query}").links
    numbers = (link.removeprefix("/console/offers/") for link in links)
    return [number for number in numbers if number.isdecimal()]


def test_offer_list_shows_figures_of_the_api(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    advertiser = api.add_advertiser(title="Royal Reef")
    offer = api.add_offer(advertiser=advertiser, title="Casino deposit")
    pid, _ = api.add_affiliate()
    load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=advertiser) for number in range(8)])
    load_clicks(
        api.deps, [new_click(40, offer=offer, affiliate=pid, advertiser=advertiser, time=NOON - 8 * 86_400_000)]
    )
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    sent = {"slice[]": "offer", "filter[date_from]": "2023-11-09", "filter[date_to]": "2023-11-15"}
    [row] = api.admin.get("/3.1/stats/custom", **sent)["stats"]
    text = staff_visitor(api).read("/console/offers").text
    share = Decimal(row["actions"]["confirmed"]["count"]) / int(row["traffic"]["raw"]) * 100
    words = f"Casino deposit Royal Reef Active $7.00 → $10.00 0 {row['traffic']['raw']} ↑ 700 % 1 new {share:.1f} %"
    assert words in text
    days = "9–15 Nov 2023, against the 7 days before, up to 13:00."
    assert f"The figures cover {days}" in text
    assert "1 offer. 1 active." in text


def test_offer_list_says_which_part_it_shows(api: Api) -> None:
    advertiser = api.add_advertiser()
    for number in range(PER_PAGE * 2 + 3):
        api.add_offer(advertiser=advertiser, title=f"Offer {number}")
    visitor = staff_visitor(api)
    page = visitor.read("/console/offers?q=offer&page=2")
    assert f"{PER_PAGE + 1}–{PER_PAGE * 2} of {PER_PAGE * 2 + 3}" in page.text
    assert {"/console/offers?q=offer&page=1", "/console/offers?q=offer&page=3"} <= set(page.links)
    last = visitor.read("/console/offers?q=offer&page=3")
    assert f"{PER_PAGE * 2 + 1}–{PER_PAGE * 2 + 3} of" in last.text
    assert "/console/offers?q=offer&page=4" not in last.links
    assert "The list has no page 9." in visitor.read("/console/offers?page=9").text


def test_offer_list_filters_by_what_its_address_says(api: Api) -> None:
    advertiser, other = api.add_advertiser(title="Reef"), api.add_advertiser(title="Bank")
    category = api.admin.post("/3.1/admin/category", title="Games")["category"]["id"]
    first = api.add_offer(advertiser=advertiser, title="Shoes", privacy="private", **{"categories[]": category})
    second = api.add_offer(advertiser=other, title="Boots", status="stopped", privacy="public", **{"countries[]": "DE"})
    visitor = staff_visitor(api)
    assert titles(visitor) == [str(second), str(first)]
    for query, number in (
        ("?q=sho", first),
        (f"?q={second}", second),
        ("?status=stopped", second),
        ("?privacy=public", second),
        ("?privacy=private", first),
        (f"?advertiser={other}", second),
        (f"?category={category}", first),
        ("?country=DE", second),
        (f"?status=active&advertiser={advertiser}", first),
    ):
        assert titles(visitor, query) == [str(number)], query
    page = visitor.read(f"/console/offers?status=stopped&status=active&advertiser={other}")
    assert "Status is Active or Stopped" in page.text.replace("Stopped or Active", "Active or Stopped")
    assert "Advertiser is Bank" in page.text
    assert f"/console/offers?advertiser={other}" in page.links
    assert "Nothing meets these filters." in visitor.read("/console/offers?q=nothing").text


def test_offer_list_is_sorted_by_columns_of_its_address(api: Api) -> None:
    advertiser = api.add_advertiser()
    cheap = api.add_offer(advertiser=advertiser, title="B", **{"payments[0][revenue]": "1"})
    dear = api.add_offer(advertiser=advertiser, title="A", **{"payments[0][revenue]": "9"})
    visitor = staff_visitor(api)
    assert titles(visitor, "?sort=title") == [str(dear), str(cheap)]
    assert titles(visitor, "?sort=revenue") == [str(cheap), str(dear)]
    page = visitor.read("/console/offers?sort=revenue-desc")
    assert titles(visitor, "?sort=revenue-desc") == [str(dear), str(cheap)]
    assert [given["aria-sort"] for tag, given in page.elements if "aria-sort" in given] == ["descending"]
    assert "/console/offers?sort=revenue" in page.links


def test_offer_list_is_ordered_by_figures_of_the_period(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.clock.advance(NOON - NOW)
    advertiser, (pid, _) = api.add_advertiser(), api.add_affiliate()
    quiet, busy, good, old = (api.add_offer(advertiser=advertiser, title=title) for title in "ABCD")
    days = {busy: (NOON - 86_400_000, 4), good: (NOON - 86_400_000, 2), old: (NOON - 20 * 86_400_000, 9)}
    load_clicks(
        api.deps,
        [
            new_click(offer * 10 + place, offer=offer, affiliate=pid, advertiser=advertiser, time=time)
            for offer, (time, count) in days.items()
            for place in range(count)
        ],
    )
    for number, offer in enumerate((busy, good, good)):
        add_conversion(api.deps, number + 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    visitor = staff_visitor(api)
    expected = {
        "?sort=clicks-desc": [busy, good, old, quiet],
        "?sort=clicks": [old, quiet, good, busy],
        "?sort=clicks-desc&period=30d": [old, busy, good, quiet],
        "?sort=conversions-desc": [good, busy, old, quiet],
        "?sort=cr-desc": [good, busy, old, quiet],
        "?sort=clicks-desc&q=C": [good],
    }
    for most_read in (300, 3):
        monkeypatch.setattr(ordering, "_MOST_READ", most_read)
        for query, ids in expected.items():
            assert titles(visitor, query) == [str(each) for each in ids], (query, most_read)
    monkeypatch.setitem(vars(listing.OFFER_LIST), "per_page", 3)
    assert titles(visitor, "?sort=clicks-desc&page=2") == [str(quiet)]
    lines = visitor.get("/console/offers?sort=clicks-desc&format=csv").content.decode("utf-8-sig").splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == [str(each) for each in (busy, good, old, quiet)]
    page = visitor.read("/console/offers?sort=clicks-desc&period=30d")
    assert f"/console/clicks?offer={old}&period=30d" in page.links
    assert "/console/offers?period=30d&sort=conversions-desc" in page.links
    without = staff_visitor(api, Role.SECTION_OFFER)
    assert titles(without, "?sort=clicks-desc") == [str(each) for each in (old, good, busy)]


def test_offer_list_shows_what_needs_a_person_in_the_row_of_the_offer(api: Api) -> None:
    offer, other = api.add_offer(title="Boots"), api.add_offer(title="Shoes")
    opened = Alert(
        id=new_id(NOW),
        kind=AlertKind.CAP,
        finding=FindingKind.CAP_FULL,
        subject=str(offer),
        open_key="cap",
        source="",
        evidence={"value": "5", "limit": "5"},
        offer_id=offer,
        opened_at=NOW,
        seen_at=NOW,
    )
    with api.deps.database.write() as conn:
        assert add_if_new(conn, opened)
    visitor = staff_visitor(api)
    page = visitor.read("/console/offers")
    sentence = f"A cap of offer {offer} is full: 5 of 5."
    assert sentence in page.text.partition("Boots")[2] and page.text.count(sentence) == 1
    assert page.text.index("Shoes") < page.text.index("Boots") < page.text.index(sentence)
    assert sentence not in staff_visitor(api, Role.SECTION_OFFER).read("/console/offers").text
    assert other != offer


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?page=99999999999", "?sort=drop", "?status=x&country=xx"])
def test_offer_list_takes_wrong_values_for_the_usual_ones(api: Api, query: str) -> None:
    offer = api.add_offer()
    assert titles(staff_visitor(api), query) == [str(offer)]


def test_offer_list_shows_hostile_titles_as_text(api: Api) -> None:
    api.add_offer(title=HOSTILE, advertiser=api.add_advertiser(title=HOSTILE))
    visitor = staff_visitor(api)
    answer = visitor.get("/console/offers")
    assert "<script>alert" not in answer.text
    assert HOSTILE in visitor.read("/console/offers").text


def test_offer_list_of_a_sales_manager_has_figures_and_advertisers_of_own_offers_alone(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    desk = sales_desk(api)
    load_clicks(api.deps, [new_click(1, offer=desk.foreign, advertiser=desk.foreign_advertiser)])
    text = desk.visitor.read("/console/offers").text
    assert "Own My advertiser Active $7.00 → $10.00 0" in text
    assert "Foreign Active $7.00 → $10.00 0" in text
    assert "Foreign Their advertiser Active $7.00 → $10.00 0 1" in staff_visitor(api).read("/console/offers").text


def test_offer_list_refuses_affiliates_and_staff_without_offers(api: Api) -> None:
    api.add_affiliate(email="aff@example.org", password="long-enough")
    visitor = Visitor(console_app(api))
    assert visitor.sign_in("aff@example.org", "long-enough").status_code == 303
    assert visitor.get("/console/offers").status_code == 403
    news = staff_visitor(api, Role.SECTION_NEWS, Role.STATS_COMMON)
    assert news.get("/console/offers").status_code == 403
    assert "/console/offers" not in news.read("/console/").links
    assert "/console/offers" in staff_visitor(api).read("/console/").links


def test_offer_list_leaves_figures_out_without_the_right_to_statistics(api: Api) -> None:
    api.add_offer(title="Casino")
    text = staff_visitor(api, Role.SECTION_OFFER).read("/console/offers").text
    assert (
        "Casino" in text
        and "The figures cover" not in text
        and "Conversions" not in text.rpartition("Payout → charge")[2]
    )


def test_offer_list_without_offers_leads_to_the_first(api: Api) -> None:
    assert "There are no offers yet." in staff_visitor(api).read("/console/offers").text


def test_offer_list_shows_the_fullest_cap(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    caps = {"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "4"}
    more = {"caps[1][period]": "month", "caps[1][type]": "conversions", "caps[1][value]": "100"}
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, **caps, **more)
    pid, _ = api.add_affiliate()
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    text = staff_visitor(api).read("/console/offers").text
    assert "25 % 1 of 4" in text


def test_offer_list_shows_connected_affiliates_and_a_menu_of_each_row(api: Api) -> None:
    offer = api.add_offer(title="Boots", privacy="protected")
    for _ in range(2):
        api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=api.add_affiliate()[0])
    page = staff_visitor(api).read("/console/offers")
    assert "Affiliates" in page.text.rpartition("Payout → charge")[2][:40]
    assert "$7.00 → $10.00 2 0 0 —" in page.text
    assert {f"/console/offers/{offer}/edit", f"/console/offers/new?copy={offer}"} <= set(page.links)
    buttons = [given.get("value") for tag, given in page.elements if tag == "button" and given.get("name") == "one"]
    assert buttons == [f"suspended {offer}", f"stopped {offer}"]


def test_offer_list_says_that_all_affiliates_may_use_a_public_offer(api: Api) -> None:
    offer = api.add_offer(title="Boots", privacy="public")
    assert "$7.00 → $10.00 all 0 0 —" in staff_visitor(api).read("/console/offers").text
    api.admin.post("/3.0/offer/disable-affiliate", offer_id=offer, pid=api.add_affiliate()[0])
    assert "$7.00 → $10.00 all but 1 0 0 —" in staff_visitor(api).read("/console/offers").text


def test_offer_list_changes_the_selected_offers(api: Api) -> None:
    first, second, third = (api.add_offer(title=title, tags="old") for title in ("One", "Two", "Three"))
    pid, _ = api.add_affiliate()
    visitor = staff_visitor(api)

    def change(**fields: Any) -> str:
        answer = visitor.post("/console/offers/selected", back="/console/offers?q=o", **fields)
        assert (answer.status_code, answer.headers["location"]) == (303, "/console/offers?q=o")
        return visitor.read("/console/offers?q=o").text

    def read(offer: int, name: str) -> Any:
        return api.admin.get(f"/3.1/offer/{offer}")["offer"][name]

    chosen = [str(first), str(second)]
    assert "2 offers are suspended now." in change(do="status", status="suspended", offer=chosen)
    assert [read(each, "status") for each in (first, second, third)] == ["suspended", "suspended", "active"]
    assert "1 offer is stopped now." in change(one=f"stopped {third}", do="tag", offer=chosen)
    assert read(third, "status") == "stopped"
    assert "2 offers more have the tag vip now." in change(do="tag", tag=" vip ", offer=chosen)
    assert [sorted(read(each, "tags")) for each in (first, third)] == [["old", "vip"], ["old"]]
    assert f"Affiliate {pid} may send clicks to the 2 offers." in change(do="connect", affiliate=pid, offer=chosen)
    assert pid in api.admin.get(f"/3.1/offers/{first}/privacy")["affiliates_enabled"]
    assert "Nothing is changed: select offers first." in change(do="status", status="active")
    assert "Nothing is changed: write the tag." in change(do="tag", offer=chosen)
    assert "Nothing is changed." in change(do="connect", affiliate=999, offer=chosen)
    assert "Nothing is changed." in change(do="status", status="gone", offer=chosen)
    assert read(first, "status") == "suspended"


def test_offer_list_has_only_what_the_person_may_change(api: Api) -> None:
    offer = api.add_offer()
    visitor = staff_visitor(api, Role.MANAGER_AFFILIATE)
    page = visitor.read("/console/offers")
    assert "Connect the affiliate" in page.text
    assert "Change the status" not in page.text
    visitor.post("/console/offers/selected", do="status", status="stopped", offer=offer)
    assert "Nothing is changed." in visitor.read("/console/offers").text
    assert api.admin.get(f"/3.1/offer/{offer}")["offer"]["status"] == "active"
