"""Figures lead to the rows that they count, and the form of one conversion."""

from typing import Any

from tests.support.api import Api
from tests.support.pages import staff_visitor
from tests.support.traffic_pages import traffic_desk
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role


def test_figures_of_the_overview_lead_to_the_rows_that_they_count(api: Api) -> None:
    desk = traffic_desk(api)
    desk.click(1)
    desk.click(2, reason="bot")
    desk.conversion(1)
    visitor = staff_visitor(api)
    links = visitor.read("/console/").links
    [clicks] = [link for link in links if link.startswith(f"/console/clicks?offer={desk.offer}&")]
    [made] = [link for link in links if link.startswith(f"/console/conversions?offer={desk.offer}&")]
    [rejected] = [link for link in links if link.startswith("/console/clicks?reason=bot&")]
    assert "1 click" in visitor.read(clicks).text
    assert "1 conversion ·" in visitor.read(made).text
    assert "1 click" in visitor.read(rejected).text
    own = visitor.read(f"/console/offers/{desk.offer}").links
    assert [link for link in own if link.startswith(f"/console/clicks?offer={desk.offer}&verdict=rejected&")]
    assert [link for link in visitor.read("/console/offers").links if link.startswith("/console/clicks?offer=")]
    reader = staff_visitor(api, Role.STATS_COMMON).read("/console/")
    assert not [link for link in reader.links if link.startswith(("/console/clicks", "/console/conversions"))]


def test_figures_of_a_report_lead_to_the_rows_that_they_count(api: Api) -> None:
    desk = traffic_desk(api)
    desk.click(1, sub1="feed")
    desk.click(2)
    desk.conversion(1, status=Status.DECLINED)
    visitor = staff_visitor(api)
    days = "from=2023-11-14&to=2023-11-15"
    figures = "figures=clicks&figures=declined"
    links = visitor.read(f"/console/reports?by=day&by=offer&f.affiliate={desk.pid}&{days}&{figures}").links
    chosen = f"offer={desk.offer}&affiliate={desk.pid}&from=2023-11-15&to=2023-11-15"
    assert f"/console/clicks?{chosen}" in links
    assert f"/console/conversions?{chosen}&status=declined" in links
    assert f"/console/clicks?affiliate={desk.pid}&from=2023-11-14&to=2023-11-15" in links, "the sum of all rows"
    by_sub = visitor.read(f"/console/reports?by=sub1&{days}").links
    assert [link for link in by_sub if link.startswith("/console/clicks?sub1=")] == [
        f"/console/clicks?sub1=feed&{days}"
    ]
    assert not [link for link in visitor.read(f"/console/reports?by=os&{days}").links if "/clicks?os" in link]


def test_conversion_form_changes_amounts_and_keeps_what_was_refused(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    visitor = staff_visitor(api)
    path = f"/console/conversions/{made.id}/edit"
    page = visitor.read(path)
    assert path in visitor.read(f"/console/conversions/{made.id}").links
    typed: dict[str, Any] = {"status": "confirmed", "currency": "USD", "revenue": "10", "form_do": "save"}
    typed["form_shown"] = page.fields["form_shown"]
    refused = visitor.post(path, **typed, payouts="lots", comment="agreed")
    assert refused.status_code == 400 and 'value="lots"' in refused.text and "agreed" in refused.text
    saved = visitor.post(path, **typed, payouts="5.5", comment="agreed")
    assert saved.headers.get("location") == f"/console/conversions/{made.id}", saved.text
    desk.apply_edits()
    [stored] = api.admin.get("/3.1/stats/conversions", id=made.id)["conversions"]
    assert (stored["payouts"], stored["revenue"], stored["status"]) == (5.5, 10, "confirmed")
    assert staff_visitor(api, Role.STATS_CONVERSION).get(path).status_code == 403
