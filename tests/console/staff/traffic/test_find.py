"""The search."""

from urllib.parse import quote

from tests.support.api import Api
from tests.support.models.events import NOON
from tests.support.pages import Visitor, staff_visitor
from tests.support.traffic_pages import HOSTILE, traffic_desk
from trackyard.domain.people.roles import Role


def leads(visitor: Visitor, text: str) -> str:
    """Where the search for a text leads; "" when it shows a list."""
    answer = visitor.get(f"/console/find?q={quote(text)}")
    assert answer.status_code in (200, 303), answer.text[:300]
    return str(answer.headers.get("location", ""))


def test_search_leads_to_the_one_object_that_fits(api: Api) -> None:
    desk = traffic_desk(api, title="Casino deposit")
    click = desk.click(1)
    made = desk.conversion(1, action_id="R-88120")
    received = desk.postback(made.click_id, conversion_id=made.id, time=NOON + 1000)
    job = f"{NOON // 1000:08x}{'a1' * 8}"
    attempt = desk.attempt(made, job_id=job)
    visitor = staff_visitor(api)
    for text, link in (
        (click.id, f"/console/clicks/{click.id}"),
        (f" {click.id.upper()} ", f"/console/clicks/{click.id}"),
        (made.id, f"/console/conversions/{made.id}"),
        ("R-88120", f"/console/conversions/{made.id}"),
        (received, f"/console/postbacks/received/{received}"),
        (attempt, f"/console/postbacks/sent/{attempt}"),
        (job, f"/console/postbacks/sent/{job}"),
        ("casino", f"/console/offers/{desk.offer}"),
    ):
        assert leads(visitor, text) == link, text
        assert visitor.get(link).status_code == 200


def test_search_lists_several_things_by_kind(api: Api) -> None:
    desk = traffic_desk(api, title="Harbour gold", advertiser="Harbour Bank")
    api.add_offer(title="Harbour silver")
    api.add_affiliate(email="harbour@example.org")
    visitor = staff_visitor(api)
    page = visitor.read("/console/find?q=harbour")
    assert "Several things fit." in page.text
    assert "Offers 2" in page.text and "Affiliates 1" in page.text and "Advertisers 1" in page.text
    assert f"/console/offers/{desk.offer}" in page.links
    desk.conversion(1, action_id="twice")
    desk.conversion(2, action_id="twice", goal="2")
    assert "Conversions 2" in visitor.read("/console/find?q=twice").text


def test_search_without_a_result_says_what_was_searched(api: Api) -> None:
    visitor = staff_visitor(api)
    text = visitor.read("/console/find?q=nothing-like-this").text
    assert "Nothing fits." in text and "offers by title and number" in text
    assert "The search finds:" in visitor.read("/console/find").text
    assert "Nothing fits." in visitor.read(f"/console/find?q={'f' * 24}").text
    hostile = visitor.get(f"/console/find?q={quote(HOSTILE)}")
    assert hostile.status_code == 200 and "<script>alert" not in hostile.text


def test_search_finds_what_the_person_may_see_alone(api: Api) -> None:
    desk = traffic_desk(api, title="Casino deposit")
    click = desk.click(1)
    made = desk.conversion(1, action_id="R-1")
    reader = staff_visitor(api, Role.STATS_CONVERSION)
    assert leads(reader, made.click_id) == leads(reader, "R-1") == f"/console/conversions/{made.id}"
    text = reader.read("/console/find?q=casino").text
    assert "Nothing fits." in text and "offers by title" not in text
    news = staff_visitor(api, Role.SECTION_NEWS)
    assert "Your roles give you nothing to search." in news.read(f"/console/find?q={click.id}").text


def test_search_box_and_list_of_keys_are_on_every_page(api: Api) -> None:
    page = staff_visitor(api).read("/console/offers")
    assert [given for tag, given in page.elements if tag == "input" and given.get("id") == "find"]
    [dialog] = [given for tag, given in page.elements if tag == "dialog"]
    assert dialog["id"] == "keys"
    assert "Focus the search" in page.text and "List the keys" in page.text
