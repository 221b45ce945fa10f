"""The list of affiliates."""

import csv
from io import StringIO

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import Visitor, console_app, staff_visitor
from tests.support.people_pages import HOSTILE, desk_of, earn, numbers
from trackyard.analytics.engine.connection import Analytics, StoreUnavailable
from trackyard.domain.people.roles import Role

LIST = "/console/affiliates"


def test_affiliate_list_shows_balance_and_figures_of_the_api(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    pid, _ = api.add_affiliate(name="Harbour Media", email="harbour@a.example", country="DE", **{"tags[]": "direct"})
    load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=advertiser) for number in range(8)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    earn(api, pid, "12.50", hold="2")
    [row] = api.admin.get("/3.1/admin/partners", with_balance=1)["partners"]
    balance = row["balance"]["USD"]["balance"]
    text = staff_visitor(api).read(LIST).text
    assert (
        f"Harbour Media harbour@a.example DE Active — ${balance:.2f} $2.00 on hold 8 new 1 new $7.00 new direct" in text
    )


def test_affiliate_list_filters_and_orders_by_its_address(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    ann, _ = api.add_affiliate(name="Ann", manager_id=manager, country="DE", **{"tags[]": "top"})
    bob, _ = api.add_affiliate(name="Bob", status="banned")
    visitor = staff_visitor(api)
    assert numbers(visitor, LIST) == [str(bob), str(ann)]
    for query in ("q=ann", f"manager={manager}", "country=DE", "tag=top", "status=active", "status=active&tag=top"):
        assert numbers(visitor, f"{LIST}?{query}") == [str(ann)], query
    assert numbers(visitor, f"{LIST}?sort=name") == [str(ann), str(bob)]
    assert numbers(visitor, f"{LIST}?sort=drop&page=x&status=gone") == [str(bob), str(ann)]
    page = visitor.read(f"{LIST}?status=banned&tag=%3Cb%3E")
    assert "Status is Blocked" in page.text and "Tag is <b>" in page.text
    assert "Nothing meets these filters." in page.text
    assert "The list has no page 9." in visitor.read(f"{LIST}?page=9").text


def test_affiliate_list_orders_by_figures_and_has_them_in_its_file(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    few, quiet, many = (api.add_affiliate(name=name)[0] for name in ("Few", "Quiet", "Many"))
    own = {"offer": offer, "advertiser": advertiser}
    load_clicks(api.deps, [new_click(place, affiliate=few if place < 2 else many, **own) for place in range(5)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=few, advertiser_id=advertiser)
    visitor = staff_visitor(api)
    assert numbers(visitor, f"{LIST}?sort=clicks-desc") == [str(each) for each in (many, few, quiet)]
    assert numbers(visitor, f"{LIST}?sort=payout") == [str(each) for each in (quiet, many, few)]
    lines = visitor.get(f"{LIST}?sort=clicks&format=csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(StringIO(lines)))
    assert [row["Affiliate"] for row in rows] == ["Quiet", "Few", "Many"]
    assert [(row["Clicks"], row["Conversions"], row["Payout, currency"]) for row in rows[1:]] == [
        ("2", "1", "USD"),
        ("3", "0", "USD"),
    ]


def test_affiliate_list_says_that_its_figures_cannot_be_read(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, _ = api.add_affiliate(name="Harbor")

    def fail(*_given: object) -> bytes:
        raise StoreUnavailable("no answer")

    monkeypatch.setattr(Analytics, "_query", fail)
    visitor = staff_visitor(api)
    text = visitor.read(f"{LIST}?sort=clicks").text
    assert "Harbor" in text and "The list is in its usual order." in text
    assert "The figures cannot be read now." in visitor.read(LIST).text
    assert visitor.get(f"{LIST}?format=csv").status_code == 503, "a file never lacks figures in silence"
    assert visitor.get(f"{LIST}?format=csv&fields=all").status_code == 200 and numbers(visitor, LIST) == [str(pid)]


def test_affiliate_list_decides_about_sign_ups_in_their_rows(api: Api) -> None:
    first, _ = api.add_affiliate(name="First", status="on moderation")
    second, _ = api.add_affiliate(name="Second", status="on moderation")
    visitor = staff_visitor(api)
    assert "2 wait for approval." in visitor.read(LIST).text
    assert f"{LIST}?status=on+moderation" in visitor.read("/console/").links
    answer = visitor.post(f"{LIST}/{first}/status", status="active", back=f"{LIST}?status=on+moderation")
    assert answer.headers["location"] == f"{LIST}?status=on+moderation"
    assert "First is active" in visitor.read(LIST).text
    elsewhere = visitor.post(f"{LIST}/{second}/status", status="not active", back="//evil.example")
    assert elsewhere.headers["location"] == LIST
    found = {row["id"]: row["status"] for row in api.admin.get("/3.1/admin/partners")["partners"]}
    assert found == {first: "active", second: "not active"}


def test_affiliate_list_shows_hostile_names_as_text(api: Api) -> None:
    api.add_affiliate(name=HOSTILE, **{"tags[]": HOSTILE})
    visitor = staff_visitor(api)
    assert "<script>alert" not in visitor.get(LIST).text
    assert HOSTILE in visitor.read(LIST).text


def test_affiliate_list_of_a_manager_has_own_affiliates_alone(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=desk.manager)
    api.add_affiliate(name="Foreign")
    assert numbers(desk.visitor, LIST) == [str(own)]


def test_affiliate_list_refuses_affiliates_and_staff_without_the_right(api: Api) -> None:
    api.add_affiliate(email="aff@example.org", password="long-enough")
    visitor = Visitor(console_app(api))
    assert visitor.sign_in("aff@example.org", "long-enough").status_code == 303
    assert visitor.get(LIST).status_code == 403
    news = staff_visitor(api, Role.SECTION_NEWS, Role.STATS_COMMON)
    assert news.get(LIST).status_code == 403
    assert LIST not in news.read("/console/").links
    without_figures = staff_visitor(api, Role.SECTION_PARTNER).read(LIST).text
    assert "aff@example.org" in without_figures and "Clicks, 7 d" not in without_figures


def test_affiliate_list_without_affiliates_says_where_they_come_from(api: Api) -> None:
    assert "There are no affiliates yet." in staff_visitor(api).read(LIST).text
