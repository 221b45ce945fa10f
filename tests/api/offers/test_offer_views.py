"""The forms of an offer and their fields.

See docs/spec/offers.md#fields-for-affiliates and docs/spec/callers.md#visibility-for-affiliates.
"""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from tests.support.api import NOW, Api
from tests.support.offers import payment, store_offer
from tests.support.stores import seeds
from trackyard.api.offers.view import OfferFields
from trackyard.api.offers.view_affiliate import FullAffiliateOfferView
from trackyard.domain.offers.offers import (
    AllowDeny,
    AllowDenyGeo,
    AllowDenySubs,
    Cap,
    Creative,
    Interval,
    Landing,
    Offer,
    OfferSchedule,
    OsVersion,
    PersonalLimit,
    RestrictedIsp,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
    Tier,
    WeightedUrl,
)
from trackyard.domain.people.roles import Role
from trackyard.store.tables import category, domain, offer, source

CATEGORY, SOURCE, GONE = "a" * 24, "b" * 24, "c" * 24
FILE = "f" * 32

FULL_WORDS = """advertiser external_offer_id bundle_id hide_payments title macro_url url parallel_tracking_url
cross_postback_url url_preview preview_url domain_url use_https use_http description_lang kpi countries sources logo
logo_source status tags privacy is_top payments partner_payments landings strictly_country strictly_os restriction_os
strictly_isp restriction_isp strictly_brands strictly_devices strictly_connection_type is_redirect_overcap
notice_percent_overcap hold_period categories full_categories cr epc notes note_aff note_sales allowed_ip disallowed_ip
hash_password allow_deeplink hide_referer redirect_type start_at stop_at auto_offer_connect required_approval is_cpi
creatives creatives_zip sub_accounts sub_restrictions caps commission_tiers caps_timezone caps_status caps_goal_overcap
hide_caps search_empty_sub allow_impressions smartlink_categories click_session minimal_click_session uniq_ip_only
reject_not_uniq_ip consider_personal_targeting_only schedule targeting io_document updated_at created_at"""
"""Full offer fields of the public API."""

OWN_WORDS = """id offer_id title preview_url description cr epc logo stop_at sources categories full_categories
countries payments required_approval landings is_cpi creatives creatives_zip links macro_url link use_https use_http
hold_period hold_type caps
targeting"""
"""The affiliate-facing list item of the public API."""
LIST_WORDS = (
    "logo_source click_session minimal_click_session uniq_ip_only reject_not_uniq_ip hosts_only "
    "consider_personal_targeting_only"
)
"""What the lists of strict clients have, too (docs/compatibility.md#clients-and-settings)."""
FULL, OWN = set(FULL_WORDS.split()), {*OWN_WORDS.split(), *LIST_WORDS.split()}


