"""The way of a new installation to its first conversion."""

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import staff_visitor
from trackyard.domain.people.roles import Role


def test_overview_leads_a_new_installation_to_its_first_conversion(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    visitor = staff_visitor(api)
    page = visitor.read("/console/")
    assert "0 of 5 done" in page.text and "The link is here once" in page.text
    advertiser = api.add_advertiser(title="<b>Shop</b>")
    offer = api.add_offer(advertiser=advertiser)
    assert "<b>Shop</b>" not in visitor.get("/console/").text
    pid, _ = api.add_affiliate(login="mia")
    page = visitor.read("/console/")
    assert "3 of 5 done" in page.text and "connect the affiliate" in page.text
    assert f"/console/offers/{offer}" in page.links
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid)
    shown = visitor.read("/console/").text
    [own] = api.admin.get("/3.0/partner/offers", pid=pid)["offers"]
    assert own["links"][0]["url"] in shown
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=pid, advertiser=advertiser)])
    shown = visitor.read("/console/").text
    [record] = api.admin.get("/3.0/admin/advertisers")["advertisers"]
    begin, _, end = record["postback_url"].partition("CLICK")
    assert "4 of 5 done" in shown and begin in shown and end in shown and "clickid=CLICK" not in shown
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    assert "Start here" not in visitor.read("/console/").text


def test_first_steps_are_shown_to_people_who_can_take_them(api: Api) -> None:
    assert "Start here" not in staff_visitor(api, Role.SECTION_DASHBOARD).read("/console/").text
