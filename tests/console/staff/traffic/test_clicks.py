"""The list of clicks, and the page that says why one was rejected."""

import csv
import io
from typing import Any

from tests.support.api import Api
from tests.support.models.events import NOON
from tests.support.pages import Visitor, staff_visitor
from tests.support.traffic_pages import HOSTILE, traffic_desk
from trackyard.console.staff.traffic.clicks.steps import STEP_NAMES
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.quality.origins import VPN
from trackyard.domain.tracking.rejections import REJECTION_REASONS

LIST = "/console/clicks"
ABROAD = {"reason": "mistargeting-country", "detail": "group 1: country PT is not allowed", "country": "PT"}


def listed(visitor: Visitor, query: str = "") -> list[str]:
    """The ids of the clicks that a page lists, in its order."""
    links = visitor.read(f"{LIST}{query}").links
    found = (link.rpartition("/")[2] for link in links if link.startswith(f"{LIST}/") and len(link) == len(LIST) + 25)
    return list(dict.fromkeys(found))


def test_click_list_shows_accepted_and_rejected_clicks_as_the_address_says(api: Api) -> None:
    desk = traffic_desk(api)
    other = api.add_offer(title="Other")
    taken = desk.click(1, sub1="feed", country="ES")
    abroad = desk.click(2, **ABROAD, time=NOON + 1000)
    bot = desk.click(3, reason="bot", offer=other, time=NOON + 2000)
    old = desk.click(4, time=NOON - 5 * 86_400_000)
    desk.conversion(1)
    visitor = staff_visitor(api)
    for query, ids in (
        ("", [taken.id]),
        ("?period=7d", [taken.id, old.id]),
        ("?verdict=rejected", [bot.id, abroad.id]),
        ("?verdict=all", [bot.id, abroad.id, taken.id]),
        ("?verdict=lost", [taken.id]),
        ("?reason=bot", [bot.id]),
        (f"?verdict=rejected&offer={desk.offer}", [abroad.id]),
        (f"?affiliate={desk.pid}&advertiser={desk.advertiser}&country=ES&sub1=feed", [taken.id]),
        ("?verdict=rejected&country=PT", [abroad.id]),
    ):
        assert listed(visitor, query) == ids, query
    accepted = visitor.read(LIST)
    assert "1 click" in accepted.text and f"/console/conversions/{1:024x}" in accepted.links
    page = visitor.read(f"{LIST}?reason=mistargeting-country")
    assert "1 click" in page.text and "Rejected Country not allowed" in page.text
    assert "Rejected for is Country not allowed" in page.text
    assert "A value of Rejected for does not exist" in visitor.read(f"{LIST}?reason=lost").text
    assert "Nothing meets these filters." in visitor.read(f"{LIST}?sub1=nothing").text
    [link] = [link for link in page.links if link.endswith("format=csv&fields=all")]
    rows = csv.DictReader(io.StringIO(visitor.get(link).content.decode("utf-8-sig")))
    assert [(row["id"], row["reason"]) for row in rows] == [(abroad.id, "mistargeting-country")]


def test_click_page_says_why_it_was_rejected_and_how_often(api: Api) -> None:
    limited: dict[str, Any] = {"countries[]": "ES", "strictly_country": 1}
    desk = traffic_desk(api, **limited)
    click, other = desk.click(1, **ABROAD, ip="192.0.2.7"), desk.click(2, **ABROAD)
    visitor = staff_visitor(api)
    page = visitor.read(f"{LIST}/{click.id}")
    assert "Rejected because the visitor was in Portugal, and the offer does not take that country." in page.text
    assert (
        "2 clicks of " in page.text
        and "on this offer were rejected for the same reason in the last 7 days." in page.text
    )
    assert "rejected: Place Rejected because the visitor was in Portugal" in page.text
    assert "passed: Affiliate may run it passed" in page.text and "not checked: Caps not checked" in page.text
    assert f"/console/offers/{desk.offer}?affiliate={desk.pid}&ip=192.0.2.7#test" in page.links
    [see] = [link for link in page.links if "reason=" in link]
    assert listed(visitor, see.removeprefix(LIST)) == [other.id, click.id]


def test_click_page_connects_the_affiliate_that_was_not_connected(api: Api) -> None:
    desk = traffic_desk(api, privacy="private")
    click = desk.click(1, reason="disabled-affiliate", detail="not connected")
    visitor = staff_visitor(api)
    page = visitor.read(f"{LIST}/{click.id}")
    assert "the affiliate may not use the offer: not connected" in page.text
    assert f"{LIST}/{click.id}/connect" in [given.get("action") for tag, given in page.elements if tag == "form"]
    assert visitor.post(f"{LIST}/{click.id}/connect").headers["location"] == f"{LIST}/{click.id}"
    again = visitor.read(f"{LIST}/{click.id}")
    assert f"Affiliate {desk.pid} is connected to offer {desk.offer}." in again.text
    assert "With the rules of today the same click gets through." in again.text


