"""Advertisers sign up and in, and see their own offers, conversions and statistics alone."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.subs import encrypted_sub
from trackyard.store.people import advertisers, keys
from trackyard.store.platform import settings

PASSWORD = "a long pass phrase"
DAYS = {"date_from": "2023-11-01", "date_to": "2023-11-30"}
OPEN_METHODS = {
    "advertiser.api_key.renew", "advertiser.conversions.list", "advertiser.offer.get", "advertiser.offers.list",
    "advertiser.invoices.document", "advertiser.invoices.get", "advertiser.invoices.list",
    "advertiser.me.edit", "advertiser.me.get", "advertiser.stats", "auth.api_key.show", "auth.password.change",
    "auth.preferences.edit", "auth.preferences.get",
    "notices.list", "notices.read", "notices.choices.get", "notices.choices.edit",
    "auth.session.end", "auth.sessions.end", "auth.sessions.list", "auth.sign-out",
    "auth.companies.list", "auth.company.switch",
    "auth.keys.add", "auth.keys.edit", "auth.keys.list", "auth.keys.remove", "auth.keys.rotate",
    "auth.second_factor.begin", "auth.second_factor.confirm", "auth.second_factor.disable", "auth.second_factor.get",
    "auth.second_factor.recovery_codes",
    "advertiser.news.list", "news.seen", "news.unread",
    "threads.list", "threads.open", "threads.unread", "thread.get", "thread.answer", "thread.seen",
    "people.add", "people.edit", "people.invite", "people.list", "people.owner", "people.remove",
}  # fmt: skip


def sign_in(api: Api, email: str, password: str = PASSWORD) -> Any:
    return api.admin.with_key("").call("POST", "/3.1/advertiser/login", data={"email": email, "password": password})


def add_caller(api: Api, email: str, **fields: Any) -> tuple[str, ApiClient]:
    """An active advertiser that signed up, and a client with its key."""
    sent = {"title": f"Shop {email}", "email": email, "password": PASSWORD}
    answer = api.admin.with_key("").call("POST", "/3.1/advertiser/registration", data=sent)
    assert answer.json() == {"status": 1, "message": "Advertiser created successfully"}
    [found] = api.admin.get("/3.1/admin/advertisers", search=email)["advertisers"]
    assert found["status"] == "on moderation"
    api.admin.post(f"/3.1/admin/advertiser/{found['id']}", status="active", **fields)
    return found["id"], api.admin.with_key(sign_in(api, email).json()["user"]["api_key"])


@dataclass
class Shops:
    """Two advertisers with an offer and a conversion each, of one affiliate."""

    api: Api
    own: str
    client: ApiClient
    offer: int
    other: str
    other_offer: int
    affiliate: int


@pytest.fixture
def shops(api: Api) -> Shops:
    own, client = add_caller(api, "own@shop.example")
    other, _ = add_caller(api, "other@shop.example")
    pid, _ = api.add_affiliate()
    terms = {
        "partner_payments[0][partners][]": pid,
        "partner_payments[0][total]": "31",
        "targeting[0][country][allow][]": "DE",
    }
    terms |= {"partner_payments[0][revenue]": "21.5", "targeting[1][affiliate_id][]": pid}
    offers = [api.add_offer(advertiser=each, title=f"Offer of {each}", **terms) for each in (own, other)]
    pairs = list(zip((1, 2), offers, (own, other), strict=True))
    load_clicks(api.deps, [new_click(n, offer=o, affiliate=pid, advertiser=a, sub1="secret-sub") for n, o, a in pairs])
    for number, offer, advertiser in pairs:
        add_conversion(
            api.deps, number, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser, click={"sub1": "secret-sub"}
        )
    return Shops(api, own, client, offers[0], other, offers[1], pid)


def test_advertiser_signs_in_with_a_key_and_a_session(api: Api) -> None:
    number, client = add_caller(api, "Own@Shop.example")
    answer = sign_in(api, "own@shop.example").json()
    assert "status" not in answer
    assert (answer["user"]["id"], answer["user"]["type"]) == (number, "advertiser")
    assert (answer["user"]["api_key"], answer["refresh_token"]) == (client.key, "")
    assert answer["expires_in"] == 12 * 3600
    session = api.admin.with_key(answer["access_token"])
    assert session.get("/3.1/advertiser/offers")["offers"] == []
    assert session.call("DELETE", "/3.1/auth").json()["ended"] == 1
    assert session.call("GET", "/3.1/advertiser/offers").status_code == 401


@pytest.mark.parametrize("status", ["on moderation", "not active"])
def test_advertiser_that_is_not_active_is_no_caller(api: Api, status: str) -> None:
    number, client = add_caller(api, "own@shop.example")
    session = api.admin.with_key(sign_in(api, "own@shop.example").json()["access_token"])
    api.admin.post(f"/3.1/admin/advertiser/{number}", status=status)
    for caller in (client, session):
        assert caller.call("GET", "/3.1/advertiser/offers").status_code == 401
    assert sign_in(api, "own@shop.example").status_code == 401
    api.admin.post(f"/3.1/admin/advertiser/{number}", status="active")
    assert client.call("GET", "/3.1/advertiser/offers").status_code == 200
    assert session.call("GET", "/3.1/advertiser/offers").status_code == 401


def test_advertiser_sign_up_answers_alike_for_a_taken_address(api: Api) -> None:
    number, _ = add_caller(api, "own@shop.example")
    api.admin.post("/3.0/admin/partner", email="pub@a.example", password="long-enough")
    before = api.admin.get("/3.1/admin/advertisers")["pagination"]["total_count"]
    for email in ("own@shop.example", "pub@a.example", "admin@localhost.example"):
        sent = {"title": "Shop", "email": email, "password": PASSWORD}
        answer = api.admin.with_key("").call("POST", "/3.1/advertiser/registration", data=sent)
        assert answer.json() == {"status": 1, "message": "Advertiser created successfully"}
    assert api.admin.get("/3.1/admin/advertisers")["pagination"]["total_count"] == before + 1
    weak = {"title": "Shop", "email": "new@shop.example", "password": "password1234"}
    assert api.admin.with_key("").call("POST", "/3.1/advertiser/registration", data=weak).status_code == 400
    assert sign_in(api, "own@shop.example").json()["user"]["id"] == number


def test_advertiser_sign_in_is_throttled_and_apart_from_that_of_others(api: Api) -> None:
    add_caller(api, "own@shop.example")
    assert (
        api.admin.call("POST", "/3.1/auth", data={"login": "own@shop.example", "password": PASSWORD}).status_code == 401
    ), "the other sign-in knows no advertisers"
    api.admin.post("/3.0/admin/partner", email="pub@a.example", password="long-enough")
    assert sign_in(api, "pub@a.example", "long-enough").status_code == 401
    answers = [sign_in(api, "own@shop.example", "wrong").status_code for _ in range(11)]
    assert answers[:10] == [401] * 10
    assert answers[10] == 429


def test_advertiser_may_call_its_own_methods_and_no_other(api: Api) -> None:
    _, client = add_caller(api, "own@shop.example")
    open_methods = {each.id for each in CATALOGUE if each.advertisers}
    assert open_methods == OPEN_METHODS
    for endpoint in CATALOGUE:
        if endpoint.advertisers or endpoint.audience == "anyone":
            continue
        path = f"/{endpoint.versions[-1]}" + endpoint.path.replace("{", "nothing-").replace("}", "")
        assert (endpoint.id, *client.refusal(endpoint.method, path)) == (endpoint.id, 403, "auth_denied")


def test_methods_of_advertisers_reject_staff_and_affiliates(shared_api: Api) -> None:
    _, affiliate = shared_api.add_affiliate()
    for endpoint in CATALOGUE:
        if endpoint.audience == "advertiser":
            path = "/3.1" + endpoint.path.replace("{id}", "1")
            for client in (affiliate, shared_api.admin):
                assert (endpoint.id, *client.refusal(endpoint.method, path)) == (endpoint.id, 403, "auth_denied")


def test_advertiser_sees_own_offers_without_payouts_and_affiliates(shops: Shops) -> None:
    answer = shops.client.get("/3.1/advertiser/offers")
    [offer] = answer["offers"]
    assert offer == shops.client.get(f"/3.1/advertiser/offers/{shops.offer}")["offer"]
    assert [(each["total"], each["affiliates"]) for each in offer["payouts"]] == [(10, [])]
    assert [each["country"] for each in offer["targetings"]] == [["DE"]]
    assert offer["targetings"][0]["condition"] == "and"
    assert "21.5" not in str(answer)
    assert shops.client.call("GET", f"/3.1/advertiser/offers/{shops.other_offer}").status_code == 404
    assert shops.client.get("/3.1/advertiser/offers", offer_id=shops.other_offer)["offers"] == []
    assert shops.client.get("/3.1/advertiser/offers", country="DE", search="Offer of")["pagination"]["total_count"] == 1
    shops.api.admin.post(f"/3.1/admin/offer/{shops.offer}", status="stopped")
    assert [each["status"] for each in shops.client.get("/3.1/advertiser/offers")["offers"]] == ["stopped"]


def test_advertiser_sees_own_conversions_and_statistics_alone(shops: Shops) -> None:
    shown = shops.client.get("/3.1/advertiser/conversions", **DAYS)["conversions"]
    assert [(each["offer_id"], each["partner_id"], each["sub1"]) for each in shown] == [(shops.offer, None, None)]
    assert "payout" not in str(shown)
    rows = shops.client.get("/3.1/advertiser/stats", **DAYS, **{"slice[]": ["offer"]})["stats"]
    assert [(row["slice"], row["clicks"]) for row in rows] == [({"offer": shops.offer}, 1)]
    staff = shops.api.admin.get(
        "/3.1/stats/getbyprogram", **{"filter[date_from]": "2023-11-01", "filter[date_to]": "2023-11-30"}
    )["stats"]
    [same] = [row for row in staff if row["slice"]["offer"]["id"] == shops.offer]
    assert rows[0]["actions"]["total"] == {
        "count": same["actions"]["total"]["count"],
        "charge": same["actions"]["total"]["charge"],
        "without_click": 0,
    }
    foreign = {"offer[]": [shops.other_offer]}
    assert shops.client.get("/3.1/advertiser/conversions", **DAYS, **foreign)["conversions"] == []
    assert shops.client.get("/3.1/advertiser/stats", **DAYS, **foreign, **{"slice[]": ["day"]})["stats"] == []


def test_advertiser_sees_and_changes_its_own_record(shops: Shops) -> None:
    sent = {"note": "Pays late", "hash_password": "a-code-of-the-shop-123456", "allowed_ip[]": "192.0.2.0/24"}
    shops.api.admin.post(f"/3.1/admin/advertiser/{shops.own}", **sent)
    own = shops.client.get("/3.1/advertiser/me")["advertiser"]
    assert (own["id"], own["email"], own["allowed_ip"]) == (shops.own, "own@shop.example", ["192.0.2.0/24"])
    assert own["postback_url"].endswith("/postback?clickid=CLICK&secure=a-code-of-the-shop-123456")
    assert "Pays late" not in str(own)
    edited = shops.client.post("/3.1/advertiser/me", contact="Ada", url="https://shop.example/", title="Other")
    assert [edited["advertiser"][name] for name in ("contact", "url", "title")] == [
        "Ada",
        "https://shop.example/",
        "Shop own@shop.example",
    ]
    staff = shops.api.admin.get(f"/3.1/admin/advertiser/{shops.own}")["advertiser"]
    assert (staff["contact"], staff["note"]) == ("Ada", "Pays late")


def test_advertiser_sees_the_addresses_of_its_postbacks_and_pixels(shops: Shops) -> None:
    [offer] = shops.client.get("/3.1/advertiser/offers")["offers"]
    code = shops.api.admin.get(f"/3.1/offer/{shops.offer}")["offer"]["pixel_code"]
    assert offer["pixel_url"].endswith(f"/success.jpg?offer_id={shops.offer}&afsecure={code}&afclick=CLICK&afid=ORDER")
    shops.api.admin.post(f"/3.1/admin/offer/{shops.offer}", hash_password="a-code-of-the-offer-12345", pixels=0)
    offer = shops.client.get(f"/3.1/advertiser/offers/{shops.offer}")["offer"]
    assert offer["postback_url"].endswith("/postback?clickid=CLICK&secure=a-code-of-the-offer-12345")
    assert offer["pixel_url"] == ""


def test_platform_code_is_not_shown_to_an_advertiser_without_a_code(shops: Shops) -> None:
    platform = "a-code-of-the-platform-1234"
    with shops.api.deps.database.write() as conn:
        settings.edit_setting(conn, settings.HASH_PASSWORD, platform)
        advertisers.edit_advertiser(conn, shops.own, {"hash_password": None})
    for answer in (shops.client.get("/3.1/advertiser/me"), shops.client.get("/3.1/advertiser/offers")):
        assert "clickid=CLICK&secure=***" in str(answer) and platform not in str(answer)


def test_advertiser_filters_its_conversions_and_sees_why_one_is_declined(shops: Shops) -> None:
    for number, comment in ((11, "Cap is reached"), (12, "Affiliate 7 cheats")):
        parties = {"offer_id": shops.offer, "affiliate_id": shops.affiliate, "advertiser_id": shops.own}
        click = {"country": "FR", "sub1": "secret-sub"}
        add_conversion(
            shops.api.deps, number, **parties, status=Status.DECLINED, comment=comment, action_id=comment, click=click
        )

    def found(**sent: Any) -> list[tuple[str, str]]:
        shown = shops.client.get("/3.1/advertiser/conversions", **DAYS, **sent)["conversions"]
        return sorted((each["action_id"], each["comment"]) for each in shown if each["status"] == "declined")

    assert found() == [("Affiliate 7 cheats", ""), ("Cap is reached", "Cap is reached")]
    assert found(**{"action_id[]": "Cap is reached"}) == [("Cap is reached", "Cap is reached")]
    assert found(**{"country[]": "DE"}) == [] and len(found(**{"country[]": "FR"})) == 2
    assert found(**{"goal[]": "7"}) == [] and len(found(**{"goal[]": "1"})) == 2
    assert found(**{"clickid[]": "0" * 24}) == []
    shops.api.admin.post(f"/3.1/admin/advertiser/{shops.own}", sees_affiliates=1)
    assert ("Affiliate 7 cheats", "Affiliate 7 cheats") in found()


@pytest.mark.parametrize("name", ["affiliate", "sub1"])
def test_advertiser_sees_affiliates_once_staff_allow_it(shops: Shops, name: str) -> None:
    sent = DAYS | {"slice[]": [name]}
    assert shops.client.refusal("GET", "/3.1/advertiser/stats", params=sent) == (403, "affiliates_hidden")
    shops.api.admin.post(f"/3.1/admin/advertiser/{shops.own}", sees_affiliates=1)
    value = {"affiliate": shops.affiliate, "sub1": "secret-sub"}[name]
    assert [row["slice"] for row in shops.client.get("/3.1/advertiser/stats", **sent)["stats"]] == [{name: value}]
    [conversion] = shops.client.get("/3.1/advertiser/conversions", **DAYS)["conversions"]
    assert (conversion["partner_id"], conversion["sub1"]) == (shops.affiliate, "secret-sub")
    [offer] = shops.client.get("/3.1/advertiser/offers")["offers"]
    assert [each["affiliates"] for each in offer["payouts"]] == [[], [shops.affiliate]]
    assert "21.5" not in str((offer, conversion))


def test_advertiser_renews_its_key_and_changes_its_password(api: Api) -> None:
    number, client = add_caller(api, "own@shop.example")
    session = api.admin.with_key(sign_in(api, "own@shop.example").json()["access_token"])
    assert session.call("POST", "/3.1/advertiser/api_key").json()["api_key"] is None
    assert client.call("GET", "/3.1/advertiser/offers").status_code == 401
    with api.deps.database.read() as conn:
        key = keys.find_key(conn, "advertiser", number, api.deps.cipher)
    renewed = api.admin.with_key(key)
    assert renewed.call("POST", "/3.1/advertiser/api_key").json()["api_key"] != key
    assert session.call("GET", "/3.1/advertiser/offers").status_code == 401, "its sessions end with the key"
    session = api.admin.with_key(sign_in(api, "own@shop.example").json()["access_token"])
    other = api.admin.with_key(sign_in(api, "own@shop.example").json()["access_token"])
    sent = {"password": PASSWORD, "new_password": "another long phrase"}
    assert session.call("POST", "/3.1/auth/password", data=sent).status_code == 200
    assert other.call("GET", "/3.1/advertiser/offers").status_code == 401
    assert sign_in(api, "own@shop.example").status_code == 401
    assert sign_in(api, "own@shop.example", "another long phrase").status_code == 200


def test_password_that_staff_send_ends_sessions_of_the_advertiser(api: Api) -> None:
    number, _ = add_caller(api, "own@shop.example")
    session = api.admin.with_key(sign_in(api, "own@shop.example").json()["access_token"])
    _, supplier = api.add_staff(Role.SECTION_SUPPLIER)
    supplier.post(f"/3.1/admin/advertiser/{number}/sendpass")
    assert session.call("GET", "/3.1/advertiser/offers").status_code == 401
    assert sign_in(api, "own@shop.example").status_code == 401


def test_advertiser_sees_how_a_targeting_group_judges(shops: Shops) -> None:
    group = {
        "name": "Phones",
        "condition": "or",
        "enabled": 0,
        "os_deny": 1,
        "device_type_deny": 1,
        "connection": "wi-fi",
    }
    sent = {f"targeting[0][{name}]": value for name, value in group.items()}
    sent |= {"targeting[0][os][allow][0][name]": "Android", "targeting[0][device_type][]": "tablet"}
    shops.api.admin.post(f"/3.0/admin/offer/{shops.offer}", **sent)
    [shown] = shops.client.get(f"/3.1/advertiser/offers/{shops.offer}")["offer"]["targetings"]
    assert (shown["condition"], shown["enabled"]) == ("or", False)
    assert (shown["os"], shown["device_type"], shown["connection"]) == (["-Android"], ["-tablet"], ["wi-fi"])


def test_advertiser_sees_the_text_lists_of_a_targeting_group(shops: Shops) -> None:
    sent: dict[str, Any] = {
        "[zip][allow][]": "10115", "[zip][deny][]": "10117", "[device_model][deny][]": "Pixel 8",
        "[isp_organization][allow][]": "Example Net", "[isp_organization][deny_empty]": 1,
        "[browser_version][allow][0][name]": "Chrome", "[browser_version][allow][0][comparison]": "GTE",
        "[browser_version][allow][0][version]": "120", "[browser_version][deny][0][name]": "Firefox",
        "[referrer][deny][]": "affiliate.example", "[referrer][deny_empty]": 1,
        "[ua][allow][]": "Mobile", "[ua][is_regexp]": 1, "[ua][deny_crawlers]": 1, "[block_known_bots]": 1,
        "[name]": "Of Bob", "[ip][ipv6_deny]": 1, "[sub][deny_groups][0][1]": "a", "[sub][deny_groups][0][2]": "b",
    }  # fmt: skip
    shops.api.admin.post(
        f"/3.1/admin/offer/{shops.offer}", **{f"targeting[0]{name}": value for name, value in sent.items()}
    )
    path = f"/3.1/advertiser/offers/{shops.offer}"
    [shown] = shops.client.get(path)["offer"]["targetings"]
    expected = {
        "zip": ["10115", "-10117"], "device_model": ["-Pixel 8"], "isp_organization": ["Example Net"],
        "isp_organization_deny_empty": True, "browser_version": ["ChromeGTE120", "-Firefox"], "referrer": [],
        "referrer_deny_empty": True, "referrer_is_regexp": False, "ua": ["Mobile"], "ua_deny_empty": False,
        "ua_is_regexp": True, "ua_deny_crawlers": True, "block_known_bots": True, "name": "", "ipv6_deny": True,
        "subs_deny_groups": [],
    }  # fmt: skip
    assert {name: shown[name] for name in expected} == expected
    shops.api.admin.post(f"/3.1/admin/advertiser/{shops.own}", sees_affiliates=1)
    seen = shops.client.get(path)["offer"]["targetings"][0]
    assert (seen["referrer"], seen["name"]) == (["-affiliate.example"], "Of Bob")
    assert seen["subs_deny_groups"] == [{"sub1": "a", "sub2": "b"}]


def test_write_of_an_advertiser_is_in_the_audit_log_with_its_author(api: Api) -> None:
    number, client = add_caller(api, "own@shop.example")
    client.post("/3.1/advertiser/me", contact="Ada")
    client.post("/3.1/advertiser/api_key")
    found = api.admin.get("/3.1/admin/audit")["audit"]
    written = [each for each in found if each["method"].startswith("advertiser.") and each["user"]["id"] == number]
    assert {each["method"] for each in written} == {"advertiser.me.edit", "advertiser.api_key.renew"}
    assert {(each["user_type"], each["user"]["first_name"]) for each in written} == {
        ("advertiser", "Shop own@shop.example")
    }


def test_advertiser_sees_codes_instead_of_encrypted_subs(shops: Shops) -> None:
    own = f"/3.1/admin/advertiser/{shops.own}"
    deny = {
        "targeting[0][affiliate_id][]": shops.affiliate,
        "targeting[0][sub][deny][1][]": "secret-sub",
        "targeting[0][sub][deny_groups][0][1]": "secret-sub",
        "partner_payments[0][partners][]": shops.affiliate,
        "partner_payments[0][sub1]": "secret-sub",
        "partner_payments[0][total]": 3,
        "partner_payments[0][revenue]": 2,
    }
    shops.api.admin.post(f"/3.1/admin/offer/{shops.offer}", **deny)
    shown = shops.api.admin.post(own, sees_affiliates=1, subaccounts_encryption=1)["advertiser"]
    assert shown["subaccounts_encryption"] is True and "subs_key" not in shown

    def answers() -> list[Any]:
        return [
            shops.client.get("/3.1/advertiser/stats", **DAYS, **{"slice[]": ["sub1"]})["stats"][0]["slice"]["sub1"],
            shops.client.get("/3.1/advertiser/conversions", **DAYS)["conversions"][0]["sub1"],
            shops.client.get(f"/3.1/advertiser/offers/{shops.offer}")["offer"],
        ]

    code, of_conversion, offer = answers()
    assert re.fullmatch("[0-9a-f]{16}", code) and of_conversion == code
    assert offer["targetings"][0]["subs"] == [f"-sub1={code}"]
    assert offer["targetings"][0]["subs_deny_groups"] == [{"sub1": code}]
    assert [each["sub1"] for each in offer["payouts"]] == [[], [code]]
    assert "secret-sub" not in str(answers())
    shops.api.admin.post(own, subaccounts_encryption=0)
    assert answers()[:2] == ["secret-sub", "secret-sub"]
    shops.api.admin.post(own, subaccounts_encryption=1)
    assert answers()[0] == code, "the codes stay when the switch was off"
    log = shops.api.admin.get("/3.1/admin/audit")["audit"]
    keys = [each["changes"]["subs_key"] for each in log if "subs_key" in each.get("changes", {})]
    assert keys and "***" in str(keys) and not re.search("[0-9a-f]{32}", str(keys))


def test_codes_of_subs_differ_between_advertisers(shops: Shops) -> None:
    with shops.api.deps.database.read() as conn:
        keys_of = []
        for number in (shops.own, shops.other):
            shops.api.admin.post(f"/3.1/admin/advertiser/{number}", subaccounts_encryption=1)
            found = advertisers.find_advertiser(conn, Scope.everything(), number)
            assert found is not None
            keys_of.append(found.code_key)
    assert encrypted_sub("a", keys_of[0], 1) != encrypted_sub("a", keys_of[1], 1)
    assert encrypted_sub("", keys_of[0], 1) == ""


def test_advertiser_chooses_the_zone_of_its_days_and_times(shops: Shops) -> None:
    [made] = shops.client.get("/3.1/advertiser/conversions", **DAYS)["conversions"]
    day = made["created_at"][:10]
    later = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    found = {}
    for zone in ("UTC", "Pacific/Kiritimati"):
        for each in (day, later):
            sent = {"date_from": each, "date_to": each, "timezone": zone}
            rows = shops.client.get("/3.1/advertiser/stats", **{"slice[]": ["day"]}, **sent)["stats"]
            times = [
                each["created_at"] for each in shops.client.get("/3.1/advertiser/conversions", **sent)["conversions"]
            ]
            found[zone, each] = len(rows), [time[:10] for time in times]
    full, empty = (1, [day]), (0, [])
    assert found == {
        ("UTC", day): full, ("UTC", later): empty,
        ("Pacific/Kiritimati", day): empty, ("Pacific/Kiritimati", later): (1, [later]),
    }  # fmt: skip
