"""Each parameter of an offer: written, shown by offer/{ID}, cleared, refused by its name."""

from typing import Any

import msgspec
import pytest

from tests.support.api import Api
from tests.support.offers import payment, store_offer
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.offers.params import AddOffer
from trackyard.domain.offers.offers import AllowDeny, AllowDenyGeo, Offer, TargetingGroup
from trackyard.wire.openapi.document import document

NOTHING: dict[str, Any] = {"allow": [], "deny": []}
NOWHERE: dict[str, Any] = {"allow": {}, "deny": {}}
GROUP: dict[str, Any] = {
    "country": NOTHING, "region": NOWHERE, "city": NOWHERE, "os": NOTHING, "isp": NOWHERE,
    "ip": NOTHING | {"ipv6_deny": False}, "browser": NOTHING, "brand": NOTHING,
    "device_type": [], "connection": [], "affiliate_id": [], "block_proxy": 0,
    "sub": NOWHERE | {"deny_groups": []}, "url": "", "urls": [], "name": "", "enabled": True, "condition": "and",
    "os_deny": False, "device_type_deny": False, "connection_deny": False, "zip": NOTHING, "device_model": NOTHING,
    "browser_version": NOTHING, "isp_organization": NOTHING | {"deny_empty": False}, "block_known_bots": False,
    "referrer": NOTHING | {"deny_empty": False, "is_regexp": False},
    "ua": NOTHING | {"deny_empty": False, "is_regexp": False, "deny_crawlers": False},
}  # fmt: skip
TIER = {
    "timeframe": "day", "type": "conversions", "value": 10, "modifier_type": "by_fix", "modifier_value": 1.5,
    "modifier_payment_type": "payout", "goals": [], "target_goals": [], "affiliate_type": "each", "affiliates": [],
    "countries": [], "conversion_status": [],
}  # fmt: skip
CAP = {
    "period": "day", "type": "conversions", "value": 5, "goal_type": "all", "goals": {}, "affiliate_type": "all",
    "affiliates": [], "country_type": "all", "country": [],
}  # fmt: skip
SCHEDULE: dict[str, Any] = {"enabled": 0, "date_start": None, "date_to": None, "timezone": "UTC", "intervals": []}

PAYMENT_SENT = {
    "[countries][]": "us", "[country_exclude]": "1", "[cities][]": "5368361", "[devices][]": "tv", "[os][]": "iOS",
    "[goal]": "sale", "[goal_alias]": "S", "[total]": "12.5", "[revenue]": "10", "[currency]": "usd",
    "[type]": "mixed", "[title]": "Sale", "[url]": "https://g.example", "[with_regions]": "1",
} | {f"[sub{n}]": f"a{n},b" for n in range(1, 9)}  # fmt: skip
PAYMENT: dict[str, Any] = {
    "countries": ["US"], "country_exclude": True, "cities": [5368361], "devices": ["tv"], "os": ["iOS"], "goal": "sale",
    "goal_alias": "S", "total": 12.5, "revenue": 10, "currency": "USD", "type": "mixed", "title": "Sale",
    "url": "https://g.example", "with_regions": True,
} | {f"sub{n}": f"a{n},b" for n in range(1, 9)}  # fmt: skip

