"""Endpoints: filters beyond the specification, and warnings of unknown parameters."""

from typing import Any

from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecSentence,
    absent,
    each_row,
    empty,
    equal,
    header,
    hides,
    holds,
    is_,
    narrowed,
    only,
    sentence,
    shows,
    table,
    visit,
)
from tests.conformance.shared_steps import DAYS, VISITOR, found_again, imported, offer
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: further filters"
admin, ann, una = Caller("admin"), Caller("ann"), Caller("una")
PERIOD = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
TRAFFIC = {**PERIOD, "filter[offer][]": ["<shoes>", "<hats>", "<socks>"], "filter[partner][]": ["<ann>", "<bob>"]}
TRAFFICBACK = "/3.0/stats/getbytrafficback"
NOT: list[tuple[str, Any, int, int]] = [
    ("not_offer_id", "<shoes>", 2, 2),
    ("not_advertiser_id", "<shop>", 1, 1),
    ("not_affiliate_id", "<ann>", 2, 3),
    ("not_country", "DE", 4, 5),
    ("not_affiliate_manager_id", "<mia>", 2, 3),
    ("not_advertiser_manager_id", "<sam>", 1, 1),
    ("not_advertiser_tag", "retail", 1, 1),
    ("not_affiliate_tag", "north", 2, 3),
    ("not_offer_tag", "summer", 2, 2),
]
"""A filter, what it leaves out, and the clicks and conversions that stay of six and six."""
NAMING_NOTHING = [
    ("not_offer_id", 999999),
    ("not_advertiser_id", "<nothing_hash>"),
    ("not_affiliate_id", 999999),
    ("not_country", "JP"),
    ("not_affiliate_manager_id", "<nothing_hash>"),
    ("not_smartlink_id", "<rest>"),
    ("not_offer_tag", "west"),
]
CONVERSIONS = admin.get("/3.0/stats/conversions", {**DAYS, "limit": 1000})
CONVERSION_FILTERS: list[tuple[str, dict[str, Any], list[str], list[str], dict[str, Any] | None]] = [
    ("payment_status by name", {"payment_status": "opened"}, ["red"], [], {"payment_status": "closed"}),
    ("payouts_from and payouts_to", {"payouts_from": 3, "payouts_to": 5}, ["blue"], ["red"], {"payouts_from": 9000}),
    ("revenue_from and revenue_to", {"revenue_from": 3, "revenue_to": 5}, ["blue"], ["red"], {"revenue_to": 0.001}),
    ("goal_id as a list", {"goal_id[]": ["2", "77"]}, ["blue"], ["red"], {"goal_id[]": ["77", "78"]}),
    ("comment by a part in any case", {"comment": "THANK"}, ["red"], ["blue"], {"comment": "no such comment"}),
    ("update_to_date", {"update_to_date": "<tomorrow>"}, ["red", "blue"], [], {"update_to_date": "<last_week>"}),
]
IGNORED = [
    *[f"/3.0/{path}" for path in ("offers", "admin/partners", "admin/users", "admin/advertisers", "admin/tickets")],
    *[
        f"/3.0/{path}"
        for path in ("partner/pixels", "admin/advertiser-invoices", "news", "cities?country=EE", "offer/categories")
    ],
    *[
        f"/3.0/{path}"
        for path in ("admin/postbacks?partner_id=<ann>", "admin/smartlink/categories", "balance?pid=<ann>")
    ],
    *[
        f"/3.0/stats/{name}?date_from=<today>&date_to=<today>"
        for name in ("clicks", "conversions", "affiliatepostbacks")
    ],
    "/3.0/stats/serverpostbacks?date_from=<today>&date_to=<today>",
    *[f"/3.1/{path}" for path in ("countries", "vendors", "oses", "stats/caps?offer_id[]=<capes>", "offers")],
]
STAFF_ONLY = [
    ("/3.0/stats/conversions", "advertiser[]", "<shop>"),
    ("/3.0/stats/conversions", "partner[]", "<bob>"),
    ("/3.0/stats/conversions", "revenue_from", 1),
    ("/3.0/stats/getbyprogram", "filter[partner]", "<bob>"),
    ("/3.0/stats/getbyprogram", "filter[not_advertiser_id]", "<shop>"),
    ("/3.0/stats/getbyprogram", "filter[not_affiliate_id]", "<ann>"),
    ("/3.0/partner/pixels", "pid", "<bob>"),
]
PIXEL = {"pid": "<own>", "offer_id": "<shoes>", "code": "<img src='https://a.example/'>", "code_type": "image"}


