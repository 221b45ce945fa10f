"""The first story's writes and reads on each SQL engine."""

from tests.support.api import installed
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.analytics.engine.connection import Analytics
from trackyard.store.engine.database import Database

PERIOD = {"date_from": "2023-11-15", "date_to": "2023-11-15"}


def test_offer_to_conversion_flow_works_on_each_engine(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    advertiser = api.add_advertiser(**{"tags[]": ["a"], "sub_account_1": "x"})
    offer = api.add_offer(advertiser=advertiser, stopDate="2030-01-01", **{"tags[]": ["b"]})
    pid, affiliate = api.add_affiliate(ref_percent="1.5")
    assert api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid)["status"] == 1
    assert affiliate.post("/3.1/partner/postback", pid=pid, url="https://a.example", offer_id=offer)["status"] == 1
    taken = api.admin.call("POST", "/3.0/admin/partner", data={"email": "x@a.example", "password": "long-enough"})
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
    assert affiliate.get("/3.0/balance")["balance"]["balance"] == {"USD": 0}


def test_affiliate_sign_up_to_permissions_flow_works_on_each_engine(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    wire = {"lang_label": "Wire", "fields[0][lang_label]": "IBAN", "fields[0][required]": 1}
    system = api.admin.post("/3.1/admin/payment_systems", **wire)["payment_system"]["id"]
    field = api.admin.post("/3.1/admin/custom_fields", name="Size", required=1)["field"]["id"]
    new = {"email": "ann@affiliate.example", "password": "long enough for all", f"custom_fields[{field}]": "9"}
    user = api.admin.with_key(None).post("/3.1/partner", **new)["user"]
    assert api.admin.post("/3.1/partner", **new)["user"]["partner_id"] == user["partner_id"] + 1
    assert api.admin.get("/3.0/admin/partners")["pagination"]["total_count"] == 1
    path, client = f"/3.0/admin/partner/{user['partner_id']}", api.admin.with_key(user["api_key"])
    chosen = {"payment_systems[0][system_id]": system, "payment_systems[0][fields][1]": "EE12"}
    edited = api.admin.post(path, status="active", **chosen)["partner"]
    assert (edited["payment_systems"][0]["fields"], edited["customFields"][0]["value"]) == ({"1": "EE12"}, "9")
    assert api.admin.get("/3.0/admin/partners", with_balance=1)["partners"] == [edited]
    assert api.admin.call("POST", f"/3.1/admin/payment_systems/{system}/remove").status_code == 409
    denied = {"permissions[stats][clicks-list][level]": "deny"}
    api.admin.post(f"/3.1/user/{user['partner_id']}/permissions", **denied)
    assert client.call("GET", "/3.1/stats/clicks", params=PERIOD).status_code == 403
    api.admin.post("/3.1/user/permissions", **denied)
    tree = client.get("/3.1/partner/me")["user"]["permissions"]
    assert tree["stats"]["clicks-list"] == {"level": "deny"}
    renewed = client.post("/3.1/partner/api_key")["user"]["api_key"]
    assert client.call("GET", "/3.1/partner/me").status_code == 401
    assert api.admin.get(path)["partner"]["api_key"] == renewed
    answer = api.admin.get("/3.1/admin/audit", what="affiliate")["audit"]
    assert {record["method"] for record in answer} == {"admin.partner.edit", "user.permissions.edit"}