def rich(api: Api, **fields: Any) -> Offer:
    """An offer that has everything."""
    day = {"created_at": NOW, "updated_at": NOW}
    with api.deps.database.write() as conn:
        conn.execute(insert(category).values(id=CATEGORY, title="Games", **day))
        conn.execute(insert(source).values(id=SOURCE, title_lang={"ru": "Почта", "en": "Mail"}, **day))
        conn.execute(insert(domain).values(id=5, url="go.example", use_https=True, **day))
    plain: dict[str, Any] = {
        "url_preview": "https://shop.example/look", "domain_id": 5, "countries": ("DE",), "sources": (SOURCE, GONE),
        "categories": (CATEGORY, GONE), "description_lang": {"ru": "Обувь", "en": "Shoes"}, "kpi": {"en": "10 %"},
        "tags": ("new",), "logo": FILE, "logo_source": "https://shop.example/logo.png", "creatives_zip": FILE,
        "creatives": (Creative(id=1, title="Banner", file=FILE, mime="image/png", size=9, width=3, height=2),),
        "landings": (Landing(id=3, title="Summer", url="https://l.example/", url_preview="https://l.example/p"),),
        "payments": (
            payment(goal="1", title="Sale", countries=("DE",), sub2="a,b"), payment(goal="2", revenue=Decimal("0.5")),
        ),
        "caps": (Cap(id="x", period="day", type="budget", value=Decimal("9.5"), goal_type="exact", goals=("1", "z")),),
        "personal_limits": (PersonalLimit(partner=77, caps=4),),
        "enabled_commission_tiers": True,
        "commission_tiers": (
            Tier(id="t", timeframe="week", type="conversions", value=Decimal(10), modifier_type="to_percent",
                 modifier_value=Decimal("12.5"), goals=("1",), conversion_status=("confirmed",)),
        ),
        "schedule": OfferSchedule(
            enabled=True, date_start="2023-11-01", date_to="2024-01-31", timezone="Asia/Kathmandu",
            intervals=(Interval(day_of_week=6, start=20, end=3),),
        ),
        "targeting": (
            TargetingGroup(
                country=AllowDeny(allow=("DE",), deny=("AT",)), region=AllowDenyGeo(allow={"DE": (1, 2)}),
                city=AllowDenyGeo(deny={"DE": (9,)}), os=(OsVersion(name="iOS", comparison="GTE", version="15.1"),),
                isp={"DE": ("Telekom",)}, ip=AllowDeny(deny=("192.0.2.0/24",)), device_type=("mobile",),
                sub=AllowDenySubs(allow={1: ("a",)}, deny_groups=({1: "x", 2: ""},)),
                connection=("wi-fi",), block_proxy=True,
                url="https://t.example/", urls=(WeightedUrl(url="https://w.example/", weight=30),),
            ),
        ),
        "restriction_os": (RestrictedOs(os="Android", versions=(">=9",)),),
        "restriction_isp": (RestrictedIsp(country="DE", name="Telekom"),),
        "sub_restrictions": ({"sub1": "a", "sub2": "b"},),
        "sub_accounts": {"1": SubAccountList(values=("a", "b"), exclude=True)},
        "stop_at": 1_709_251_200_000, "macro_url": "&x={sub1}", "hold_period": 5, "hide_caps": False,
    }  # fmt: skip
    return store_offer(api, **plain | fields)


def test_offer_full_form_has_every_field(api: Api) -> None:
    made = rich(api)
    with api.deps.database.write() as conn:
        conn.execute(update(offer).where(offer.c.id == made.id).values(cr=Decimal("1.25"), epc=Decimal("0.5")))
    for version in ("3.0", "3.1"):
        shown = api.admin.get(f"/{version}/offer/{made.id}")["offer"]
        assert not FULL - set(shown)
        assert (shown["id"], shown["offer_id"], shown["advertiser"]) == (made.id, made.hash, made.advertiser_id)
    assert (shown["domain_url"], shown["use_https"], shown["use_http"]) == ("go.example", True, False)
    assert (shown["sources"], shown["categories"]) == ([SOURCE, GONE], [CATEGORY, GONE])
    assert shown["full_categories"] == [{"id": CATEGORY, "title": "Games"}]
    assert (shown["cr"], shown["epc"], shown["io_document"]) == (1.25, 0.5, None)
    assert shown["logo"].endswith(f"/files/{FILE}") and shown["creatives_zip"].endswith(f"/files/{FILE}")
    assert shown["creatives"][0]["url"].endswith(f"/files/{FILE}")
    assert [(item["goal"], item["total"], item["revenue"]) for item in shown["payments"]] == [
        ("1", 10, 7),
        ("2", 10, 0.5),
    ]
    assert shown["payments"][0]["sub2"] == "a,b"
    assert shown["landings"] == [
        {
            "id": 3,
            "title": "Summer",
            "url": "https://l.example/",
            "url_preview": "https://l.example/p",
            "type": "landing",
        }
    ]
    assert shown["stop_at"] == "2024-02-29 23:59:59"
    assert (shown["is_top"], shown["auto_offer_connect"], shown["hide_referer"]) == (0, 0, 0)
    assert shown["personal_limits"] == [{"partner": 77, "caps": 4}]


