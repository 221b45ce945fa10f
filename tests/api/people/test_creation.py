"""What staff and affiliates write: answers, rules, refusals."""

from typing import Any

import pytest

from tests.support.api import Api
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.ruleset import RulesetAffiliate, RulesetConnections, RulesetOffer
from trackyard.store.tracking import rulesets
from trackyard.store.tracking.rulesets import compile_row


def version(api: Api) -> int:
    with api.deps.database.read() as conn:
        return rulesets.ruleset_version(conn)


def rule(api: Api, kind: str, key: Any) -> Any:
    with api.deps.database.read() as conn:
        return compile_row(conn, kind, str(key))


def test_advertiser_creation_returns_stored_fields(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    body = api.admin.post(
        "/3.0/admin/advertiser",
        **{
            "title": "Shop", "email": "Shop@Example.org", "manager": manager,
            "allowed_ip[]": ["10.0.0.1", "10.0.0.0/8"],
            "tags": ["a", "b"], "sub_account_1": "x,y", "sub_account_1_except": "1", "hash_password": "code",
            "consider_personal_targeting_only": "true",
        },
    )["advertiser"]  # fmt: skip
    assert (body["title"], body["email"], body["manager"]) == ("Shop", "shop@example.org", manager)
    assert body["manager_obj"]["id"] == manager
    assert body["manager_obj"]["api_key"] is None
    assert body["allowed_ip"] == ["10.0.0.1", "10.0.0.0/8"]
    assert body["sub_accounts"] == {"1": {"value": "x,y", "except": True}, "2": {"value": "", "except": False}}
    assert (body["hash_password"], body["offers"], body["consider_personal_targeting_only"]) == ("code", "0", True)
    assert rule(api, "advertiser", body["id"])


def test_advertiser_without_manager_shows_empty_manager(api: Api) -> None:
    body = api.admin.post("/3.1/admin/advertiser", title="Shop")["advertiser"]
    assert (body["manager"], body["manager_obj"], body["contact"]) == ("", "", "")


def test_sales_manager_manages_created_advertisers(api: Api) -> None:
    own, sales = api.add_staff(Role.MANAGER_SALES)
    other, _ = api.add_staff(Role.MANAGER_SALES)
    advertiser = sales.post("/3.0/admin/advertiser", title="Mine")["advertiser"]
    assert advertiser["manager"] == own
    refused = sales.call("POST", "/3.0/admin/advertiser", data={"title": "Theirs", "manager": other})
    assert (refused.status_code, refused.json()["error"]) == (400, "[manager] Only yourself can be named here.")
    offer = {"title": "Shoes", "url": "https://shop.example/", "advertiser": advertiser["id"]}
    assert sales.call("POST", "/3.0/admin/offer", data=offer).status_code == 200
    foreign = api.add_advertiser(manager=other)
    assert sales.call("POST", "/3.0/admin/offer", data=offer | {"advertiser": foreign}).status_code == 400


def test_offer_creation_returns_stored_fields_and_compiles_rule(api: Api) -> None:
    pid, _ = api.add_affiliate()
    advertiser = api.add_advertiser()
    body = api.admin.post(
        "/3.1/admin/offer",
        **{
            "title": "Shoes", "advertiser": advertiser, "url": "https://shop.example/{clickid}", "status": "active",
            "privacy": "public", "payments[0][total]": "10.50", "payments[0][revenue]": "7",
            "payments[0][countries][]": "de",
            "payments[1][goal]": "sale", "payments[1][type]": "percent", "payments[1][currency]": "usd",
            "payments[1][sub2]": "a,b", "partner_payments[0][partners][]": pid, "partner_payments[0][revenue]": "9",
            "landings[0][title]": "L", "landings[0][url]": "https://l.example",
            "landings[0][url_preview]": "https://p.example",
            "description_lang[en]": "Good shoes", "tags[]": ["new", "shoes"], "stopDate": "2024-02-29",
            "start_at": "2023-12-01 08:00:00", "hold_period": "30", "allowed_ip": "1.1.1.1\n2.2.2.0-2.2.2.9",
        },
    )  # fmt: skip
    offer = body["offer"]
    assert body["id"] == offer["id"]
    assert len(offer["offer_id"]) == 24
    assert [item["total"] for item in offer["payments"]] == [10.5, 0]
    assert [item["goal"] for item in offer["payments"]] == ["1", "sale"]
    assert [item["currency"] for item in offer["payments"]] == ["USD", "USD"]
    assert offer["payments"][0]["countries"] == ["DE"]
    assert offer["payments"][1]["sub2"] == "a,b"
    assert offer["partner_payments"][0]["partners"] == [pid]
    assert offer["landings"][0]["id"] == 1
    assert (offer["start_at"], offer["stop_at"]) == ("2023-12-01 08:00:00", "2024-02-29 23:59:59")
    assert (offer["click_session"], offer["hold_period"], offer["required_approval"]) == ("1y", 30, False)
    compiled = rule(api, "offer", offer["id"])
    assert isinstance(compiled, RulesetOffer)
    assert (compiled.active, compiled.open, compiled.hash) == (True, True, offer["offer_id"])


def test_offer_creation_without_status_is_stopped(api: Api) -> None:
    offer_id = api.add_offer(status="")
    compiled = rule(api, "offer", offer_id)
    assert (compiled.active, compiled.open) == (False, False)


@pytest.mark.parametrize(
    ("prefix", "change", "names"),
    [
        ("3.0", {"title": "", "url": "", "advertiser": ""}, {"title", "url", "advertiser"}),
        ("3.1", {}, {"payments"}),
        ("3.0", {"advertiser": "0" * 24}, {"advertiser"}),
        ("3.0", {"payments[0][currency]": "XXX"}, {"payments[0][currency]"}),
        ("3.0", {"partner_payments[0][partners][]": "999"}, {"partner_payments[0][partners][0]"}),
        ("3.0", {"landings[0][title]": "x"}, {"landings[0][url]", "landings[0][url_preview]"}),
        ("3.0", {"description_lang[xx]": "x"}, {"description_lang[xx]"}),
        ("3.0", {"hold_period": "61"}, {"hold_period"}),
        ("3.0", {"allowed_ip": "1.1.1.1\nnonsense"}, {"allowed_ip"}),
        ("3.0", {"payments[0][total]": "-1"}, {"payments[0][total]"}),
    ],
)
def test_offer_creation_with_invalid_value_is_rejected(
    api: Api, prefix: str, change: dict[str, str], names: set[str]
) -> None:
    data = {"title": "T", "url": "https://a.example", "advertiser": api.add_advertiser()} | change
    before = version(api)
    response = api.admin.call("POST", f"/{prefix}/admin/offer", data=data)
    assert response.status_code == 400
    assert set(response.json()["fields"]) == names
    assert version(api) == before


def test_affiliate_creation_returns_stored_fields_and_compiles_rule(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    referrer, _ = api.add_affiliate()
    body = api.admin.post(
        "/3.0/admin/partner",
        email="New@Example.org", password="long-enough", manager_id=manager, ref=referrer, ref_percent="2.5", level="3",
    )  # fmt: skip
    partner = body["partner"]
    assert body["id"] == partner["id"]
    assert (partner["email"], partner["login"], partner["status"]) == ("new@example.org", "new@example.org", "active")
    assert (partner["ref"], partner["ref_percent"], partner["level"]) == (str(referrer), "2.5", 3)
    assert partner["manager"]["id"] == manager
    assert (partner["payment_systems"], partner["customFields"]) == ([], [])
    zero = {"balance": 0, "hold": 0, "available": 0}
    assert (partner["balance"], partner["offersCount"]) == ({"USD": zero}, 0)
    assert "password" not in partner
    assert rule(api, "affiliate", partner["id"]) == RulesetAffiliate(id=partner["id"], name="")


def test_affiliate_email_must_be_unique(api: Api) -> None:
    api.add_affiliate(email="one@example.org")
    data = {"email": "ONE@example.org", "password": "long-enough"}
    assert api.admin.refusal("POST", "/3.0/admin/partner", data=data) == (409, ["email"])


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"manager_id": "0" * 24}, "manager_id"),
        ({"ref": "999"}, "ref"),
        ({"status": "gone"}, "status"),
        ({"level": "x"}, "level"),
    ],
)
def test_affiliate_creation_with_invalid_value_is_rejected(api: Api, change: dict[str, str], name: str) -> None:
    response = api.admin.call(
        "POST", "/3.0/admin/partner", data={"email": "a@b.example", "password": "long-enough"} | change
    )
    assert (response.status_code, list(response.json()["fields"])) == (400, [name])


