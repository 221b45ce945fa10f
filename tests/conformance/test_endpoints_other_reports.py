"""Endpoints: lists of conversions, clicks and logs, caps, cohorts."""

from typing import Any

from tests.conformance.predicates import array
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    all_equal,
    answers,
    each_row,
    empty,
    equal,
    hides,
    holds,
    is_,
    narrowed,
    only,
    present,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: other reports"
admin, ann = Caller("admin"), Caller("ann")
PERIOD = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
CAPS, ACTION, REFERRALS = "/3.0/stats/caps", "/3.0/stats/time-to-action", "/3.0/stats/getreferralpayments"
RANGE = {"date_from": "01-01-2020", "date_to": "02-01-2020"}
RETENTION = {**PERIOD, "offer": "<shoes>", "base_event": "install", "events": "sale"}
TIME = {**PERIOD, "offer_id": "<shoes>", "timezone": "UTC"}
CONVERSIONS, CLICKS = (
    admin.get("/3.0/stats/conversions", {**PERIOD, "limit": 1000}),
    admin.get("/3.0/stats/clicks", {**PERIOD, "limit": 1000}),
)
SERVER, CALLS = (
    admin.get("/3.0/stats/serverpostbacks", {**PERIOD, "limit": 1000}),
    admin.get("/3.0/stats/affiliatepostbacks", {**PERIOD, "limit": 1000}),
)
Filters = list[tuple[str, dict[str, Any], list[str], list[str], dict[str, Any] | None]]
CONVERSION_FILTERS: Filters = [
    ("status 1", {"status[]": 1}, ["<red_conversion>"], ["<blue_conversion>", "<gray_conversion>"], None),
    ("status 2", {"status[]": 2}, ["<blue_conversion>"], ["<red_conversion>"], None),
    ("status 3", {"status[]": 3}, ["<green_conversion>"], ["<red_conversion>"], None),
    ("status 4", {"status[]": 4}, ["<lost_conversion>"], ["<red_conversion>"], None),
    ("status 5", {"status[]": 5}, ["<gray_conversion>"], ["<red_conversion>"], None),
    (
        "status as an array",
        {"status[]": [1, 2]},
        ["<red_conversion>", "<blue_conversion>"],
        ["<gray_conversion>"],
        None,
    ),
    ("offer", {"offer[]": "<hats>"}, ["<gold_conversion>"], ["<red_conversion>"], {"offer[]": 999999}),
    (
        "advertiser",
        {"advertiser[]": "<mill>"},
        ["<gold_conversion>"],
        ["<red_conversion>"],
        {"advertiser[]": "<nothing_hash>"},
    ),
    ("country", {"country[]": "DE"}, ["<red_conversion>"], ["<blue_conversion>"], {"country[]": "JP"}),
    ("browser", {"browser": "Firefox"}, ["<green_conversion>"], ["<red_conversion>"], {"browser": "Lynx"}),
    ("action_id", {"action_id": "order-red"}, ["<red_conversion>"], ["<blue_conversion>"], {"action_id": "none"}),
    ("clickid", {"clickid": "<blue>"}, ["<blue_conversion>"], ["<red_conversion>"], {"clickid": "<nothing_hash>"}),
    ("os", {"os": "iOS"}, ["<red_conversion>"], ["<blue_conversion>"], {"os": "Symbian"}),
    ("goal", {"goal": "2"}, ["<blue_conversion>"], ["<red_conversion>"], {"goal": "77"}),
    ("device mobile", {"device": "mobile"}, ["<red_conversion>"], ["<green_conversion>"], None),
    ("device desktop", {"device": "desktop"}, ["<green_conversion>"], ["<red_conversion>"], None),
    ("device tablet", {"device": "tablet"}, [], ["<red_conversion>", "<green_conversion>"], None),
    ("payouts", {"payouts": 3}, ["<blue_conversion>"], ["<red_conversion>"], {"payouts": 77.5}),
    ("revenue", {"revenue": 4}, ["<blue_conversion>"], ["<red_conversion>"], {"revenue": 77.5}),
    ("currency", {"currency": 978}, ["<gold_conversion>"], ["<red_conversion>"], {"currency": 392}),
    ("partner", {"partner[]": "<ann>"}, ["<red_conversion>"], ["<green_conversion>"], {"partner[]": 999999}),
    ("subid1", {"subid1": "red"}, ["<red_conversion>"], ["<blue_conversion>"], {"subid1": "none"}),
    ("subid2", {"subid2": "cold"}, ["<blue_conversion>"], ["<red_conversion>"], {"subid2": "none"}),
    *[
        (f"subid{n}", {f"subid{n}": f"s{n}"}, ["<red_conversion>"], ["<blue_conversion>"], {f"subid{n}": "none"})
        for n in range(3, 6)
    ],
    *[
        (
            f"custom_field_{n}",
            {f"custom_field_{n}": f"field {n}"},
            ["<red_conversion>"],
            ["<blue_conversion>"],
            {f"custom_field_{n}": "none"},
        )
        for n in range(1, 8)
    ],
    ("update_from_date", {"update_from_date": "<day>"}, ["<red_conversion>"], [], {"update_from_date": "<tomorrow>"}),
    ("update_from_hour", {"update_from_date": "<day>", "update_from_hour": 0}, ["<red_conversion>"], [], None),
]
CLICK_FILTERS: Filters = [
    ("offer", {"offer[]": "<hats>"}, ["<gold>"], ["<red>"], {"offer[]": 999999}),
    ("partner", {"partner[]": "<bob>"}, ["<green>"], ["<red>"], {"partner[]": 999999}),
    ("country", {"country[]": ["DE", "US"]}, ["<red>", "<blue>"], ["<green>"], {"country[]": "JP"}),
    ("advertiser", {"advertiser[]": "<mill>"}, ["<gold>"], ["<red>"], {"advertiser[]": "<nothing_hash>"}),
    ("advertisers", {"advertisers[]": "<mill>"}, ["<gold>"], ["<red>"], {"advertisers[]": "<nothing_hash>"}),
]
SERVER_FILTERS: Filters = [
    ("offer", {"offer[]": "<hats>"}, ["order-gold"], ["order-red"], {"offer[]": 999999}),
    ("partner", {"partner[]": "<bob>"}, ["order-green"], ["order-red"], {"partner[]": 999999}),
    ("supplier", {"supplier[]": "<mill>"}, ["order-gold"], ["order-red"], {"supplier[]": "<nothing_hash>"}),
    ("action_id", {"action_id": "order-red"}, ["order-red"], ["order-blue"], {"action_id": "none"}),
    ("click_id", {"click_id": "<red>"}, ["order-red"], ["order-blue"], {"click_id": "<nothing_hash>"}),
    ("goal", {"goal": "2"}, ["order-blue"], ["order-red"], {"goal": "77"}),
    ("status", {"status": "2"}, ["order-blue"], ["order-red"], None),
]
CALL_FILTERS: Filters = [
    (
        "offer",
        {"offer[]": "<hats>"},
        ["<receiver>/ann_everywhere?c=<gold>&s=1"],
        ["<receiver>/ann_shoes?c=<red>&s=1"],
        {"offer[]": 999999},
    ),
    ("partner", {"partner[]": "<ann>"}, ["<receiver>/ann_shoes?c=<red>&s=1"], [], {"partner[]": "<bob>"}),
    (
        "goal",
        {"goal": "2"},
        ["<receiver>/ann_shoes?c=<blue>&s=2"],
        ["<receiver>/ann_shoes?c=<red>&s=1"],
        {"goal": "77"},
    ),
    (
        "status",
        {"status": "2"},
        ["<receiver>/ann_shoes?c=<blue>&s=2"],
        ["<receiver>/ann_shoes?c=<red>&s=1"],
        {"status": "5"},
    ),
    ("http_code", {"http_code": 200}, ["<receiver>/ann_shoes?c=<red>&s=1"], [], {"http_code": 404}),
]