TARGETING: list[tuple[str, Any, dict[str, Any]]] = [
    ("[country][allow][0]", "us", {"country": {"allow": ["US"], "deny": []}}),
    ("[country][deny][]", "us", {"country": {"allow": [], "deny": ["US"]}}),
    ("[region][allow][US][0]", "5332921", {"region": {"allow": {"US": [5332921]}, "deny": {}}}),
    ("[region][deny][us][]", "5332921", {"region": {"allow": {}, "deny": {"US": [5332921]}}}),
    ("[city][allow][US][]", ["5368361", "5128581"], {"city": {"allow": {"US": [5368361, 5128581]}, "deny": {}}}),
    ("[city][deny][US]", "5368361", {"city": {"allow": {}, "deny": {"US": [5368361]}}}),
    ("[os][allow][0][name]", "iOS", {"os": {"allow": [{"name": "iOS", "comparison": "", "version": ""}], "deny": []}}),
    ("[isp][allow][US][]", "Net", {"isp": {"allow": {"US": ["Net"]}, "deny": {}}}),
    ("[ip][allow][]", "2001:db8::1-2001:db8::9", {"ip": GROUP["ip"] | {"allow": ["2001:db8::1-2001:db8::9"]}}),
    ("[ip][deny][]", "10.0.0.0/8", {"ip": GROUP["ip"] | {"deny": ["10.0.0.0/8"]}}),
    ("[ip][ipv6_deny]", "1", {"ip": GROUP["ip"] | {"ipv6_deny": True}}),
    ("[name]", "Phones", {"name": "Phones"}),
    ("[enabled]", "0", {"enabled": False}),
    ("[condition]", "or", {"condition": "or"}),
    ("[connection_deny]", "1", {"connection_deny": True}),
    ("[zip][deny][]", "10115", {"zip": {"allow": [], "deny": ["10115"]}}),
    ("[isp_organization][deny][]", "ACME", {"isp_organization": GROUP["isp_organization"] | {"deny": ["ACME"]}}),
    ("[browser_version][deny][0][name]", "Chrome",
     {"browser_version": {"allow": [], "deny": [{"name": "Chrome", "comparison": "", "version": ""}]}}),
    ("[referrer][deny][]", "spam.example", {"referrer": GROUP["referrer"] | {"deny": ["spam.example"]}}),
    ("[referrer][deny_empty]", "1", {"referrer": GROUP["referrer"] | {"deny_empty": True}}),
    ("[ua][deny_crawlers]", "1", {"ua": GROUP["ua"] | {"deny_crawlers": True}}),
    ("[block_known_bots]", "1", {"block_known_bots": True}),
    ("[device_type][]", "tv", {"device_type": ["tv"]}),
    ("[browser][allow][]", "Safari", {"browser": {"allow": ["Safari"], "deny": []}}),
    ("[browser][deny][]", "Safari", {"browser": {"allow": [], "deny": ["Safari"]}}),
    ("[brand][allow][]", "Apple", {"brand": {"allow": ["Apple"], "deny": []}}),
    ("[brand][deny][]", "Apple", {"brand": {"allow": [], "deny": ["Apple"]}}),
    ("[sub][allow][3][]", "a", {"sub": NOWHERE | {"allow": {"3": ["a"]}, "deny_groups": []}}),
    ("[sub][deny][8][]", "a", {"sub": NOWHERE | {"deny": {"8": ["a"]}, "deny_groups": []}}),
    ("[sub][deny_groups][0][1]", "", {"sub": NOWHERE | {"deny_groups": [{"1": ""}]}}),
    ("[connection][]", "cellular", {"connection": ["cellular"]}),
    ("[block_proxy]", "1", {"block_proxy": 1}),
    ("[affiliate_id][]", "{pid}", {"affiliate_id": ["{pid}"]}),
    ("[url]", "https://t.example", {"url": "https://t.example"}),
]  # fmt: skip