@pytest.mark.parametrize(
    ("status", "code"), [("active", 200), ("banned", 401), ("not active", 401), ("on moderation", 401)]
)
def test_affiliate_status_decides_api_access(api: Api, status: str, code: int) -> None:
    _, affiliate = api.add_affiliate(status=status)
    assert affiliate.call("GET", "/3.0/balance").status_code == code


def test_connection_is_compiled_into_ruleset(api: Api) -> None:
    pid, _ = api.add_affiliate()
    first, second = api.add_offer(), api.add_offer()
    body = api.admin.post("/3.0/offer/enable-affiliate", **{"offer_id[]": [first, second], "pid": pid, "notice": 0})
    assert body["message"]
    assert rule(api, "connections", first) == RulesetConnections(offer=first, affiliates=(pid,))
    assert api.admin.post("/3.0/offer/enable-affiliate", offer_id=first, pid=pid)["status"] == 1
    before = version(api)
    refused = api.admin.call("POST", "/3.0/offer/enable-affiliate", data={"offer_id": [second, 99], "pid": 98})
    assert set(refused.json()["fields"]) == {"offer_id", "pid"}
    assert version(api) == before


def test_connection_by_manager_covers_own_affiliates_only(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=manager)
    foreign, _ = api.add_affiliate()
    offer = api.add_offer()
    path = "/3.0/offer/enable-affiliate"
    assert client.call("POST", path, data={"offer_id": offer, "pid": own}).status_code == 200
    assert client.call("POST", path, data={"offer_id": offer, "pid": foreign}).json()["fields"].keys() == {"pid"}


