"""The cards of the overview, as a person arranges them."""

from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, console_app, staff_visitor

HEADINGS = ("Needs you", "Rejected clicks", "Affiliate Clicks", "Offer Clicks", "Clicks 0")


def shown(page: PageReader) -> list[str]:
    """The headings of the cards, in their order on the page."""
    text = page.text.partition("Everything counts")[2].partition("Show these days")[2]
    return sorted((each for each in HEADINGS if each in text), key=text.index)


def test_cards_of_the_overview_are_those_of_the_person_in_every_browser(api: Api) -> None:
    visitor = staff_visitor(api)
    usual = shown(visitor.read("/console/?cards=nothing"))
    assert usual[0] == "Clicks 0"
    places = {"place_rejected": "1", "place_work": "2", "place_figures": "x", "place_people": "9"}
    answer = visitor.post("/console/cards", state="period=7d&cards=figures", show_rejected=1, show_work=1, **places)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/?period=7d")
    page = visitor.read("/console/")
    assert "Your cards are saved." in page.text
    assert shown(page) == ["Rejected clicks", "Needs you"]
    elsewhere = Visitor(console_app(api))
    elsewhere.sign_in(visitor.login)
    assert shown(elsewhere.read("/console/")) == ["Rejected clicks", "Needs you"]
    assert shown(staff_visitor(api).read("/console/")) == usual


def test_cards_that_the_address_names_win_over_those_of_the_person(api: Api) -> None:
    visitor = staff_visitor(api)
    visitor.post("/console/cards", place_work="1")
    assert "You hide every card" in visitor.read("/console/").text
    page = visitor.read("/console/?cards=figures,work,nothing")
    assert shown(page) == ["Clicks 0", "Needs you"]
    boxes = [given["name"] for _, given in page.elements if "name" in given and "checked" in given]
    assert [each for each in boxes if each.startswith("show_")] == ["show_figures", "show_work"]
    visitor.post("/console/cards", usual="1")
    assert shown(visitor.read("/console/")) == shown(staff_visitor(api).read("/console/"))