SENT_AND_SHOWN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"title": "T"}, {"title": "T"}),
    ({"url": "https://u.example/{clickid}"}, {"url": "https://u.example/{clickid}"}),
    *(
        ({name: "https://x.example/"}, {name: "https://x.example/"})
        for name in ("trafficback_url", "cross_postback_url", "parallel_tracking_url", "impressions_url")
    ),
    ({"macro_url": "&a={sub1}&b={clickid} c"}, {"macro_url": "&a={sub1}&b={clickid} c"}),
    ({"macro_url": "x" * 8192}, {"macro_url": "x" * 8192}),
    ({"macro_url": "&aff={pid}&s={sub1}"}, {"macro_url": "&aff={pid}&s={sub1}"}),
    ({"url_preview": "https://p.example"}, {"url_preview": "https://p.example", "preview_url": "https://p.example"}),
    *(
        ({name: "text"}, {name: "text"})
        for name in ("notes", "note_aff", "note_sales", "external_offer_id", "bundle_id", "hash_password")
    ),
    ({"one_conversion_per_click": "1"}, {"one_conversion_per_click": True}),
    ({"pixels": "0"}, {"pixels": False}),
    ({"pixel_pages[]": ["https://Shop.example/", "*.b.example", "b.example"]},
     {"pixel_pages": ["shop.example", "b.example"]}),
    ({"allowed_ip": "1.1.1.1\r\n2001:db8::/32"}, {"allowed_ip": "1.1.1.1\n2001:db8::/32"}),
    ({"disallowed_ip": "1.1.1.1-1.1.1.9"}, {"disallowed_ip": "1.1.1.1-1.1.1.9"}),
    ({"description_lang[en]": "E", "kpi[ka]": "K"}, {"description_lang": {"en": "E"}, "kpi": {"ka": "K"}}),
    ({"status": "suspended", "privacy": "private"}, {"status": "suspended", "privacy": "private"}),
    ({"redirect_type": "js"}, {"redirect_type": "js", "hide_referer": 0}),
    ({"strictly_connection_type": "wi-fi"}, {"strictly_connection_type": "wi-fi"}),
    *(
        ({name: "1"}, {name: 1})
        for name in ("is_top", "strictly_country", "allow_deeplink", "hide_caps", "auto_offer_connect")
    ),
    *(
        ({name: "1"}, {name: True}) for name in (
            "is_cpi", "is_redirect_overcap", "hide_payments", "allow_impressions", "enabled_commission_tiers",
            "send_emails",
        )
    ),
    ({"uniqIpOnly": "1", "rejectNotUniqIp": "1"}, {"uniq_ip_only": True, "reject_not_uniq_ip": True}),
    ({"consider_personal_targeting_only": "true"}, {"consider_personal_targeting_only": True}),
    ({"stopDate": "2024-02-29"}, {"stop_at": "2024-02-29 23:59:59"}),
    ({"start_at": "2024-01-02 03:04:05"}, {"start_at": "2024-01-02 03:04:05"}),
    (
        {"notice_percent_overcap": "80", "hold_period": "60", "search_empty_sub": "8"},
        {"notice_percent_overcap": 80, "hold_period": 60, "search_empty_sub": 8},
    ),
    ({"click_session": "1d12h", "minimal_click_session": "5s"},
     {"click_session": "1d12h", "minimal_click_session": "5s"}),
    ({"tags[]": ["a", "b", "a", ""]}, {"tags": ["a", "b"]}),
    ({"countries[]": ["us", "DE"]}, {"countries": ["US", "DE"]}),
    ({"strictly_brands[]": "Apple", "strictly_devices[]": ["tv", "mobile"]},
     {"strictly_brands": ["Apple"], "strictly_devices": ["tv", "mobile"]}),
    (
        {"restriction_os[0][os]": "iOS", "restriction_os[0][versions][]": [">=12", "<15"],
         "restriction_os[1][os]": "Android", "restriction_os[1][versions]": ""},
        {"restriction_os": [{"os": "iOS", "versions": [">=12", "<15"]}, {"os": "Android", "versions": []}],
         "strictly_os": ["iOS", "Android"]},
    ),
    ({"strictly_os[]": ["iOS"]}, {"restriction_os": [{"os": "iOS", "versions": []}]}),
    (
        {"restriction_isp[0][country]": "de", "restriction_isp[0][name]": "Net"},
        {"restriction_isp": [{"country": "DE", "name": "Net"}], "strictly_isp": ["Net"]},
    ),
    ({"strictly_isp": "Net"}, {"restriction_isp": [{"country": "", "name": "Net"}]}),
    (
        {"sub_restrictions[0][sub1]": "a", "sub_restrictions[0][sub8]": "b"},
        {"sub_restrictions": [{"sub1": "a", "sub8": "b"}]},
    ),
    (
        {"sub_account_1": "x,y", "sub_account_1_except": "1", "sub_account_2": "z"},
        {"sub_accounts": {"1": {"value": "x,y", "except": True}, "2": {"value": "z", "except": False}}},
    ),
    ({"caps_status[]": ["confirmed", "not_found", "declined"]}, {"caps_status": ["confirmed", "declined"]}),
    ({"caps_timezone": "Asia/Kathmandu"}, {"caps_timezone": "Asia/Kathmandu"}),
    ({"caps_goal_overcap": "sale"}, {"caps_goal_overcap": "sale"}),
    ({"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "5"}, {"caps": [CAP]}),
    (
        {"caps[0][period]": "hour", "caps[0][type]": "budget", "caps[0][value]": "5.25",
         "caps[0][goal_type]": "exact", "caps[0][goals][]": ["1"], "caps[0][affiliate_type]": "exact",
         "caps[0][affiliates][]": "{pid}", "caps[0][country_type]": "exact", "caps[0][country][]": "us"},
        {"caps": [{
            "period": "hour", "type": "budget", "value": 5.25, "goal_type": "exact", "goals": {"1": "1"},
            "affiliate_type": "exact", "affiliates": ["{pid}"], "country_type": "exact", "country": ["US"],
        }]},
    ),
    (
        {f"{name}[0]{sent}": value for name in ("payments", "partner_payments") for sent, value in PAYMENT_SENT.items()}
        | {"partner_payments[0][partners][]": "{pid}"},
        {"payments": [PAYMENT], "partner_payments": [PAYMENT | {"partners": ["{pid}"]}]},
    ),
    (
        {"landings[0][title]": "L", "landings[0][url]": "https://l.example", "landings[0][type]": "transit",
         "landings[0][url_preview]": "https://p.example"},
        {"landings": [{"id": 1, "title": "L", "url": "https://l.example", "url_preview": "https://p.example",
                       "type": "transit"}]},
    ),
    ({"personal_limits[0][partner]": "{pid}", "personal_limits[0][caps]": "3"},
     {"personal_limits": [{"partner": "{pid}", "caps": 3}]}),
    (
        {"commission_tiers[0][timeframe]": "day", "commission_tiers[0][type]": "conversions",
         "commission_tiers[0][value]": "10", "commission_tiers[0][modifier_type]": "by_fix",
         "commission_tiers[0][modifier_value]": "1.5"},
        {"commission_tiers": [TIER]},
    ),
    (
        {"commission_tiers[0][timeframe]": "all", "commission_tiers[0][type]": "budget",
         "commission_tiers[0][value]": "10.5", "commission_tiers[0][modifier_type]": "to_percent",
         "commission_tiers[0][modifier_value]": "20", "commission_tiers[0][modifier_payment_type]": "total",
         "commission_tiers[0][goals]": "1", "commission_tiers[0][target_goals][]": "2",
         "commission_tiers[0][affiliate_type]": "exact", "commission_tiers[0][affiliates][]": "{pid}",
         "commission_tiers[0][countries][]": "us", "commission_tiers[0][conversion_status][]": "not_found"},
        {"commission_tiers": [{
            "timeframe": "all", "type": "budget", "value": 10.5, "modifier_type": "to_percent", "modifier_value": 20,
            "modifier_payment_type": "total", "goals": ["1"], "target_goals": ["2"], "affiliate_type": "exact",
            "affiliates": ["{pid}"], "countries": ["US"], "conversion_status": ["not_found"],
        }]},
    ),
    (
        {"schedule[enabled]": "1", "schedule[date_start]": "2023-01-01", "schedule[date_to]": "2023-12-31",
         "schedule[timezone]": "Europe/Berlin", "schedule[intervals][6][0][From]": "22",
         "schedule[intervals][6][0][To]": "3", "schedule[intervals][0][0][From]": "1",
         "schedule[intervals][0][0][To]": "1"},
        {"schedule": {
            "enabled": 1, "date_start": {"sec": 1672527600, "usec": 0}, "date_to": "2023-12-31",
            "timezone": "Europe/Berlin",
            "intervals": [{"day_of_week": 0, "from": 1, "to": 1}, {"day_of_week": 6, "from": 22, "to": 3}],
        }},
    ),
    *(
        ({f"targeting[0]{sent}": value}, {"targeting": [GROUP | shown]})
        for sent, value, shown in TARGETING
    ),
    (
        {"targeting[0][urls][0][url]": "https://t.example", "targeting[0][urls][0][weight]": "100",
         "targeting[1][os][allow][0][name]": "iOS", "targeting[1][os][allow][0][comparison]": "GTE",
         "targeting[1][os][allow][0][version]": "12.1"},
        {"targeting": [
            GROUP | {"urls": [{"url": "https://t.example", "weight": 100}]},
            GROUP | {"os": {"allow": [{"name": "iOS", "comparison": "GTE", "version": "12.1"}], "deny": []}},
        ]},
    ),
]  # fmt: skip


def filled(value: Any, pid: int) -> Any:
    if isinstance(value, dict):
        return {name: filled(inner, pid) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, pid) for inner in value]
    return pid if value == "{pid}" else value


