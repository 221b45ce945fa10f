"""The first story's writes and reads on each SQL engine."""

from tests.support.api import installed
from tests.support.events import new_click
from tests.support.history import add_conversion, load_clicks
from trackyard.stats.engine import Analytics
from trackyard.store.engine import Database

PERIOD = {"date_from": "2023-11-15", "date_to": "2023-11-15"}


def test_the_story(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    advertiser = api.add_advertiser(**{"tags[]": ["a"], "sub_account_1": "x"})
    offer = api.add_offer(advertiser=advertiser, stopDate="2030-01-01", **{"tags[]": ["b"]})
    pid, affiliate = api.add_affiliate(ref_percent="1.5")
    assert api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid)["status"] == 1
    assert affiliate.post("/3.1/partner/postback", pid=pid, url="https://a.example", offer_id=offer)["status"] == 1
    taken = api.admin.call("POST", "/3.0/admin/partner", data={"email": f"{'x' * 10}@a.example", "password": "x"})
    assert taken.status_code == 200
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=pid, advertiser=advertiser)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    filters = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    tags = {"filter[offer_tag]": "b", "filter[affiliate_tag]": ""}
    [row] = affiliate.get("/3.1/stats/getbydate", **filters, **tags)["stats"]
    assert row["actions"]["confirmed"]["payouts"] == 7
    [conversion] = affiliate.get("/3.1/stats/conversions", **PERIOD, payouts="7")["conversions"]
    assert conversion["offer"]["id"] == offer
    [click] = affiliate.get("/3.1/stats/clicks", **PERIOD)["clicks"]
    assert click["has_conversions"]
    assert affiliate.get("/3.0/balance")["balance"]["balance"] == {}