def sums(raw: int, count: int) -> AnswerCheck:
    """The rows have as many clicks and conversions in all."""

    def agree(body: Any) -> bool:
        clicks = sum(int(row["traffic"]["raw"]) for row in body["stats"])
        return (clicks, sum(row["actions"]["total"]["count"] for row in body["stats"])) == (raw, count)

    return holds(agree)


def new_affiliate() -> Any:
    """Create an affiliate that mia manages; its id is `own`."""
    given = {"email": "<unique>@a.example", "password": "<password>", "manager_id": "<mia>"}
    return admin.post("/3.0/admin/partner", given).saving(own="partner.id", own_key="partner.api_key")


ROWS = table(
    [
        sentence(
            f"{path}: filter[{name}] leaves out what matches",
            admin.get(path, {**TRAFFIC, f"filter[{name}]{more}": value}),
            sums(raw, count),
        )
        for path, more in (("/3.0/stats/getbyprogram", ""), ("/3.1/stats/getbycountries", "[]"))
        for name, value, raw, count in NOT
    ],
    [
        sentence(
            f"custom: filter[{name}] leaves out what matches",
            admin.get("/3.0/stats/custom", {**TRAFFIC, "slice[]": "day", f"filter[{name}]": value}),
            sums(raw, count),
        )
        for name, value, raw, count in NOT
    ],
    [
        sentence(
            f"filter[{name}] leaves out rows that match any of several values",
            admin.get("/3.0/stats/getbyprogram", {**TRAFFIC, f"filter[{name}][]": values}),
            sums(raw, count),
        )
        for name, values, raw, count in (
            ("not_offer_id", ["<shoes>", "<hats>"], 1, 1),
            ("not_country", ["DE", "us"], 3, 4),
            ("not_affiliate_id", ["<ann>", "<bob>"], 0, 0),
        )
    ],
    [
        sentence(
            f"filter[{name}] that names nothing leaves nothing out",
            admin.get("/3.0/stats/getbyprogram", {**TRAFFIC, f"filter[{name}]": value}),
            sums(6, 6),
        )
        for name, value in NAMING_NOTHING
    ],
    [
        sentence(
            f"getbytrafficback: filter[{name}] leaves out what matches",
            admin.get(TRAFFICBACK, {**PERIOD, "filter[offer]": "<gloves>", f"filter[{name}]": value}),
            holds(lambda body, left=left: sum(row["trafficback"] for row in body["stats"]) == left),
        )
        for name, value, left in (
            ("not_offer_id", "<gloves>", 0),
            ("not_offer_id][", "<shoes>", 2),
            ("not_affiliate_id", "<bob>", 1),
            ("not_affiliate_tag", "south", 1),
            ("not_country", "FR", 0),
            ("not_advertiser_id", "<mill>", 0),
        )
    ],
    sentence(
        "a click through a SmartLink: filter[smart_id] and filter[not_smartlink_id] of statistics",
        admin.post("/3.0/admin/smartlink/category", {"name": "<unique>"}).saving(smart="category._id"),
        offer({"smartlink_categories[]": "<smart>"}),
        visit("/sl", {"id": "<smart>", "pid": "<una>"}, VISITOR).eventually(),
        header("Location", "https://target.example/", 302),
        admin.get("/3.0/stats/custom", {**PERIOD, "slice[]": "smart_id", "filter[smart_id]": "<smart>"}).eventually(),
        sums(1, 0),
        admin.get("/3.0/stats/getbyprogram", {**PERIOD, "filter[offer]": "<made>"}),
        sums(1, 0),
        admin.get(
            "/3.0/stats/getbyprogram", {**PERIOD, "filter[offer]": "<made>", "filter[not_smartlink_id]": "<smart>"}
        ),
        sums(0, 0),
    ),
    [
        row
        for text_, params, shown, hidden, none in CONVERSION_FILTERS
        for row in narrowed(
            f"conversions: {text_}",
            CONVERSIONS,
            "conversions[].id",
            by=params,
            shown=[f"<{name}_conversion>" for name in shown],
            hidden=[f"<{name}_conversion>" for name in hidden],
            none=none,
        )
    ],
    sentence(
        "conversions: smart_id that matches nothing shows none",
        CONVERSIONS.adding({"smart_id[]": "<best>"}),
        empty("conversions"),
    ),
    sentence(
        "conversions: update_to_hour ends with this hour of the day",
        CONVERSIONS.adding({"update_to_date": "<today>", "update_to_hour": 23}),
        shows("conversions[].id", "<red_conversion>"),
    ),
    sentence(
        "conversions: decline_reason is the comment of a declined conversion",
        offer(),
        imported("a", {"status": "declined", "comment": "bad <unique>"}),
        imported("b", {"status": "confirmed", "comment": "bad <unique>"}),
        found_again("b"),
        shows("conversions[].action_id", "<unique>b"),
        admin.get("/3.0/stats/conversions", {"decline_reason": "bad <unique>"}),
        only("conversions[].action_id", "<unique>a"),
        admin.get("/3.0/stats/conversions", {"comment": "bad <unique>"}),
        only("conversions[].action_id", "<unique>a", "<unique>b"),
        admin.get("/3.0/stats/conversions", {"decline_reason": "no such <unique>"}),
        empty("conversions"),
    ),
    *[
        narrowed(
            f"admin/postbacks: {name}",
            admin.get("/3.0/admin/postbacks", {"partner_id": "<ann>"}),
            "postbacks[].id",
            by={name: value},
            shown=[shown],
            hidden=[hidden],
            none=none,
        )
        for name, value, shown, hidden, none in (
            ("offer_ids", "<shoes>", "<ann_shoes>", "<ann_everywhere>", {"offer_ids": "<socks>"}),
            ("only_global", 1, "<ann_everywhere>", "<ann_shoes>", {"only_global": 1, "offer_ids": "<socks>"}),
            ("after_id", "<ann_everywhere>", "<ann_shoes>", "<ann_everywhere>", {"after_id": 999999}),
        )
    ],
    sentence(
        "admin/postbacks: offer_ids and partner_id may name several",
        admin.get("/3.0/admin/postbacks", {"partner_id[]": ["<ann>", "<bob>"], "offer_ids": "<shoes>,<hats>"}),
        shows("postbacks[].id", "<ann_shoes>"),
        hides("postbacks[].id", "<bob_everywhere>"),
    ),
    narrowed(
        "partner/pixels: pid",
        admin.get("/3.0/partner/pixels"),
        "pixel{}.id",
        by={"pid": "<ann>"},
        shown=["<ann_pixel>"],
        hidden=["<bob_pixel>"],
        none={"pid": "<ina>"},
    ),
    [
        sentence(
            f"partner/pixels: moderation_status {status} shows pixels that are {word}",
            new_affiliate(),
            admin.post("/3.0/partner/pixel", {**PIXEL, "name": "a", "moderation_status": -1}).saving(bad="pixel.id"),
            admin.post("/3.0/partner/pixel", {**PIXEL, "name": "b", "moderation_status": 1}).saving(good="pixel.id"),
            admin.get("/3.0/partner/pixels", {"pid": "<own>", "moderation_status": status}),
            only("pixel{}.id", *shown),
        )
        for status, word, shown in (
            (-1, "rejected", ("<bad>",)),
            (2, "rejected, too", ("<bad>",)),
            (1, "accepted", ("<good>",)),
            (0, "waiting", ()),
        )
    ],
    narrowed(
        "smartlink/categories: id",
        admin.get("/3.0/admin/smartlink/categories", {"limit": 1000}),
        "data[]._id",
        by={"id[]": "<best>"},
        shown=["<best>"],
        hidden=["<rest>"],
        none={"id[]": "<nothing_hash>"},
    ),
    *[
        narrowed(
            f"admin/tickets: {name}",
            admin.get("/3.0/admin/tickets", {"limit": 1000}),
            "tickets[].id",
            by={name: value},
            shown=shown,
            hidden=hidden,
            none=none,
        )
        for name, value, shown, hidden, none in (
            ("search", "please open_tick", ["<open_ticket>"], ["<closed_ticket>"], {"search": "no such words"}),
            ("type", "offer", ["<open_ticket>", "<closed_ticket>"], [], {"type": "financial"}),
            ("pid[]", ["<una>", "<ina>"], ["<open_ticket>"], ["<closed_ticket>"], {"pid[]": "<ina>"}),
        )
    ],
    sentence(
        "admin/tickets: manager_id shows tickets of the affiliates of this manager",
        new_affiliate(),
        Caller("own").post("/3.0/partner/activation/offer", {"offer_id": "<hats>", "comment": "<unique>"}),
        admin.get("/3.0/admin/tickets", {"manager_id": "<mia>", "limit": 1000}),
        shows("tickets[].description", "<unique>"),
        hides("tickets[].id", "<open_ticket>"),
        admin.get("/3.0/admin/tickets", {"manager_id": "<sam>", "limit": 1000}),
        hides("tickets[].description", "<unique>"),
    ),
    *[
        narrowed(
            f"admin/partners: {name} {label}",
            admin.get("/3.0/admin/partners", {"limit": 1000}),
            "partners[].id",
            by={name: value},
            shown=shown,
            hidden=hidden,
        )
        for name, label, value, shown, hidden in (
            ("id[]", "as a list", ["<ann>", "<una>"], ["<ann>", "<una>"], ["<bob>"]),
            ("status[]", "as a list", ["banned", "not active"], ["<ban>", "<ina>"], ["<ann>"]),
            ("search", "by a part in any case", "BOB@affil", ["<bob>"], ["<ann>"]),
            ("search", "by the whole id", "<bob>", ["<bob>"], ["<una>"]),
        )
    ],
    *[
        narrowed(
            f"admin/users: q {label}",
            admin.get("/3.0/admin/users", {"limit": 1000}),
            "users[].id",
            by={"q": value},
            shown=["<mia>"],
            hidden=["<sam>"],
        )
        for label, value in (("by a part in any case", "MIA@st"), ("by the whole id", "<mia>"))
    ],
    [
        sentence(
            f"{path.partition('?')[0]}: an unknown parameter is named in the header and in warnings",
            admin.get(path, {"planet[]": "mars"}),
            header("X-Ignored-Parameters", "planet"),
            is_("warnings", lambda found: any("planet" in each for each in found)),
        )
        for path in IGNORED
    ],
    sentence("a list without unknown parameters has no warnings", admin.get("/3.0/admin/partners"), absent("warnings")),
    [
        sentence(
            f"{path}: {name} is for staff, so an affiliate's is named in the header and in warnings",
            ann.get(path, {**(PERIOD if "filter" in name else DAYS if "stats" in path else {}), name: value}),
            header("X-Ignored-Parameters", name.removesuffix("[]")),
            is_("warnings", lambda found, name=name: any(name.removesuffix("[]") in each for each in found)),
        )
        for path, name, value in STAFF_ONLY
    ],
    sentence(
        "an affiliate's filter for staff never shows what is not its own",
        una.get("/3.0/stats/conversions", {**DAYS, "partner[]": "<ann>"}),
        hides("conversions[].id", "<red_conversion>"),
        equal("pagination.page", 1),
    ),
)


@each_row(ROWS)
def test_endpoint_filters_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
