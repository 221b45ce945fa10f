"""The pages of rules: a new one, its look back, what it did, and how it is undone."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import PageReader, staff_visitor
from trackyard.actions.statistics.automation import measuring
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.jobs.schedule.rules import RuleRunner
from trackyard.store.statistics.automation import set_judged

RULES = "/console/rules"


def test_rule_goes_from_its_form_over_the_look_back_to_its_undoing(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, privacy="public")
    pid, _ = api.add_affiliate()
    api.clock.advance(HOUR_MS - api.clock.now_ms() % HOUR_MS)
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser, "sub1": "<b>bad</b>"}
    load_clicks(api.deps, [new_click(number, time=api.clock.now_ms(), **own) for number in range(150)])
    api.clock.advance(HOUR_MS)
    staff = staff_visitor(api)
    assert "There is no rule yet." in staff.read(RULES).text
    form = send(staff, f"{RULES}/new", read_form(staff, f"{RULES}/new"), "add:conditions")
    typed: dict[str, Any] = {"title": "CR of subs", "hours": "1", "action": "block_sub"}
    typed |= {"conditions[0][metric]": "cr", "conditions[0][value]": "1", "each": ["offer", "affiliate", "sub1"]}
    made = send(staff, f"{RULES}/new", FormReader(form.text), **typed)
    assert made.status_code == 303, made.text[:3000]
    rule = made.headers["location"].split("/")[3]
    page = f"{RULES}/{rule}"
    looked = staff.read(f"{page}/look-back")
    assert "It would have fired 1 time." in looked.text and "CR in percent: 0, below 1" in looked.text
    assert "block the sub" in looked.text.partition("Would be done")[2]
    assert staff.post(page, do="on").headers["location"] == page
    edited = send(staff, f"{page}/edit", read_form(staff, f"{page}/edit"), title="CR of sub1", hours="2")
    assert edited.headers["location"] == page
    RuleRunner(api.deps.database, api.deps.analytics, api.clock, lambda: 0).run_one(api.clock.now_ms() + HOUR_MS)
    found = staff.read(page)
    assert "CR of sub1" in found.text and "block the sub" in found.text
    assert f"/console/offers/{offer}" in found.links and "<b>bad" not in staff.get(page).text
    [firing] = api.admin.get("/3.1/admin/rule-firings")["firings"]
    assert staff.post(f"{RULES}/firings/{firing['id']}").headers["location"] == f"{RULES}/firings"
    assert "undone" in staff.read(f"{RULES}/firings").text
    assert staff.post(f"{RULES}/firings/{firing['id']}").status_code == 409
    assert "Remove CR of sub1?" in staff.read(f"{page}/remove").text
    assert staff.post(f"{page}/remove").headers["location"] == RULES
    assert "There is no rule yet." in staff.read(RULES).text


def test_look_back_that_is_too_wide_says_in_place_how_to_narrow_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    offer = api.add_offer()
    clicks = [
        new_click(number, time=api.clock.now_ms() - HOUR_MS, offer=offer, sub1=f"s{number}") for number in range(4)
    ]
    load_clicks(api.deps, clicks)
    wide = {
        "title": "Wide",
        "each[]": ["offer", "sub1"],
        "minimum": "1",
        "conditions[0][metric]": "cr",
        "conditions[0][value]": "1",
    }
    rule = api.admin.post("/3.1/admin/rules", hours="1", action="notify", **wide)["rule"]["id"]
    monkeypatch.setattr(measuring, "MOST_ROWS", 3)
    page = staff_visitor(api).read(f"{RULES}/{rule}/look-back", 400)
    assert "Look back of Wide" in page.text, "the frame of the page"
    assert "more than 3: raise the minimum, name offers, affiliates" in page.text


def test_form_shows_what_an_unsaved_rule_would_have_done(api: Api) -> None:
    offer = api.add_offer(privacy="public")
    api.clock.advance(HOUR_MS - api.clock.now_ms() % HOUR_MS)
    clicks = [new_click(number, time=api.clock.now_ms(), offer=offer, sub2="a") for number in range(150)]
    load_clicks(api.deps, clicks)
    api.clock.advance(HOUR_MS)
    staff = staff_visitor(api)
    form = send(staff, f"{RULES}/new", read_form(staff, f"{RULES}/new"), "add:conditions")
    form = send(staff, f"{RULES}/new", FormReader(form.text), "add:subs")
    typed: dict[str, Any] = {"title": "CR", "hours": "1", "conditions[0][metric]": "cr", "conditions[0][value]": "1"}
    typed |= {"subs[0][sub]": "sub2", "subs[0][value]": "a"}
    tried = send(staff, f"{RULES}/new", FormReader(form.text), "try", **typed)
    assert "It would have fired 1 time." in tried.text and "CR in percent: 0, below 1" in tried.text
    other = send(staff, f"{RULES}/new", FormReader(tried.text), "try", **{"subs[0][value]": "b"})
    assert "Nothing met its conditions." in other.text
    assert api.admin.get("/3.1/admin/rules")["rules"] == []
    faulty = send(staff, f"{RULES}/new", FormReader(tried.text), "try", action="block_sub")
    assert "The action block_sub needs each to name offer and affiliate." in faulty.text
    made = send(staff, f"{RULES}/new", FormReader(tried.text))
    rule = made.headers["location"].split("/")[3]
    assert "sub2 a" in staff.read(f"{RULES}/{rule}").text
    page = f"{RULES}/{rule}/edit"
    edited = send(staff, page, read_form(staff, page), "try", hours="2")
    assert "It would have fired 1 time." in edited.text
    assert api.admin.get(f"/3.1/admin/rules/{rule}")["rule"]["hours"] == 1


def test_preset_fills_in_the_form_and_can_be_saved_as_it_is(api: Api) -> None:
    staff, presets = staff_visitor(api), api.admin.get("/3.1/admin/rule-presets")["presets"]
    page = staff.read(f"{RULES}/new")
    for each in presets:
        assert f"{RULES}/new?preset={each['name']}" in page.links, each
        assert not each["source"] or each["source"] in page.links, each
    address = f"{RULES}/new?preset=declined_sub"
    made = send(staff, address, read_form(staff, address))
    assert made.status_code == 303, made.text[:3000]
    (rule,) = api.admin.get("/3.1/admin/rules")["rules"]
    (chosen,) = (each for each in presets if each["name"] == "declined_sub")
    shared = ("title", "each", "hours", "conditions", "minimum", "action")
    assert {name: rule[name] for name in shared} == {name: chosen[name] for name in shared}
    assert not rule["is_on"]
    goals = f"{RULES}/new?preset=few_deposits"
    refused = send(staff, goals, read_form(staff, goals))
    assert "goal_share needs first_goal and second_goal." in refused.text


def test_unknown_preset_of_a_rule_is_refused_with_the_known_ones(api: Api) -> None:
    staff, presets = staff_visitor(api), api.admin.get("/3.1/admin/rule-presets")["presets"]
    refused = staff.get(f"{RULES}/new?preset=nonsense")
    assert refused.status_code == 400
    assert f"This value must be one of: {', '.join(each['name'] for each in presets)}." in refused.text
    assert staff.get(f"{RULES}/new?preset=").status_code == 200


def test_rule_is_switched_in_its_row_and_on_its_page(api: Api) -> None:
    typed = {"title": "Low CR", "hours": 1, "action": "notify", "conditions[0][metric]": "cr"}
    typed |= {"conditions[0][compare]": "below", "conditions[0][value]": 1}
    rule = api.admin.post("/3.1/admin/rules", **typed)["rule"]["id"]
    staff, page = staff_visitor(api), f"{RULES}/{rule}"
    for place, back in ((RULES, {"back": "list"}), (page, {})):
        for button, do in (("Switch on", "on"), ("Switch off", "off")):
            assert f"{button} Low CR" in labels_of(staff.read(place))
            assert staff.post(page, do=do, **back).headers["location"] == place
    assert not api.admin.get(f"/3.1/admin/rules/{rule}")["rule"]["is_on"]


def test_rule_that_cannot_run_says_why_in_the_language_of_the_page(api: Api) -> None:
    typed = {"title": "Low CR", "hours": 1, "action": "notify", "is_on": 1, "conditions[0][metric]": "cr"}
    typed |= {"conditions[0][compare]": "below", "conditions[0][value]": 1}
    rule = api.admin.post("/3.1/admin/rules", **typed)["rule"]["id"]
    failure = "It would fire for 300 things at once, more than 200: narrow it, or set other bounds."
    with api.deps.database.write() as conn:
        set_judged(conn, rule, api.clock.now_ms(), failure)
    staff = staff_visitor(api)
    assert failure in staff.read(RULES).text
    for place in (RULES, f"{RULES}/{rule}", "/console/", "/console/health"):
        text = staff.read(f"{place}?lang=es").text
        assert "narrow it" not in text and "300" in text, place


def labels_of(page: PageReader) -> list[str | None]:
    """The names of the buttons of a page."""
    return [given.get("aria-label") for tag, given in page.elements if tag == "button"]


def test_rules_are_pages_of_administrators_only(api: Api) -> None:
    manager = staff_visitor(api, Role.MANAGER_SALES)
    assert manager.get(RULES).status_code == 403
    assert RULES not in manager.read("/console/").links