def test_offer_full_form_has_every_item(api: Api) -> None:
    shown = api.admin.get(f"/3.1/offer/{rich(api).hash}")["offer"]
    assert shown["caps"] == [
        {
            "period": "day", "type": "budget", "value": 9.5, "goal_type": "exact", "goals": {"1": "Sale", "z": "z"},
            "affiliate_type": "all", "affiliates": [], "country_type": "all", "country": [],
        }
    ]  # fmt: skip
    [tier] = shown["commission_tiers"]
    assert (tier["value"], tier["modifier_value"], tier["affiliate_type"], tier["goals"]) == (10, 12.5, "each", ["1"])
    # Midnight of 1 November in Kathmandu (+5:45) is 18:15 UTC of the day before.
    assert shown["schedule"] == {
        "enabled": 1, "date_start": {"sec": 1_698_776_100, "usec": 0}, "date_to": "2024-01-31",
        "timezone": "Asia/Kathmandu", "intervals": [{"day_of_week": 6, "from": 20, "to": 3}],
    }  # fmt: skip
    [group] = shown["targeting"]
    assert group["country"] == {"allow": ["DE"], "deny": ["AT"]}
    assert group["region"] == {"allow": {"DE": [1, 2]}, "deny": {}}
    assert group["os"] == {"allow": [{"name": "iOS", "comparison": "GTE", "version": "15.1"}], "deny": []}
    assert group["isp"]["allow"] == {"DE": ["Telekom"]}
    assert group["sub"] == {"allow": {"1": ["a"]}, "deny": {}, "deny_groups": [{"1": "x", "2": ""}]}
    assert (group["block_proxy"], group["urls"]) == (1, [{"url": "https://w.example/", "weight": 30}])
    assert (shown["strictly_os"], shown["restriction_os"]) == (["Android"], [{"os": "Android", "versions": [">=9"]}])
    assert (shown["strictly_isp"], shown["restriction_isp"]) == (["Telekom"], [{"country": "DE", "name": "Telekom"}])
    assert shown["sub_restrictions"] == [{"sub1": "a", "sub2": "b"}]
    assert shown["sub_accounts"] == {"1": {"value": "a,b", "except": True}, "2": {"value": "", "except": False}}


def test_offer_full_form_has_defaults_of_minimal_offer(api: Api) -> None:
    shown = api.admin.get(f"/3.0/offer/{store_offer(api).id}")["offer"]
    texts = ("macro_url", "parallel_tracking_url", "preview_url", "notes", "hash_password", "domain_url")
    assert [shown[name] for name in texts] == ["", "", "", "", "", "track.example"]
    assert [shown[name] for name in ("start_at", "stop_at", "creatives_zip")] == [None, None, None]
    assert [shown[name] for name in ("logo", "logo_source", "notice_percent_overcap")] == ["", "", 0]
    [listed] = api.admin.get("/3.0/offers")["offers"]
    assert [listed[name] for name in ("logo", "logo_source", "notice_percent_overcap")] == ["", "", 0]
    assert (shown["caps_timezone"], shown["caps_status"]) == ("UTC", ["confirmed", "pending", "hold"])
    assert (shown["click_session"], shown["minimal_click_session"]) == ("1y", "0s")
    assert shown["schedule"] == {"enabled": 0, "date_start": None, "date_to": None, "timezone": "UTC", "intervals": []}


def test_offer_list_form_omits_full_form_fields(api: Api) -> None:
    made = rich(api)
    [shown] = api.admin.get("/3.0/offers")["offers"]
    assert not (OWN | {"sub_accounts", "kpi"}) - {"links"} - set(shown)
    assert "links" not in shown
    assert shown["sources"] == [{"id": SOURCE, "title": "Mail", "allowed": 1}]
    assert (shown["description"], shown["kpi"]) == ("Shoes", {"en": "10 %"})
    assert shown["link"] == f"https://go.example/click?offer_id={made.id}&pid="