def test_click_page_of_an_accepted_click_says_what_followed(api: Api) -> None:
    desk = traffic_desk(api)
    click = desk.click(1)
    visitor = staff_visitor(api)
    text = visitor.read(f"{LIST}/{click.id}").text
    assert "Accepted: every check passed." in text and "no postback has named it" in text
    made = desk.conversion(1)
    assert f"/console/conversions/{made.id}" in visitor.read(f"{LIST}/{click.id}").links
    assert visitor.get(f"{LIST}/{'f' * 24}").status_code == 404


def test_click_page_of_an_accepted_click_that_is_not_counted_says_why(api: Api) -> None:
    desk = traffic_desk(api)
    click = desk.click(1, reason="not-counted", detail="the visitor was seen")
    visitor = staff_visitor(api)
    text = visitor.read(f"{LIST}/{click.id}").text
    assert "Accepted. Statistics leave it out: the visitor was seen, and the offer counts unique visitors only." in text
    assert "passed: Caps passed" in text and "Rejected" not in text
    assert text.count("Statistics leave it out") == 1, "the verdict says it, and no conclusion again"
    page = visitor.read(f"{LIST}?verdict=all")
    assert "Accepted Not counted" in page.text


def test_click_page_of_an_accepted_click_shows_the_whole_target_to_staff(api: Api) -> None:
    desk = traffic_desk(api, privacy="public", url="https://shop.example/new?token=own&c={clickid}&s={sub1}&t={sub2}")
    click = desk.click(1, sub1="push 17")
    target = f"to https://shop.example/new?token=own&c={click.id}&s=push%2017&t="
    for visitor in (staff_visitor(api), staff_visitor(api, Role.SECTION_STATS)):
        text = visitor.read(f"{LIST}/{click.id}").text
        assert f"{target}, with the rules of today and without a deep link" in text
    api.admin.post(f"/3.1/admin/offer/{desk.offer}", status="stopped")
    text = staff_visitor(api).read(f"{LIST}/{click.id}").text
    assert "to the page of the offer" in text and "shop.example" not in text


def test_click_pages_show_hostile_texts_as_text(api: Api) -> None:
    desk = traffic_desk(api, title=HOSTILE)
    fields = {"sub1": HOSTILE, "referrer": HOSTILE, "city": HOSTILE, "browser": HOSTILE}
    click = desk.click(1, reason="unknown-affiliate", detail=HOSTILE[:64], **fields)
    visitor = staff_visitor(api)
    for path in (f"{LIST}?verdict=all&sub1={HOSTILE}", f"{LIST}/{click.id}"):
        answer = visitor.get(path)
        assert answer.status_code == 200 and "<script>alert" not in answer.text, path
        assert "alert(1)" in answer.text, path


def test_click_pages_obey_the_rights_of_the_api(api: Api) -> None:
    click = traffic_desk(api).click(1, reason="disabled-affiliate", detail="not connected")
    other = staff_visitor(api, Role.STATS_CONVERSION, Role.STATS_COMMON)
    assert other.get(LIST).status_code == other.get(f"{LIST}/{click.id}").status_code == 403
    assert LIST not in other.read("/console/").links
    reader = staff_visitor(api, Role.SECTION_STATS)
    assert listed(reader, "?verdict=all") == [click.id]
    page = reader.read(f"{LIST}/{click.id}")
    assert not [given for tag, given in page.elements if tag == "form" and "connect" in given.get("action", "")]
    assert reader.post(f"{LIST}/{click.id}/connect").status_code == 403


def test_click_evidence_has_every_step_of_a_decision() -> None:
    assert frozenset(REJECTION_REASONS) == STEP_NAMES


def test_click_list_has_signals_below_its_other_filters(api: Api) -> None:
    desk = traffic_desk(api)
    desk.click(1)
    marked = desk.click(2, origin=VPN)
    visitor = staff_visitor(api)
    page = visitor.read("/console/clicks?origin=vpn")
    listed = [each for each in page.links if each.startswith("/console/clicks/") and "file" not in each]
    assert listed == [f"/console/clicks/{marked.id}"]
    assert "Signal is VPN" in page.text
    rejected = visitor.read("/console/clicks?verdict=accepted&reason=bot")
    chosen = [given["href"] for tag, given in rejected.elements if tag == "a" and "aria-current" in given]
    assert "/console/clicks?verdict=rejected" in chosen