def test_postback_creation_respects_caller_scope(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    other, _ = api.add_affiliate()
    offer, private = api.add_offer(), api.add_offer(privacy="private")
    url = "https://affiliate.example/?c={clickid}"
    body = affiliate.post("/3.1/partner/postback", pid=pid, url=url, offer_id=offer, status="not_found", goal="2")
    assert body["postback"]["offer_id"] == str(offer)
    assert (body["postback"]["status"], body["postback"]["goal"], body["postback"]["pid"]) == (
        "declined",
        "2",
        str(pid),
    )
    body = affiliate.post("/3.0/partner/postback", url=url)
    assert (body["postback"]["offer_id"], body["postback"]["status"], body["postback"]["goal"]) == (None, None, None)
    assert affiliate.post("/3.0/partner/postback", url=url, status="not_found")["postback"]["status"] == "not_found"
    for method_path, data, status in (
        ("/3.1/partner/postback", {"url": url}, 400),
        ("/3.1/partner/postback", {"url": url, "pid": other}, 404),
        ("/3.0/partner/postback", {"url": url, "offer_id": private}, 400),
        ("/3.0/partner/postback", {"url": "ftp://a.example"}, 400),
    ):
        assert affiliate.call("POST", method_path, data=data).status_code == status
    assert api.admin.call("POST", "/3.0/partner/postback", data={"url": url}).json()["fields"].keys() == {"pid"}
    assert api.admin.post("/3.0/partner/postback", url=url, pid=other)["postback"]["pid"] == str(other)


def test_balance_of_affiliate_respects_caller(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    assert affiliate.get("/3.0/balance")["balance"]["balance"] == {"USD": 0}
    assert api.admin.call("GET", "/3.0/balance").status_code == 400
    assert api.admin.get("/3.0/balance", pid=pid)["status"] == 1
    assert api.admin.call("GET", "/3.0/balance?pid=999").status_code == 400
    ignored = affiliate.call("GET", "/3.0/balance?pid=999")
    assert ignored.headers["x-ignored-parameters"] == "pid"
