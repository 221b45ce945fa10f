"""The page Reports of affiliates."""

import csv

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import affiliate_visitor


def test_own_report_has_what_the_affiliate_earns_and_nothing_of_others(api: Api) -> None:
    api.clock.advance(NOON + 6 * 3_600_000 - NOW)
    advertiser = api.add_advertiser(title="Secret shop")
    offer = api.add_offer(title="Boots", privacy="public", advertiser=advertiser)
    pid, visitor = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    clicks = [new_click(number, **own, sub1="social" if number < 4 else "") for number in range(1, 6)]
    load_clicks(api.deps, [*clicks, *(new_click(number, offer=offer, affiliate=other) for number in range(11, 18))])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    page = visitor.read("/portal/reports?period=today&compare=none&by=offer&by=sub1")
    assert "Boots social 3 60.0 % of all rows 3 0 0 0.0" in page.text.replace("\N{NO-BREAK SPACE}", " ")
    assert "Boots None 2 40.0 % of all rows 2 1 0 50.0 % $7.00 $3.50" in page.text.replace("\N{NO-BREAK SPACE}", " ")
    assert f"/portal/offers/{offer}" in page.links
    assert not [link for link in page.links if link.startswith("/console")]
    wrong = visitor.read(
        "/portal/reports?by=advertiser&f.affiliate=1&figures=margin&show=charge&sort=margin&add=manager"
    )
    assert "Rows by advertiser do not exist" in wrong.text and "A filter by affiliate does not exist" in wrong.text
    assert "Margin" not in wrong.text and "Filter by Affiliate manager" not in wrong.text
    assert "Boots" in wrong.text
    assert "Filter by Country" in visitor.read("/portal/reports?add=country").text
    lines = (
        visitor.get("/portal/reports/file?period=today&by=offer&format=csv").content.decode("utf-8-sig").splitlines()
    )
    [row] = csv.DictReader(lines)
    assert row["traffic.raw"] == "5"


def test_own_report_leaves_out_slices_that_staff_deny(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    tree = {"permissions[stats][slice-country][level]": "deny", "permissions[stats][stats-export][level]": "deny"}
    api.admin.post(f"/3.1/user/{pid}/permissions", **tree)
    text = visitor.read("/portal/reports?by=country").text
    assert "Rows by country do not exist" in text and "Export" not in text
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][view-custom][level]": "deny"})
    assert visitor.get("/portal/reports").status_code == 403
    assert "/portal/reports" not in visitor.read("/portal/").links