@pytest.mark.parametrize(("sent", "shown"), SENT_AND_SHOWN, ids=[next(iter(sent)) for sent, _ in SENT_AND_SHOWN])
def test_offer_parameter_is_shown_after_create_and_edit(
    shared_api: Api, sent: dict[str, Any], shown: dict[str, Any]
) -> None:
    pid, _ = shared_api.add_affiliate()
    made, edited = shared_api.add_offer(**filled(sent, pid)), shared_api.add_offer()
    answer = shared_api.admin.call("POST", f"/3.1/admin/offer/{edited}", data=filled(sent, pid))
    assert (answer.status_code, answer.headers.get("x-ignored-parameters")) == (200, None), answer.text
    read = [shared_api.admin.get(f"/3.1/offer/{number}")["offer"] for number in (made, edited)]
    for body in (answer.json()["offer"], *read):
        assert {name: body[name] for name in shown} == filled(shown, pid)


CLEARED: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    *(
        ({name: "https://x.example/"}, {name: ""}, {name: ""})
        for name in (
            "url_preview", "trafficback_url", "macro_url", "cross_postback_url", "parallel_tracking_url",
            "impressions_url",
        )
    ),
    *(
        ({name: "text"}, {name: ""}, {name: ""})
        for name in ("notes", "note_aff", "note_sales", "external_offer_id", "bundle_id", "hash_password")
    ),
    ({"allowed_ip": "1.1.1.1"}, {"allowed_ip": ""}, {"allowed_ip": ""}),
    ({"stopDate": "2024-02-29", "start_at": "2024-01-01 00:00:00"}, {"stopDate": "", "start_at": ""},
     {"stop_at": None, "start_at": None}),
    ({"notice_percent_overcap": "5", "search_empty_sub": "1"}, {"notice_percent_overcap": "", "search_empty_sub": ""},
     {"notice_percent_overcap": 0, "search_empty_sub": None}),
    ({"notice_percent_overcap": "5"}, {"notice_percent_overcap": "0"}, {"notice_percent_overcap": 0}),
    ({"strictly_connection_type": "wi-fi"}, {"strictly_connection_type": ""}, {"strictly_connection_type": ""}),
    ({"caps_timezone": "Asia/Kathmandu"}, {"caps_timezone": ""}, {"caps_timezone": "UTC"}),
    ({"caps_status": "declined"}, {"caps_status": ""}, {"caps_status": ["confirmed", "pending", "hold"]}),
    ({"description_lang[en]": "E", "description_lang[ru]": "R"}, {"description_lang[en]": ""},
     {"description_lang": {"ru": "R"}}),
    ({"kpi[en]": "E", "kpi[ru]": "R"}, {"kpi": ""}, {"kpi": {}}),
    *(
        ({f"{name}[]": value}, {name: ""}, {name: []})
        for name, value in (
            ("tags", "a"), ("countries", "US"), ("pixel_pages", "a.example"),
            ("strictly_brands", "Apple"), ("strictly_devices", "tv"),
        )
    ),
    ({"restriction_os[0][os]": "iOS", "restriction_os[0][versions]": ""}, {"restriction_os": ""},
     {"restriction_os": []}),
    ({"sub_restrictions[0][sub1]": "a"}, {"sub_restrictions": ""}, {"sub_restrictions": []}),
    ({"sub_account_1": "a", "sub_account_1_except": "1"}, {"sub_account_1": ""},
     {"sub_accounts": {"1": {"value": "", "except": False}, "2": {"value": "", "except": False}}}),
    ({"caps[0][period]": "day", "caps[0][type]": "clicks", "caps[0][value]": "5"}, {"caps": ""}, {"caps": []}),
    ({"targeting[0][block_proxy]": "1"}, {"targeting": ""}, {"targeting": []}),
    ({"schedule[enabled]": "1"}, {"schedule": ""}, {"schedule": SCHEDULE}),
    ({"schedule[enabled]": "1", "schedule[date_to]": "2024-01-01"}, {"schedule[date_to]": ""},
     {"schedule": SCHEDULE | {"enabled": 1}}),
    (
        {"commission_tiers[0][timeframe]": "day", "commission_tiers[0][type]": "conversions",
         "commission_tiers[0][value]": "1", "commission_tiers[0][modifier_type]": "by_fix",
         "commission_tiers[0][modifier_value]": "1"},
        {"commission_tiers": ""}, {"commission_tiers": []},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "shown"), CLEARED, ids=[next(iter(then)) for _, then, _ in CLEARED])