def prefix(n: int) -> str:
    return {1: "re", 2: "wa"}[n]


def value(n: int) -> str:
    return {1: "red", 2: "warm"}[n]


MORE_FILTERS: Filters = [
    ("goal as a list", {"goal[]": ["1", "2"]}, ["<red_conversion>", "<blue_conversion>"], [], {"goal[]": ["77", "78"]}),
    (
        "os as a list",
        {"os[]": ["iOS", "Android"]},
        ["<red_conversion>", "<blue_conversion>"],
        ["<green_conversion>"],
        None,
    ),
    (
        "browser as a list",
        {"browser[]": ["Firefox", "Safari"]},
        ["<green_conversion>", "<gold_conversion>"],
        ["<red_conversion>"],
        None,
    ),
    ("device as a list", {"device[]": ["mobile", "tablet"]}, ["<red_conversion>"], ["<green_conversion>"], None),
    ("payouts_from", {"payouts_from": 6}, ["<red_conversion>"], ["<blue_conversion>"], {"payouts_from": 9000}),
    ("payouts_to", {"payouts_to": 4}, ["<blue_conversion>"], ["<red_conversion>"], {"payouts_to": 0.001}),
    ("revenue_from", {"revenue_from": 9}, ["<red_conversion>"], ["<blue_conversion>"], {"revenue_from": 9000}),
    ("revenue_to", {"revenue_to": 5}, ["<blue_conversion>"], ["<red_conversion>"], {"revenue_to": 0.001}),
    ("goal_id", {"goal_id[]": "2"}, ["<blue_conversion>"], ["<red_conversion>"], {"goal_id[]": "77"}),
    ("comment", {"comment": "thanks"}, ["<red_conversion>"], ["<blue_conversion>"], {"comment": "no such comment"}),
]

