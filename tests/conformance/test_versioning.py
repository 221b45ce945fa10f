"""Versioning: what differs between 3.0 and 3.1."""

from tests.conformance.predicates import array, integer
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    answers,
    each_row,
    equal,
    exactly,
    is_,
    present,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Versioning"
admin = Caller("admin")
DAYS = "filter[date_from]=<yesterday>&filter[date_to]=<tomorrow>"
NEW = {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}
PATHS = (
    "/offers",
    "/offers/count",
    "/offer/<shoes>",
    "/offer/categories",
    "/cities?country=EE",
    "/isp",
    "/news",
    "/news/<plain_news>",
    "/partner/pixels",
    "/admin/advertisers",
    "/admin/partners",
    "/admin/users",
    "/admin/currency",
    "/admin/payment_systems",
    "/admin/custom_fields",
    "/admin/domains",
    "/admin/tickets",
    "/admin/smartlink/categories",
    "/admin/offer/sources",
    "/admin/advertiser-invoices",
    f"/stats/getbydate?{DAYS}",
    "/stats/conversions",
    "/stats/conversionsbyid?id=<red_conversion>",
)

ROWS = table(
    [
        sentence(
            f"{path} is served as /3.0 and /3.1",
            admin.get(f"/3.0{path}"),
            equal("status", 1),
            admin.get(f"/3.1{path}"),
            equal("status", 1),
        )
        for path in PATHS
    ],
    sentence(
        "3.0: not_found is a group of actions",
        admin.get(f"/3.0/stats/getbydate?{DAYS}"),
        is_("stats[0].actions.not_found.count", integer),
    ),
    sentence(
        "3.1: not_found is not a group of actions",
        admin.get(f"/3.1/stats/getbydate?{DAYS}"),
        absent("stats[0].actions.not_found"),
    ),
    sentence(
        "3.1: conversion status 4 is not a filter", admin.get("/3.1/stats/conversions", {"status[]": 4}), answers(400)
    ),
    sentence(
        "3.1: status 3 finds a not_found conversion",
        admin.get("/3.1/stats/conversions", {"status[]": 3}),
        shows("conversions[].id", "<lost_conversion>"),
    ),
    sentence(
        "3.1: conversionTypes not_found is refused",
        admin.get(f"/3.1/stats/custom?{DAYS}&slice[]=day&conversionTypes[]=not_found"),
        answers(400),
    ),
    sentence(
        "3.1: a postback's status not_found becomes declined",
        admin.post("/3.1/partner/postback", {"pid": "<una>", "url": "<receiver>/una", "status": "not_found"}),
        equal("postback.status", "declined"),
    ),
    sentence(
        "3.0: a postback's status not_found stays",
        admin.post("/3.0/partner/postback", {"pid": "<una>", "url": "<receiver>/una", "status": "not_found"}),
        equal("postback.status", "not_found"),
    ),
    sentence(
        "3.1: a cap status not_found becomes declined",
        admin.post("/3.1/admin/offer", {**NEW, "payments[0][total]": 1, "caps_status[]": "not_found"}),
        exactly("offer.caps_status", "declined"),
    ),
    sentence(
        "stats/caps differs: 3.0 has a map of offers",
        admin.get("/3.0/stats/caps?offer_id[]=<capes>&fields[]=descr"),
        present("offers.<capes>.descr"),
    ),
    sentence(
        "stats/caps differs: 3.1 has a stats array",
        admin.get("/3.1/stats/caps?offer_id[]=<capes>"),
        is_("stats", array),
    ),
    sentence(
        "strictly_os is deprecated: it mirrors restriction_os",
        admin.get("/3.0/offer/<capes>"),
        exactly("offer.strictly_os", "Android"),
    ),
    sentence(
        "strictly_isp is deprecated: it mirrors restriction_isp",
        admin.get("/3.0/offer/<capes>"),
        exactly("offer.strictly_isp", "Movistar"),
    ),
    sentence(
        "hide_referer is deprecated and still accepted",
        admin.post("/3.0/admin/offer", {**NEW, "hide_referer": 1}),
        equal("status", 1),
    ),
    [
        sentence(f"3.1: {path} has statusCode 200", admin.get(f"/3.1{path}"), equal("statusCode", 200))
        for path in (
            "/countries",
            "/regions?country=DE",
            "/oses",
            "/vendors",
            "/devices",
            "/browsers",
            "/connection-types",
        )
    ],
)


@each_row(ROWS)
def test_versioning_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