def test_offer_parameter_is_cleared_by_empty_value(
    shared_api: Api, first: dict[str, Any], then: dict[str, Any], shown: dict[str, Any]
) -> None:
    number = shared_api.add_offer(**first)
    before = shared_api.admin.get(f"/3.1/offer/{number}")["offer"]
    assert any(before[name] != value for name, value in shown.items())
    shared_api.admin.post(f"/3.1/admin/offer/{number}", **then)
    after = shared_api.admin.get(f"/3.1/offer/{number}")["offer"]
    assert after == before | shown | {"updated_at": after["updated_at"]} | _follows(shown, before)


def _follows(shown: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """What is shown twice under two names."""
    more = {"url_preview": "preview_url", "restriction_os": "strictly_os"}
    return {other: shown[name] for name, other in more.items() if name in shown}


CAP_SENT = {"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "1"}
TIER_SENT = {
    "commission_tiers[0][timeframe]": "day", "commission_tiers[0][type]": "conversions",
    "commission_tiers[0][value]": "1", "commission_tiers[0][modifier_type]": "by_fix",
    "commission_tiers[0][modifier_value]": "1",
}  # fmt: skip

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("title", {"title": ""}),
    ("title", {"title": "x" * 501}),
    ("advertiser", {"advertiser": "f" * 24}),
    ("domain_url", {"domain_url": "99"}),
    ("sources[0]", {"sources[]": "f" * 24}),
    ("categories[1]", {"categories[]": ["{category}", "f" * 24]}),
    ("smartlink_categories[0]", {"smartlink_categories": "f" * 24}),
    ("payments[0][currency]", {"payments[0][currency]": "XXX"}),
    ("payments[0][countries][0]", {"payments[0][countries][]": "Germany"}),
    ("partner_payments[0][partners][0]", {"partner_payments[0][partners][]": "999"}),
    ("countries[0]", {"countries": "USA"}),
    ("landings[0][url_preview]", {"landings[0][title]": "L", "landings[0][url]": "https://l.example"}),
    ("strictly_devices[0]", {"strictly_devices": "toaster"}),
    ("restriction_os[0][versions]", {"restriction_os[0][os]": "iOS"}),
    ("restriction_os[0][versions][0]", {"restriction_os[0][os]": "iOS", "restriction_os[0][versions][]": "=>5"}),
    ("sub_account_1", {"sub_account_1": "A"}),
    ("sub_account_1_except", {"sub_account_1_except": "1"}),
    ("click_session", {"click_session": "1x"}),
    ("hold_period", {"hold_period": "61"}),
    ("macro_url", {"macro_url": "&a=b\r\nSet-Cookie: c"}),
    ("macro_url", {"macro_url": "x" * 8193}),
    ("notice_percent_overcap", {"notice_percent_overcap": "101"}),
    ("description_lang[de]", {"description_lang[de]": "x"}),
    ("caps[0][value]", CAP_SENT | {"caps[0][value]": "1.5"}),
    ("caps[0][value]", {"caps[0][period]": "day", "caps[0][type]": "conversions"}),
    ("caps[0][goals]", CAP_SENT | {"caps[0][goal_type]": "exact"}),
    ("caps[0][goals]", CAP_SENT | {"caps[0][goals][]": "1"}),
    ("caps[0][affiliates]", CAP_SENT | {"caps[0][affiliate_type]": "exact"}),
    ("caps[0][affiliates][0]", CAP_SENT | {"caps[0][affiliate_type]": "exact", "caps[0][affiliates][]": "999"}),
    ("caps[0][country]", CAP_SENT | {"caps[0][country_type]": "exact"}),
    ("personal_limits[0][partner]", {"personal_limits[0][partner]": "999", "personal_limits[0][caps]": "1"}),
    ("commission_tiers[0][value]", TIER_SENT | {"commission_tiers[0][value]": "1.5"}),
    ("commission_tiers[0][affiliates]", TIER_SENT | {"commission_tiers[0][affiliate_type]": "exact"}),
    ("commission_tiers[0][affiliates][0]",
     TIER_SENT | {"commission_tiers[0][affiliate_type]": "exact", "commission_tiers[0][affiliates][]": "999"}),
    ("schedule[intervals][7]", {"schedule[intervals][7][0][From]": "1", "schedule[intervals][7][0][To]": "1"}),
    ("schedule[intervals][1][0][To]", {"schedule[intervals][1][0][From]": "1"}),
    ("schedule[intervals][1][0][From]",
     {"schedule[intervals][1][0][From]": "24", "schedule[intervals][1][0][To]": "1"}),
    ("schedule[date_to]", {"schedule[date_start]": "2024-01-02", "schedule[date_to]": "2024-01-01"}),
    ("schedule[timezone]", {"schedule[timezone]": "Mars/Base"}),
    ("targeting[0][ip][allow][0]", {"targeting[0][ip][allow][]": "1.1.1.9-1.1.1.1"}),
    ("targeting[0][ip][deny][0]", {"targeting[0][ip][deny][]": "10.0.0.0/33"}),
    ("targeting[0][region][allow][USA]", {"targeting[0][region][allow][USA][]": "1"}),
    ("targeting[0][sub][allow][9]", {"targeting[0][sub][allow][9][]": "a"}),
    ("targeting[0][os][allow][0][version]",
     {"targeting[0][os][allow][0][name]": "iOS", "targeting[0][os][allow][0][comparison]": "LT"}),
    ("targeting[0][urls]", {
        "targeting[0][urls][0][url]": "https://a.example", "targeting[0][urls][0][weight]": "60",
        "targeting[0][urls][1][url]": "https://b.example", "targeting[0][urls][1][weight]": "41",
    }),
    ("targeting[0][affiliate_id][0]", {"targeting[0][affiliate_id][]": "999"}),
    ("targeting[0][condition]", {"targeting[0][condition]": "xor"}),
    ("targeting[0][referrer][deny]",
     {"targeting[0][referrer][deny][]": ["a", "(a"], "targeting[0][referrer][is_regexp]": "1"}),
    ("targeting[0][ua][allow]", {"targeting[0][ua][allow]": r"(a)\1", "targeting[0][ua][is_regexp]": "1"}),
    ("targeting[0][browser_version][deny][0][name]", {"targeting[0][browser_version][deny][0][name]": "Nobrowser"}),
    ("targeting[0][browser_version][allow][0][version]", {
        "targeting[0][browser_version][allow][0][name]": "Chrome",
        "targeting[0][browser_version][allow][0][comparison]": "GT",
    }),
    ("countries[1]", {"countries[]": ["DE", "ZZ"]}),
    ("payments[0][countries][0]", {"payments[0][countries][]": "UK"}),
    ("partner_payments[0][countries][0]", {"partner_payments[0][countries][]": "XX"}),
    ("payments[0][cities][0]", {"payments[0][cities][]": "5"}),
    ("payments[0][os][0]", {"payments[0][os][]": "Amiga"}),
    ("caps[0][country][0]", CAP_SENT | {"caps[0][country_type]": "exact", "caps[0][country][]": "EU"}),
    ("commission_tiers[0][countries][0]", TIER_SENT | {"commission_tiers[0][countries][]": "AA"}),
    ("restriction_os[0][os]", {"restriction_os[0][os]": "Amiga", "restriction_os[0][versions][]": "1"}),
    ("strictly_os[0]", {"strictly_os[]": "Amiga"}),
    ("strictly_brands[0]", {"strictly_brands[]": "Nobodys"}),
    ("restriction_isp[0][country]", {"restriction_isp[0][country]": "ZZ", "restriction_isp[0][name]": "Net"}),
    ("targeting[0][country][allow][0]", {"targeting[0][country][allow][]": "ZZ"}),
    ("targeting[0][country][deny][0]", {"targeting[0][country][deny][]": "ZZ"}),
    ("targeting[0][os][allow][0][name]", {"targeting[0][os][allow][0][name]": "Amiga"}),
    ("targeting[0][browser][allow][0]", {"targeting[0][browser][allow][]": "Nobrowser"}),
    ("targeting[0][browser][deny][0]", {"targeting[0][browser][deny][]": "Nobrowser"}),
    ("targeting[0][brand][allow][0]", {"targeting[0][brand][allow][]": "Nobrand"}),
    ("targeting[0][isp][allow][ZZ]", {"targeting[0][isp][allow][ZZ][]": "Net"}),
    ("pixel_pages[0]", {"pixel_pages[]": "shop.example:8080"}),
    ("pixel_pages[1]", {"pixel_pages[]": ["shop.example", "no host"]}),
    ("targeting[0][region][allow][DE][0]", {"targeting[0][region][allow][DE][]": "5332921"}),
    ("targeting[0][region][deny][US][0]", {"targeting[0][region][deny][US][]": "5"}),
    ("targeting[0][city][allow][DE][0]", {"targeting[0][city][allow][DE][]": "5368361"}),
    ("targeting[0][city][deny][US][0]", {"targeting[0][city][deny][US][]": "5"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sent"), REFUSED, ids=[name for name, _ in REFUSED])
def test_offer_parameter_with_invalid_value_is_rejected_by_name(
    shared_api: Api, name: str, sent: dict[str, Any]
) -> None:
    number = shared_api.add_offer()
    before = shared_api.admin.get(f"/3.1/offer/{number}")["offer"]
    category = shared_api.admin.post("/3.0/admin/category", title="C")["category"]["id"]
    good = {"title": "T", "advertiser": before["advertiser"], "url": "https://a.example", "payments[0][total]": "1"}
    given = {key: [category if item == "{category}" else item for item in value] if isinstance(value, list) else value
             for key, value in sent.items()}  # fmt: skip
    for path, more in ((f"/3.1/admin/offer/{number}", {"notes": "changed"}), ("/3.1/admin/offer", good)):
        answer = shared_api.admin.call("POST", path, data=more | given)
        fields = answer.json().get("fields", {})
        # a title left out of a create is missing, not empty
        assert (answer.status_code, list(fields)) == (400, [name]), answer.text
        assert all(line.startswith("[") for line in answer.json()["error"].split("\n"))
    assert shared_api.admin.get(f"/3.1/offer/{number}")["offer"] == before


def test_offer_write_with_unknown_name_is_named_in_error(api: Api) -> None:
    sent = {"strictly_brands[]": "Nobodys", "targeting[0][region][allow][DE][]": "5"}
    answer = api.admin.call("POST", f"/3.1/admin/offer/{api.add_offer()}", data=sent)
    assert answer.json()["fields"] == {
        "strictly_brands[0]": ["A brand Nobodys does not exist: GET /3.1/vendors lists their names."],
        "targeting[0][region][allow][DE][0]": ["A region 5 of DE does not exist: GET /3.1/regions lists their ids."],
    }


def test_targeting_names_match_in_any_case(api: Api) -> None:
    sent = {
        "targeting[0][browser][allow][]": ["sAfari", "FIREFOX"], "targeting[0][brand][deny][]": "aPPLE",
        "targeting[0][os][allow][0][name]": "ios", "strictly_brands[]": "samsung", "payments[0][os][]": "ANDROID",
    }  # fmt: skip
    warnings = api.admin.post(f"/3.1/admin/offer/{api.add_offer()}", **sent)["warnings"]
    assert warnings == ["Visitors with the systems iOS get through, but no payment matches."]


def test_targeting_stored_unknown_name_is_kept_with_warning(api: Api) -> None:
    made = store_offer(
        api,
        countries=("UK",),
        strictly_brands=("Oldphone",),
        payments=(payment(os=("AmigaOS",), cities=(5,)),),
        targeting=(TargetingGroup(browser=AllowDeny(allow=("Oldnet",)), region=AllowDenyGeo(allow={"US": (5,)})),),
    )
    path = f"/3.1/admin/offer/{made.id}"
    assert [each[-12:] for each in api.admin.post(path, title="Other")["warnings"]] == ["ent matches."]
    sent = {
        "countries[]": ["UK", "DE"], "strictly_brands[]": "OLDPHONE", "payments[0][os][]": "AmigaOS",
        "payments[0][cities][]": "5", "targeting[0][browser][deny][]": "Oldnet",
        "targeting[0][region][deny][US][]": "5",
    }  # fmt: skip
    body = api.admin.post(path, **sent)
    assert [sentence.partition(":")[0] for sentence in body["warnings"][:-1]] == [
        "countries[0]", "strictly_brands[0]", "payments[0][cities][0]", "payments[0][os][0]",
        "targeting[0][browser][deny][0]", "targeting[0][region][deny][US][0]",
    ]  # fmt: skip
    assert body["warnings"][0] == (
        "countries[0]: A country UK does not exist: codes follow ISO 3166-1, such as DE. "
        "The offer had it before, so it was kept."
    )
    assert (body["offer"]["countries"], body["offer"]["strictly_brands"]) == (["UK", "DE"], ["OLDPHONE"])
    assert api.admin.refusal("POST", path, data={"countries[]": ["UK", "ZZ"]}) == (400, ["countries[1]"])
    api.admin.post(path, countries="DE")  # UK is not kept any longer
    assert api.admin.call("POST", path, data={"countries": "UK"}).status_code == 400


def test_documented_defaults_are_those_of_new_offer() -> None:
    differently_named = dict.fromkeys(("domain_url", "tracking_domain"), "domain_id")
    differently_named |= {"advertiser": "advertiser_id", "stop_date": "stop_at"}
    others = {"strictly_os", "strictly_isp", "hide_referer", "creative_files", "creative_urls", "creative_downloads"}
    fields = {field.name: field.default for field in msgspec.structs.fields(Offer) if not field.required}
    for name, info in AddOffer.model_fields.items():
        if name in others or name.startswith("sub_account_") or info.is_required():
            continue
        default, stored = info.get_default(call_default_factory=True), fields[differently_named.get(name, name)]
        assert (name, default or None) == (name, None if stored is msgspec.NODEFAULT else stored or None)


def test_documented_defaults_are_on_new_offer_only() -> None:
    schemas = document(CATALOGUE, version="1")["components"]["schemas"]
    assert schemas["AddOffer"]["properties"]["status"]["default"] == "stopped"
    assert not [name for name, schema in schemas["EditOffer"]["properties"].items() if "default" in schema]