def test_offer_affiliate_form_has_links_and_own_fields(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    made = rich(api, schedule=None)
    with api.deps.database.write() as conn:
        postback = seeds.add_postback(conn, pid, "https://a.example/{clickid}", offer_id=made.id, goal="2")
        seeds.add_postback(conn, pid, "https://b.example/")
    paths = ("/3.0/offers", "/3.1/offers", "/3.0/partner/offers", "/3.1/partner/live-offers")
    forms = [affiliate.get(path)["offers"][0] for path in paths]
    shown = forms[0]
    assert all(form == shown for form in forms)
    assert set(shown) == OWN
    assert (shown["categories"], shown["full_categories"]) == (["Games"], [{"id": CATEGORY, "title": "Games"}])
    assert (shown["description"], shown["preview_url"]) == ("Shoes", "https://shop.example/look")
    assert (shown["countries"], shown["required_approval"]) == (["DE"], False)
    assert "total" not in shown["payments"][0] and shown["payments"][0]["revenue"] == 7
    assert not {"url", "urls"} & set(shown["targeting"][0])
    base = f"https://go.example/click?pid={pid}&offer_id={made.id}"
    assert [(link["id"], link["title"], link["url"]) for link in shown["links"]] == [
        (None, None, base),
        ("3", "Summer", f"{base}&l=3"),
    ]
    assert shown["link"] == base
    assert shown["links"][0]["postbacks"] == [
        {
            "id": postback, "url": "https://a.example/{clickid}", "status": None, "goal": "2",
            "created": "2023-11-14 22:13:20",
        }
    ]  # fmt: skip


HIDDEN_WORDS = """advertiser external_offer_id bundle_id url parallel_tracking_url cross_postback_url impressions_url
trafficback_url partner_payments notes note_aff note_sales allowed_ip disallowed_ip hash_password personal_limits
pixels pixel_pages pixel_code additional_impression_destination_urls cross_postback_method cross_postback_body
duplicate_clicks_threshold freshness host_uniqueness_type hosts_only is_impression_overcap macros_replacement
macros_replacement_enabled managers privacy_level redirect_param sign_clicks_integration skad_app_id
tracking_domain quality"""
HIDDEN = set(HIDDEN_WORDS.split())
"""The advertiser's side of an offer, and what staff keep to themselves."""


def test_offer_full_form_of_affiliate_omits_advertiser_fields(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    made = rich(api, allowed_ip="192.0.2.1", hash_password="secret", notes="between us")
    for version in ("3.0", "3.1"):
        full = api.admin.get(f"/{version}/offer/{made.id}")["offer"]
        shown = affiliate.get(f"/{version}/offer/{made.id}")["offer"]
        more = {"goals", "ticket_created", "disabled_choice_postback_status"}
        assert set(shown) == (set(full) - HIDDEN) | OWN | more
        own = {"sources", "payments", "targeting", "commission_tiers"}
        assert {name: shown[name] for name in set(full) - HIDDEN - own} == {
            name: full[name] for name in set(full) - HIDDEN - own
        }
        [listed] = affiliate.get(f"/{version}/offers")["offers"]
        same = OWN - {"categories"}
        assert {name: shown[name] for name in same} == {name: listed[name] for name in same}
        assert shown["categories"] == [CATEGORY, GONE]
        assert shown["goals"] == {"1": "Sale", "2": "2"}
        assert all("total" not in item for item in shown["payments"])


def test_offer_tiers_of_others_and_charges_are_hidden_from_affiliate(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    other, _ = api.add_affiliate()

    def tier(value: int, **fields: Any) -> Tier:
        plain: dict[str, Any] = {"timeframe": "day", "type": "conversions", "modifier_type": "by_fix"}
        return Tier(id=str(value), value=Decimal(value), modifier_value=Decimal(1), **plain | fields)

    exact = {"affiliate_type": "exact", "modifier_payment_type": "payout_and_total"}
    tiers = (
        tier(1), tier(2, **exact, affiliates=(other,)), tier(3, **exact, affiliates=(other, pid)),
        tier(4, modifier_payment_type="total"),
    )  # fmt: skip
    made = store_offer(api, commission_tiers=tiers, enabled_commission_tiers=True)
    shown = affiliate.get(f"/3.1/offer/{made.id}")["offer"]["commission_tiers"]
    assert [(each["value"], each["affiliates"], each["modifier_payment_type"]) for each in shown] == [
        (1, [], "payout"),
        (3, [pid], "payout"),
    ]
    hidden = store_offer(api, commission_tiers=tiers, hide_payments=True)
    assert affiliate.get(f"/3.1/offer/{hidden.id}")["offer"]["commission_tiers"] == []


def test_offer_payments_and_caps_of_affiliate_are_applicable_ones(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    other, other_client = api.add_affiliate()

    def exact(*pids: int) -> Cap:
        return Cap(id=str(pids), period="all", type="clicks", value=Decimal(1), affiliate_type="exact", affiliates=pids)

    store_offer(
        api,
        payments=(
            payment(title="replaced"), payment(title="also", countries=("DE",)), payment(title="kept", goal="2"),
        ),
        partner_payments=(payment(title="own", partners=(pid,)), payment(title="narrow", sub1="x", partners=(other,))),
        caps=(
            exact(pid, other), exact(other),
            Cap(id="e", period="day", type="clicks", value=Decimal(9), affiliate_type="each"),
        ),
        personal_limits=(PersonalLimit(partner=pid, caps=6),),
        targeting=(
            TargetingGroup(device_type=("tv",)),
            TargetingGroup(device_type=("mobile",), affiliate_id=(other, pid)),
            TargetingGroup(device_type=("tablet",), affiliate_id=(other,)),
        ),
    )  # fmt: skip
    [shown] = affiliate.get("/3.0/offers")["offers"]
    assert [item["title"] for item in shown["payments"]] == ["own", "kept"]
    assert [(item["value"], item["affiliates"]) for item in shown["caps"]] == [(1, [pid]), (9, []), (6, [pid])]
    assert [(group["device_type"], group["affiliate_id"]) for group in shown["targeting"]] == [
        (["mobile"], [pid]),
        (["tv"], []),
    ]
    [shown] = other_client.get("/3.0/offers")["offers"]
    assert [item["title"] for item in shown["payments"]] == ["narrow", "replaced", "also", "kept"]
    assert [item["value"] for item in shown["caps"]] == [1, 1, 9]


def test_offer_targeting_groups_show_affiliate_its_own_only(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    _, other = api.add_affiliate()
    groups = (TargetingGroup(device_type=("tv",)), TargetingGroup(device_type=("mobile",), affiliate_id=(pid,)))
    store_offer(api, targeting=groups, consider_personal_targeting_only=True)
    for client, wanted in ((affiliate, ["mobile"]), (other, ["tv"])):
        [shown] = client.get("/3.0/partner/offers")["offers"]
        assert [group["device_type"] for group in shown["targeting"]] == [wanted]


def test_offer_hidden_payments_and_caps_are_empty_for_affiliate(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    made = rich(api, hide_payments=True, hide_caps=True)
    shown = affiliate.get(f"/3.0/offer/{made.id}")["offer"]
    assert (shown["payments"], shown["caps"]) == ([], [])
    full = api.admin.get(f"/3.0/offer/{made.id}")["offer"]
    assert (len(full["payments"]), len(full["caps"]), full["hide_payments"], full["hide_caps"]) == (2, 1, True, 1)


@pytest.mark.parametrize(
    ("privacy", "enabled", "approval", "links"),
    [
        ("public", None, False, 1),
        ("public", False, True, 0),
        ("protected", None, True, 0),
        ("protected", True, False, 1),
        ("protected", False, True, 0),
        ("private", True, False, 1),
    ],
)
def test_offer_approval_and_links_depend_on_privacy_and_connection(
    api: Api, privacy: str, enabled: bool | None, approval: bool, links: int
) -> None:
    pid, affiliate = api.add_affiliate()
    made = store_offer(api, privacy=privacy)
    if enabled is not None:
        with api.deps.database.write() as conn:
            seeds.add_connection(conn, made.id, pid, enabled=enabled)
    [shown] = affiliate.get("/3.1/partner/offers")["offers"]
    assert (shown["required_approval"], len(shown["links"]), shown["link"] != "") == (approval, links, links == 1)


def test_offer_of_blacklisting_advertiser_has_no_links(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    refusing, other = (store_offer(api, landings=(Landing(id=1, title="L", url="u", url_preview="p"),)) for _ in "ab")
    sent = {"advertisers_id": refusing.advertiser_id, "pid": pid}
    api.admin.post("/3.0/admin/advertiser/disable-affiliate", **sent)
    for path in ("/3.0/offers", "/3.0/partner/offers"):
        shown = {item["id"]: item for item in affiliate.get(path)["offers"]}
        assert [len(shown[made.id]["links"]) for made in (refusing, other)] == [0, 2]
        assert (shown[refusing.id]["link"], shown[other.id]["link"] != "") == ("", True)
    assert affiliate.get(f"/3.0/offer/{refusing.id}")["offer"]["links"] == []
    assert [item["id"] for item in affiliate.get("/3.0/partner/live-offers")["offers"]] == [other.id]


def test_offer_code_is_shown_to_staff_who_may_write_the_offer_only(api: Api) -> None:
    seller_id, seller = api.add_staff(Role.MANAGER_SALES)
    own, other = api.add_advertiser(manager=seller_id), api.add_advertiser()
    codes = {"hash_password": "c0de-c0de"}
    mine, foreign = api.add_offer(advertiser=own, **codes), api.add_offer(advertiser=other, **codes)
    open_offer = api.add_offer(advertiser=other)
    affiliate_manager = api.add_staff(Role.MANAGER_AFFILIATE)[1]
    for client, seen in ((api.admin, {mine, foreign}), (seller, {mine}), (affiliate_manager, set())):
        expected = {number: "c0de-c0de" if number in seen else "***" for number in (mine, foreign)} | {open_offer: ""}
        assert {number: client.get(f"/3.1/offer/{number}")["offer"]["hash_password"] for number in expected} == expected
        listed = client.get("/3.1/offers")["offers"]
        assert {offer["id"]: offer["hash_password"] for offer in listed} == expected
        for shown in (*listed, *(client.get(f"/3.1/offer/{number}")["offer"] for number in expected)):
            is_writable = shown["id"] in seen or client is api.admin
            assert (shown["pixel_code"] != "***") is is_writable and len(shown["pixel_code"]) == (
                40 if is_writable else 3
            )


def test_fields_that_affiliates_do_not_see_are_those_of_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs/spec/offers.md").read_text()
    listed = re.search(r"The full form lacks (.*?)It also has", page, re.DOTALL)
    assert listed is not None
    absent = set(OfferFields.__struct_fields__) - set(FullAffiliateOfferView.__struct_fields__)
    assert set(re.findall(r"`(\w+)`", listed[1])) == absent
    assert len(absent) == 35


SECRET = "Payment of Bob"


def test_titles_of_payments_of_others_are_nowhere_for_an_affiliate(api: Api) -> None:
    pid, ann = api.add_affiliate()
    bob_id, bob = api.add_affiliate()
    given = {
        "privacy": "protected",
        "payments[0][goal]": "1", "payments[0][total]": "10", "payments[0][revenue]": "7", "payments[0][title]": "Sale",
        "partner_payments[0][partners][]": bob_id, "partner_payments[0][goal]": "2", "partner_payments[0][total]": "9",
        "partner_payments[0][revenue]": "8", "partner_payments[0][title]": SECRET,
        "caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "5",
        "caps[0][goal_type]": "exact", "caps[0][goals][]": ["1", "2"],
    }  # fmt: skip
    number = api.add_offer(**given)
    ann.post("/3.0/partner/activation/offer", offer_id=number, comment="x")
    for affiliate in (pid, bob_id):
        api.admin.post("/3.0/offer/enable-affiliate", offer_id=number, pid=affiliate)
    reads = [
        ("/3.0/offers", {}),
        ("/3.0/partner/offers", {}),
        ("/3.0/partner/live-offers", {}),
        (f"/3.0/offer/{number}", {}),
        ("/3.0/stats/caps", {"offer_id[]": number, "fields[]": ["stats", "descr"]}),
        ("/3.1/stats/caps", {"offer_id[]": number}),
        ("/3.1/goals", {}),
    ]
    seen = 0
    for path, params in reads:
        answer = ann.call("GET", path, params=params)
        assert (path, answer.status_code) == (path, 200)
        assert SECRET not in answer.text, path
        seen += 1
    assert seen == 7
    assert SECRET in bob.call("GET", f"/3.0/offer/{number}").text
    assert SECRET in api.admin.call("GET", f"/3.0/offer/{number}").text
    [cap] = ann.get(f"/3.0/offer/{number}")["offer"]["caps"]
    assert cap["goals"] == {"1": "Sale", "2": "2"}
