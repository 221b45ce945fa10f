"""Endpoints: what administrators do with offers, sources and categories."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import array, integer, text
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    empty,
    equal,
    header,
    hides,
    is_,
    refused,
    sentence,
    shows,
    table,
    visit,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: admin offers"
admin, una = Caller("admin"), Caller("una")
NEW = {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}
TITLES = {f"title_lang[{lang}]": f"<unique> {lang}" for lang in ("ru", "en", "es", "ka", "vi")}
FIELDS: list[tuple[str, Any, str, Any]] = [
    ("title", "<unique> new", "title", "<unique> new"),
    ("url", "https://b.example/?c={clickid}", "url", "https://b.example/?c={clickid}"),
    ("parallel_tracking_url", "https://b.example/", "parallel_tracking_url", "https://b.example/"),
    ("cross_postback_url", "https://b.example/", "cross_postback_url", "https://b.example/"),
    ("url_preview", "https://b.example/", "url_preview", "https://b.example/"),
    ("trafficback_url", "https://b.example/", "trafficback_url", "https://b.example/"),
    ("domain_url", "<domain>", "domain_url", "go.example"),
    ("impressions_url", "https://b.example/", "impressions_url", "https://b.example/"),
    ("notes", "n", "notes", "n"),
    ("note_aff", "n", "note_aff", "n"),
    ("note_sales", "n", "note_sales", "n"),
    ("external_offer_id", "e", "external_offer_id", "e"),
    ("bundle_id", "b", "bundle_id", "b"),
    ("allowed_ip", "10.0.0.1", "allowed_ip", "10.0.0.1"),
    ("disallowed_ip", "10.0.0.1-10.0.0.2", "disallowed_ip", "10.0.0.1-10.0.0.2"),
    *[(f"description_lang[{lang}]", "d", f"description_lang.{lang}", "d") for lang in ("ru", "en", "es", "ka", "vi")],
    *[(f"kpi[{lang}]", "k", f"kpi.{lang}", "k") for lang in ("ru", "en", "es", "ka", "vi")],
    *[("status", status, "status", status) for status in ("active", "suspended")],
    *[("privacy", privacy, "privacy", privacy) for privacy in ("public", "private")],
    *[("redirect_type", kind, "redirect_type", kind) for kind in ("http302", "http302hidden", "js", "meta")],
    *[("strictly_connection_type", kind, "strictly_connection_type", kind) for kind in ("wi-fi", "cellular")],
    ("is_top", 1, "is_top", 1),
    ("is_cpi", 1, "is_cpi", True),
    ("strictly_country", 1, "strictly_country", 1),
    ("allow_deeplink", 1, "allow_deeplink", 1),
    ("is_redirect_overcap", 1, "is_redirect_overcap", True),
    ("hide_payments", 1, "hide_payments", True),
    ("uniqIpOnly", 1, "uniq_ip_only", True),
    ("rejectNotUniqIp", 1, "reject_not_uniq_ip", True),
    ("hide_caps", 1, "hide_caps", 1),
    ("allow_impressions", 1, "allow_impressions", True),
    ("enabled_commission_tiers", 1, "enabled_commission_tiers", True),
    ("consider_personal_targeting_only", "true", "consider_personal_targeting_only", True),
    ("stopDate", "2090-01-01", "stop_at", "2090-01-01 23:59:59"),
    ("start_at", "2020-01-01 10:00:00", "start_at", "2020-01-01 10:00:00"),
    ("notice_percent_overcap", 70, "notice_percent_overcap", 70),
    ("hold_period", 60, "hold_period", 60),
    ("search_empty_sub", 8, "search_empty_sub", 8),
    ("click_session", "1m2d3h", "click_session", "1m2d3h"),
    ("minimal_click_session", "5s", "minimal_click_session", "5s"),
    ("sources[]", "<mail>", "sources", ["<mail>"]),
    ("categories[]", "<garden>", "categories", ["<garden>"]),
    ("tags[]", "t", "tags", ["t"]),
    ("countries[]", "DE", "countries", ["DE"]),
    ("strictly_devices[]", "tv", "strictly_devices", ["tv"]),
    ("strictly_brands[]", "Apple", "strictly_brands", ["Apple"]),
    ("sub_restrictions[0][sub3]", "x", "sub_restrictions", [{"sub3": "x"}]),
    ("caps_status[]", "hold", "caps_status", ["hold"]),
    ("caps_timezone", "Asia/Tokyo", "caps_timezone", "Asia/Tokyo"),
    ("sub_account_1", "a,b", "sub_accounts.1.value", "a,b"),
    ("sub_account_2", "c", "sub_accounts.2.value", "c"),
    ("smartlink_categories[]", "<rest>", "smartlink_categories", ["<rest>"]),
]
WRONG = [
    ("status", "open"),
    ("privacy", "secret"),
    ("redirect_type", "http301"),
    ("strictly_connection_type", "cable"),
    ("is_top", 2),
    ("is_cpi", "yes"),
    ("strictly_country", 5),
    ("allow_deeplink", 2),
    ("is_redirect_overcap", 2),
    ("hide_payments", 2),
    ("uniqIpOnly", 2),
    ("rejectNotUniqIp", 2),
    ("hide_caps", 2),
    ("allow_impressions", 2),
    ("enabled_commission_tiers", 2),
    ("consider_personal_targeting_only", "maybe"),
    ("stopDate", "soon"),
    ("start_at", "2020-01-01"),
    ("hold_period", 61),
    ("hold_period", -1),
    ("search_empty_sub", 0),
    ("search_empty_sub", 9),
    ("click_session", "long"),
    ("minimal_click_session", "5x"),
    ("advertiser", "<nothing_hash>"),
    ("domain_url", 999999),
    ("categories[]", "<nothing_hash>"),
    ("sources[]", "<nothing_hash>"),
    ("smartlink_categories[]", "<nothing_hash>"),
    ("caps_status[]", "gone"),
    ("caps_timezone", "Nowhere"),
    ("sub_account_1", "A b"),
    ("strictly_devices[]", "toaster"),
    ("url", "no address"),
    ("allowed_ip", "not an address"),
]
DEFAULTS: dict[str, Any] = {
    "status": "stopped",
    "is_redirect_overcap": False,
    "hide_payments": False,
    "uniq_ip_only": False,
    "reject_not_uniq_ip": False,
    "enabled_commission_tiers": False,
    "click_session": "1y",
    "minimal_click_session": "0s",
    "strictly_connection_type": "",
}


def add(params: Mapping[str, Any]) -> SpecRequest:
    """Create an offer."""
    return admin.post("/3.0/admin/offer", {**NEW, **params})


UNKNOWN: list[tuple[str, str, dict[str, Any]]] = [
    ("countries", "country", {"countries[]": "XX"}),
    ("payments[0][countries]", "country", {"payments[0][total]": 1, "payments[0][countries][]": "XX"}),
    (
        "caps[0][country]",
        "country",
        {
            "caps[0][period]": "day",
            "caps[0][type]": "clicks",
            "caps[0][value]": 1,
            "caps[0][country_type]": "exact",
            "caps[0][country][]": "XX",
        },
    ),
    ("targeting[0][country]", "country", {"targeting[0][country][allow][]": "XX"}),
    ("targeting[0][os]", "system", {"targeting[0][os][allow][0][name]": "NoSuchOS"}),
    ("targeting[0][browser]", "browser", {"targeting[0][browser][allow][]": "NoSuchBrowser"}),
    ("targeting[0][brand]", "brand", {"targeting[0][brand][allow][]": "NoSuchBrand"}),
    ("targeting[0][region]", "region of that country", {"targeting[0][region][allow][DE][]": 3117732}),
    ("targeting[0][city]", "city of that country", {"targeting[0][city][allow][DE][]": 3117735}),
    ("restriction_os", "system", {"restriction_os[0][os]": "NoSuchOS"}),
    ("strictly_brands", "brand", {"strictly_brands[]": "NoSuchBrand"}),
]

ROWS = table(
    [
        sentence(
            f"POST admin/offer: {name} is required",
            admin.post("/3.0/admin/offer", {key: value for key, value in NEW.items() if key != name}),
            refused(400, name),
        )
        for name in NEW
    ],
    sentence(
        "POST admin/offer (3.1): payments is required", admin.post("/3.1/admin/offer", NEW), refused(400, "payments")
    ),
    sentence(
        "POST admin/offer (3.1) with payments creates an offer",
        admin.post("/3.1/admin/offer", {**NEW, "payments[0][total]": 1, "payments[0][revenue]": 1}),
        is_("offer.id", integer),
    ),
    [
        sentence(f"POST admin/offer: {name} {value!r} is stored", add({name: value}), equal(f"offer.{shown}", wanted))
        for name, value, shown, wanted in FIELDS
    ],
    [
        sentence(
            f"POST admin/offer/ID: {name} is changed to {value!r}",
            add({}).saving(made="offer.id"),
            admin.post("/3.0/admin/offer/<made>", {name: value}),
            equal(f"offer.{shown}", wanted),
            equal("id", "<made>"),
            admin.get("/3.0/offer/<made>"),
            equal(f"offer.{shown}", wanted),
            equal("offer.title", wanted if shown == "title" else "<unique>"),
        )
        for name, value, shown, wanted in FIELDS
    ],
    [
        sentence(f"POST admin/offer: {name} refuses {value!r}", add({name: value}), refused(400))
        for name, value in WRONG
    ],
    [
        sentence(f"POST admin/offer: {shown} is {wanted!r} by default", add({}), equal(f"offer.{shown}", wanted))
        for shown, wanted in DEFAULTS.items()
    ],
    sentence(
        "POST admin/offer/ID: what is left out stays",
        add({"note_aff": "kept", "hold_period": 3}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/<made>", {"title": "<unique> b"}),
        equal("offer.note_aff", "kept"),
        equal("offer.hold_period", 3),
        equal("offer.title", "<unique> b"),
    ),
    sentence(
        "POST admin/offer/ID: one that does not exist is not found",
        admin.post("/3.0/admin/offer/999999", {"title": "x"}),
        refused(404),
    ),
    sentence(
        "POST admin/offer/ID: an empty smartlink_categories removes them",
        add({"smartlink_categories[]": "<best>"}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/<made>", {"smartlink_categories": ""}),
        empty("offer.smartlink_categories"),
    ),
    sentence(
        "POST admin/offer: creativeUrls adds creatives",
        add({"creativeUrls[]": "https://a.example/a.png"}),
        is_("offer.creatives", lambda found_: len(found_) == 1),
    ),
    sentence(
        "POST admin/offer/delete removes offers and names them",
        add({}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/delete", {"offer_id[]": "<made>"}),
        is_("message", text),
        admin.get("/3.0/offer/<made>"),
        refused(404),
    ),
    sentence(
        "POST admin/offer/delete: offer_id is required", admin.post("/3.0/admin/offer/delete"), refused(400, "offer_id")
    ),
    sentence(
        "POST admin/offer/delete: one that does not exist removes none",
        add({}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/delete", {"offer_id[]": ["<made>", 999999]}),
        refused(400),
        admin.get("/3.0/offer/<made>"),
        equal("offer.id", "<made>"),
    ),
    [
        sentence(
            f"POST admin/offer/mass-update: status {status} is set on each",
            add({}).saving(one="offer.id"),
            admin.post("/3.0/admin/offer", {**NEW, "title": "<unique> two"}).saving(two="offer.id"),
            admin.post("/3.0/admin/offer/mass-update", {"offer_id[]": ["<one>", "<two>"], "status": status}),
            admin.get("/3.0/offer/<one>"),
            equal("offer.status", status),
            admin.get("/3.0/offer/<two>"),
            equal("offer.status", status),
        )
        for status in ("active", "stopped", "suspended")
    ],
    [
        sentence(
            f"POST admin/offer/mass-update (3.1): privacy {privacy} is set",
            add({}).saving(made="offer.id"),
            admin.post(
                "/3.1/admin/offer/mass-update", {"offer_id[]": "<made>", "status": "active", "privacy": privacy}
            ),
            admin.get("/3.0/offer/<made>"),
            equal("offer.privacy", privacy),
        )
        for privacy in ("public", "protected", "private")
    ],
    sentence(
        "POST admin/offer/mass-update: offer_id is required",
        admin.post("/3.0/admin/offer/mass-update", {"status": "active"}),
        refused(400, "offer_id"),
    ),
    sentence(
        "POST admin/offer/mass-update: status refuses another value",
        admin.post("/3.0/admin/offer/mass-update", {"offer_id[]": "<capes>", "status": "open"}),
        refused(400, "status"),
    ),
    sentence(
        "DELETE admin/offer/ID/remove-creative removes creatives and returns their ids",
        add({"creativeUrls[]": "https://a.example/a.png"}).saving(made="offer.id", creative="offer.creatives[0].id"),
        admin.delete("/3.0/admin/offer/<made>/remove-creative", {"creatives[]": "<creative>"}),
        is_("removed", array),
        admin.get("/3.0/offer/<made>"),
        empty("offer.creatives"),
    ),
    sentence(
        "DELETE admin/offer/ID/remove-creative: creatives is required",
        admin.delete("/3.0/admin/offer/<capes>/remove-creative"),
        refused(400, "creatives"),
    ),
    [
        sentence(
            f"POST offer/{word}-affiliate: {name} is required",
            admin.post(
                f"/3.0/offer/{word}-affiliate",
                {key: value for key, value in {"offer_id": "<hats>", "pid": "<una>"}.items() if key != name},
            ),
            refused(400, name),
        )
        for word in ("enable", "disable")
        for name in ("offer_id", "pid")
    ],
    sentence(
        "POST offer/enable-affiliate accepts an array of offers",
        add({"status": "active", "privacy": "private"}).saving(one="offer.id"),
        admin.post(
            "/3.0/admin/offer", {**NEW, "title": "<unique> two", "status": "active", "privacy": "private"}
        ).saving(two="offer.id"),
        admin.post("/3.0/offer/enable-affiliate", {"offer_id[]": ["<one>", "<two>"], "pid": "<una>", "notice": 0}),
        una.get("/3.0/partner/offers", {"limit": 1000}),
        shows("offers[].id", "<one>", "<two>"),
    ),
    sentence(
        "POST offer/enable-affiliate: notice refuses another value",
        admin.post("/3.0/offer/enable-affiliate", {"offer_id": "<hats>", "pid": "<una>", "notice": 5}),
        refused(400, "notice"),
    ),
    sentence(
        "GET admin/offer/sources lists the sources",
        admin.get("/3.0/admin/offer/sources"),
        shows("sources[].id", "<search>", "<mail>"),
    ),
    sentence(
        "POST admin/offer/source adds a source",
        admin.post("/3.0/admin/offer/source", TITLES).saving(made="source.id"),
        equal("source.title_lang.es", "<unique> es"),
        admin.get("/3.0/admin/offer/sources"),
        shows("sources[].id", "<made>"),
    ),
    sentence("POST admin/offer/source: title_lang is required", admin.post("/3.0/admin/offer/source"), refused(400)),
    sentence(
        "POST admin/offer/source/ID edits",
        admin.post("/3.0/admin/offer/source", TITLES).saving(made="source.id"),
        admin.post("/3.0/admin/offer/source/<made>", {**TITLES, "title_lang[en]": "changed"}),
        equal("source.title_lang.en", "changed"),
    ),
    sentence(
        "DELETE admin/offer/source/ID returns the removed source",
        admin.post("/3.0/admin/offer/source", TITLES).saving(made="source.id"),
        admin.delete("/3.0/admin/offer/source/<made>"),
        equal("source.id", "<made>"),
        admin.get("/3.0/admin/offer/sources"),
        hides("sources[].id", "<made>"),
    ),
    sentence(
        "POST admin/category returns category",
        admin.post("/3.0/admin/category", {"title": "<unique>"}),
        equal("category.title", "<unique>"),
    ),
    sentence(
        "POST admin/category/ID returns the changed category",
        admin.post("/3.0/admin/category", {"title": "<unique>"}).saving(made="category.id"),
        admin.post("/3.0/admin/category/<made>", {"title": "<unique> b"}),
        equal("category.title", "<unique> b"),
    ),
    [
        sentence(f"POST admin/{path}: title is required", admin.post(f"/3.0/admin/{path}"), refused(400, "title"))
        for path in ("category", "category/<fashion>")
    ],
    [
        sentence(f"POST admin/offer: {name} refuses a {what} that does not exist", add(params), refused(400))
        for name, what, params in UNKNOWN
    ],
    sentence(
        "POST admin/offer/mass-update with ids alone answers",
        add({}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/mass-update", {"offer_id[]": "<made>"}),
        equal("status", 1),
        admin.get("/3.0/offer/<made>"),
        equal("offer.status", "stopped"),
    ),
    sentence(
        "POST admin/offer: macro_url is any text",
        add({"macro_url": "&source={sub1}"}),
        equal("offer.macro_url", "&source={sub1}"),
    ),
    sentence(
        "macro_url is appended to the target URL with its macros filled",
        add(
            {
                "status": "active",
                "privacy": "public",
                "url": "https://target.example/?c={clickid}",
                "macro_url": "&source={sub1}",
            }
        ).saving(made="offer.id"),
        visit("/click", {"pid": "<una>", "offer_id": "<made>", "sub1": "mine"}).eventually(),
        header("Location", "&source=mine", 302),
    ),
)


@each_row(ROWS)
def test_admin_offer_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