ROWS = table(
    [
        row
        for text_, params, shown, hidden, none in CONVERSION_FILTERS
        for row in narrowed(
            f"conversions: {text_}", CONVERSIONS, "conversions[].id", by=params, shown=shown, hidden=hidden, none=none
        )
    ],
    [
        sentence(
            f"conversions: {name} refuses {value!r}",
            admin.get("/3.0/stats/conversions", {**PERIOD, name: value}),
            refused(400, name),
        )
        for name, value in (
            ("date_from", "soon"),
            ("date_to", "soon"),
            ("update_from_date", "soon"),
            ("update_from_hour", 24),
            ("hour", 24),
            ("timezone", "x"),
            ("raw_export", 2),
        )
    ],
    [
        sentence(
            f"conversions: {name} refuses {value!r}",
            admin.get("/3.0/stats/conversions", {**PERIOD, name: value}),
            refused(400, name),
        )
        for name, value in (("payouts", "much"), ("currency", "USD"))
    ],
    sentence(
        "conversions: status 9 is refused", admin.get("/3.0/stats/conversions", {**PERIOD, "status[]": 9}), answers(400)
    ),
    sentence(
        "conversions: hour with several days is refused",
        admin.get("/3.0/stats/conversions", {**PERIOD, "hour": 1}),
        refused(400, "hour"),
    ),
    sentence(
        "conversions: hour on one day shows that hour",
        admin.get("/3.0/stats/conversions", {"date_from": "<day>", "date_to": "<day>", "hour": "<other_hour>"}),
        hides("conversions[].id", "<red_conversion>"),
    ),
    sentence(
        "conversions: date_from is one week ago and date_to now by default",
        admin.get("/3.0/stats/conversions"),
        shows("conversions[].id", "<red_conversion>"),
    ),
    sentence(
        "conversions: a period without any is empty",
        admin.get("/3.0/stats/conversions", {"date_from": "<last_week>", "date_to": "<last_week>"}),
        empty("conversions"),
    ),
    sentence(
        "conversions: raw_export=1 leaves out related entities",
        admin.get("/3.1/stats/conversions", {**PERIOD, "raw_export": 1}),
        shows("conversions[].id", "<red_conversion>"),
        is_(
            "conversions[id=<red_conversion>]",
            lambda record: not isinstance(record.get("offer"), dict) or "title" not in record["offer"],
        ),
    ),
    sentence(
        "conversions: an affiliate sees its own",
        ann.get("/3.0/stats/conversions", PERIOD),
        only("conversions[].id", "<red_conversion>", "<blue_conversion>", "<gold_conversion>"),
    ),
    [
        row
        for text_, params, shown, hidden, none in CLICK_FILTERS
        for row in narrowed(f"clicks: {text_}", CLICKS, "clicks[].id", by=params, shown=shown, hidden=hidden, none=none)
    ],
    [
        sentence(
            f"{path}: {name} is required",
            admin.get(path, {key: value for key, value in PERIOD.items() if key != name}),
            refused(400, name),
        )
        for path in ("/3.0/stats/clicks", "/3.0/stats/serverpostbacks", "/3.0/stats/affiliatepostbacks")
        for name in PERIOD
    ],
    [
        sentence(
            f"{path}: a period without any is empty",
            admin.get(path, {"date_from": "<last_week>", "date_to": "<last_week>"}),
            empty(name),
        )
        for path, name in (
            ("/3.0/stats/clicks", "clicks"),
            ("/3.0/stats/serverpostbacks", "postbacks"),
            ("/3.0/stats/affiliatepostbacks", "postbacks"),
        )
    ],
    sentence(
        "clicks: hour with several days is refused",
        admin.get("/3.0/stats/clicks", {**PERIOD, "hour": 1}),
        refused(400, "hour"),
    ),
    sentence(
        "clicks: hour shows that hour",
        admin.get("/3.0/stats/clicks", {"date_from": "<day>", "date_to": "<day>", "hour": "<hour>"}),
        shows("clicks[].id", "<red>"),
    ),
    sentence(
        "clicks: another hour does not",
        admin.get("/3.0/stats/clicks", {"date_from": "<day>", "date_to": "<day>", "hour": "<other_hour>"}),
        hides("clicks[].id", "<red>"),
    ),
    [
        row
        for n in range(1, 3)
        for row in narrowed(
            f"find-subs: sub{n} is a prefix",
            admin.get("/3.0/stats/find-subs"),
            f"subs[].sub{n}",
            by={f"sub{n}": prefix(n)},
            shown=[value(n)],
            hidden=[],
            none={f"sub{n}": "zzz"},
        )
    ],
    [
        sentence(
            f"find-subs: sub{n} finds its values",
            admin.get("/3.0/stats/find-subs", {f"sub{n}": "s"}),
            shows(f"subs[].sub{n}", f"s{n}"),
        )
        for n in range(3, 6)
    ],
    sentence(
        "find-subs: an affiliate finds its own values",
        ann.get("/3.0/stats/find-subs", {"sub1": "g"}),
        only("subs[].sub1", "gold"),
    ),
    [
        row
        for text_, params, shown, hidden, none in SERVER_FILTERS
        for row in narrowed(
            f"serverpostbacks: {text_}",
            SERVER,
            "postbacks[]._get.action_id",
            by=params,
            shown=shown,
            hidden=hidden,
            none=none,
        )
    ],
    sentence("serverpostbacks is refused to an affiliate", ann.get("/3.0/stats/serverpostbacks", PERIOD), refused(403)),
    [
        row
        for text_, params, shown, hidden, none in CALL_FILTERS
        for row in narrowed(
            f"affiliatepostbacks: {text_}",
            CALLS,
            "postbacks[].postback_url",
            by=params,
            shown=shown,
            hidden=hidden,
            none=none,
        )
    ],
    sentence(
        "affiliatepostbacks: an affiliate sees calls to itself",
        ann.get("/3.0/stats/affiliatepostbacks", PERIOD),
        all_equal("postbacks[].pid", "<ann>"),
    ),
    [
        sentence(
            f"getreferralpayments: {name} is required",
            admin.get(REFERRALS, {key: value for key, value in RANGE.items() if key != name}),
            refused(400, name),
        )
        for name in ("date_from", "date_to")
    ],
    sentence(
        "getreferralpayments: dates are DD-MM-YYYY",
        admin.get(REFERRALS, {"date_from": "2020-01-01", "date_to": "2020-01-02"}),
        refused(400, "date_from"),
    ),
    [
        sentence(
            f"getreferralpayments: {name} {value_} is accepted",
            admin.get(REFERRALS, {**RANGE, name: value_}),
            is_("ref_payments", array),
        )
        for name, values in {
            "pid": ("<bob>",),
            "ref": ("<ann>",),
            "is_paid": (0, 1, 2),
            "status": (0, 1),
            "currency": (840,),
        }.items()
        for value_ in values
    ],
    [
        sentence(
            f"getreferralpayments: {name} refuses {value_}",
            admin.get(REFERRALS, {**RANGE, name: value_}),
            refused(400, name),
        )
        for name, value_ in (("is_paid", 3), ("status", 2), ("currency", "USD"))
    ],
    [
        sentence(
            f"stats/caps (3.0): fields {name} shows it alone",
            admin.get(CAPS, {"offer_id[]": "<capes>", "fields[]": name}),
            present(f"offers.<capes>.{name}"),
            is_("offers.<capes>", lambda record, name=name: set(record) == {name}),
        )
        for name in ("stats", "stats_merged", "descr")
    ],
    [
        sentence(
            f"stats/caps (3.0): {name} is required",
            admin.get(
                CAPS,
                {
                    key: value
                    for key, value in {"offer_id[]": "<capes>", "fields[]": "stats"}.items()
                    if key != f"{name}[]"
                },
            ),
            refused(400, name),
        )
        for name in ("offer_id", "fields")
    ],
    sentence(
        "stats/caps (3.0): fields refuses another value",
        admin.get(CAPS, {"offer_id[]": "<capes>", "fields[]": "all"}),
        answers(400),
    ),
    sentence(
        "stats/caps (3.0): an offer that was not asked for is not shown",
        admin.get(CAPS, {"offer_id[]": "<capes>", "fields[]": "stats"}),
        absent("offers.<shoes>"),
    ),
    sentence(
        "stats/caps (3.0): affiliate_id keeps the rows of this affiliate",
        admin.get(CAPS, {"offer_id[]": "<capes>", "fields[]": "stats", "affiliate_id[]": "<ann>"}),
        shows("offers.<capes>.stats[].affiliate_id", "<ann>"),
    ),
    sentence(
        "stats/caps (3.0): more than 100 offers are refused",
        admin.get(CAPS, {"offer_id[]": list(range(1, 102)), "fields[]": "stats"}),
        refused(400, "offer_id"),
    ),
    sentence("stats/caps (3.1): offer_id is required", admin.get("/3.1/stats/caps"), refused(400, "offer_id")),
    sentence(
        "stats/caps (3.1): several offers are shown",
        admin.get("/3.1/stats/caps", {"offer_id[]": ["<capes>", "<shoes>"]}),
        shows("stats[].offer_id", "<capes>"),
    ),
    [
        sentence(
            f"retentionrate: {name} is required",
            admin.get("/3.0/stats/retentionrate", {key: value for key, value in RETENTION.items() if key != name}),
            refused(400, name),
        )
        for name in RETENTION
    ],
    sentence(
        "retentionrate: base_event has letters only",
        admin.get("/3.0/stats/retentionrate", {**RETENTION, "base_event": "a1!"}),
        refused(400, "base_event"),
    ),
    sentence(
        "retentionrate: events may be an array",
        admin.get(
            "/3.0/stats/retentionrate",
            {**{key: value for key, value in RETENTION.items() if key != "events"}, "events[]": ["a", "b"]},
        ),
        holds(array),
    ),
    [
        sentence(
            f"time-to-action: {name} is required",
            admin.get(ACTION, {key: value for key, value in TIME.items() if key != name}),
            refused(400, name),
        )
        for name in TIME
    ],
    sentence(
        "time-to-action: goal keeps conversions of that goal",
        admin.get(ACTION, {**TIME, "goal": "2"}),
        equal("data[affiliate_id=<ann>].total_conversions", 1),
    ),
    sentence(
        "time-to-action: a goal that nothing has leaves none",
        admin.get(ACTION, {**TIME, "goal": "77"}),
        is_("data", lambda rows: all(row["total_conversions"] == 0 for row in rows)),
    ),
    sentence(
        "time-to-action: affiliate_ids is a comma list",
        admin.get(ACTION, {**TIME, "affiliate_ids": "<ann>,<una>"}),
        shows("data[].affiliate_id", "<ann>"),
        hides("data[].affiliate_id", "<bob>"),
    ),
    [
        row
        for text_, params, shown, hidden, none in MORE_FILTERS
        for row in narrowed(
            f"conversions: {text_}", CONVERSIONS, "conversions[].id", by=params, shown=shown, hidden=hidden, none=none
        )
    ],
    [
        sentence(
            f"find-subs: sub{n} finds its values",
            admin.get("/3.0/stats/find-subs", {f"sub{n}": "s"}),
            shows(f"subs[].sub{n}", f"s{n}"),
        )
        for n in range(6, 9)
    ],
    [
        sentence(
            f"{path}: status refuses another value",
            admin.get(path, {**PERIOD, "status": "gone"}),
            refused(400, "status"),
        )
        for path in ("/3.0/stats/serverpostbacks", "/3.0/stats/affiliatepostbacks")
    ],
)


@each_row(ROWS)
def test_other_report_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
