"""Endpoints: orders, names and empty values of answers, and what writes refuse."""

from typing import Any

from tests.conformance.predicates import array, having, number
from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecRequest,
    SpecSentence,
    absent,
    all_equal,
    body_has,
    body_lacks,
    each_row,
    empty,
    equal,
    every,
    header,
    holds,
    is_,
    present,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.shared_steps import DAYS, offer
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: orders, names and empty values"
admin, ann, una = Caller("admin"), Caller("ann"), Caller("una")
PERIOD = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
TRAFFIC = {**PERIOD, "filter[offer][]": ["<shoes>", "<hats>", "<socks>"], "filter[partner][]": ["<ann>", "<bob>"]}
CUSTOM, PARTNER, INVOICE = "/3.0/stats/custom", "/3.0/admin/partner", "/3.0/admin/advertiser-invoice"
ORDERS = [
    ("advertiser", "advertiser.title", ["Mill", "Shop"]),
    ("offer", "offer.title", ["Hats", "Shoes", "Socks"]),
    ("affiliate", "affiliate.login", ["ann-login", "bob-login"]),
    ("manager", "manager.first_name", ["Mia", "Undefined"]),
]
MERGED = admin.get("/3.0/stats/caps", {"offer_id[]": "<capes>", "fields[]": ["stats", "stats_merged"]})
NO_CAPS = admin.get("/3.0/stats/caps", {"offer_id[]": "<shoes>", "fields[]": "stats_merged"})
LINE = {
    "supplier_id": "<shop>",
    "currency": "USD",
    "detail[0][offer_id]": "<shoes>",
    "detail[0][payout_type]": "RPA",
    "detail[0][amount]": 1,
}
HIDDEN = ("revenue", "earnings", "price", "advertiser", "supplier_id")


def ordered(slice_: str, way: str) -> SpecRequest:
    """Custom statistics, ordered by their slice."""
    return admin.get(CUSTOM, {**TRAFFIC, "slice[]": slice_, "order[]": slice_, "orderType": way})


def shown(path: str, values: list[str]) -> AnswerCheck:
    """The slices have these values, in this order."""
    parts = path.split(".")

    def agree(body: Any) -> bool:
        return [row["slice"][parts[0]][parts[1]] for row in body["stats"]] == values

    return holds(agree)


def merged_is_named(body: Any) -> bool:
    """The top-level figures are those of the named cap, with its limit."""
    merged = next(iter(body["offers"].values()))["stats_merged"]
    named = merged["caps"][merged["cap_id"]]
    return all(merged[name] == named[name] for name in ("cap_val", "min", "max", "avg"))


def newcomer(name: str, ref: str = "") -> SpecRequest:
    """Create an affiliate, referred by another one of the row."""
    given = {"email": f"<unique>@{name}.example", "password": "<password>"} | ({"ref": ref} if ref else {})
    return admin.post(PARTNER, given).saving(**{name: "partner.id"})


ROWS = table(
    [
        sentence(
            f"custom: order by {slice_} {way} sorts by the shown title",
            ordered(slice_, way),
            shown(path, values if way == "asc" else values[::-1]),
        )
        for slice_, path, values in ORDERS
        for way in ("asc", "desc")
    ],
    [
        sentence(
            f"custom: slice {slice_} answers under {key}",
            admin.get(CUSTOM, {**TRAFFIC, "slice[]": slice_}),
            every(f"stats[].slice.{key}", having("id")),
        )
        for slice_, key in (("manager", "manager"), ("manager", "affiliate_manager_id"), ("advertiser", "advertiser"))
    ],
    sentence(
        "custom: both names of slice manager have the same value",
        admin.get(CUSTOM, {**TRAFFIC, "slice[]": "manager"}),
        is_("stats", lambda rows: all(r["slice"]["manager"] == r["slice"]["affiliate_manager_id"] for r in rows)),
    ),
    sentence(
        "custom: files have the slice manager under both names",
        admin.get(CUSTOM, {**TRAFFIC, "slice[]": "manager", "format": "csv"}),
        body_has("manager.id,manager.first_name"),
        body_has(",affiliate_manager_id.id,affiliate_manager_id.first_name"),
    ),
    sentence("Cap stats (3.0): stats_merged names the cap that it is of", MERGED, holds(merged_is_named)),
    [
        sentence(
            f"Cap stats (3.0): {name} of stats_merged is that of the named cap",
            MERGED,
            holds(
                lambda body, name=name: (
                    next(iter(body["offers"].values()))["stats_merged"][name]
                    in [each[name] for each in next(iter(body["offers"].values()))["stats"]]
                )
            ),
        )
        for name in ("cap_id", "period", "type", "value")
    ],
    sentence(
        "Cap stats (3.0): stats_merged has the figures of each cap",
        MERGED,
        is_("offers.<capes>.stats_merged.caps", lambda caps: len(caps) == 2),
        every("offers.<capes>.stats_merged.caps{}.cap_val", number),
    ),
    [
        sentence(
            f"Cap stats (3.0): {name} of stats_merged is null for an offer without caps",
            NO_CAPS,
            equal(f"offers.<shoes>.stats_merged.{name}", None),
        )
        for name in ("cap_id", "period", "type", "value")
    ],
    [
        sentence(
            f"Conversion ({version}): {name} is null for an affiliate",
            ann.get(f"/{version}/stats/conversions", DAYS),
            all_equal(f"conversions[].{name}", None),
        )
        for version in ("3.0", "3.1")
        for name in HIDDEN
    ],
    [
        sentence(
            f"Conversion by id: {name} is null for an affiliate",
            ann.get("/3.1/stats/conversionsbyid", {"id": "<red_conversion>"}),
            equal(f"conversion.{name}", None),
        )
        for name in (*HIDDEN, "charge", "earning")
    ],
    sentence(
        "conversions: an affiliate's export has these columns, empty",
        ann.get("/3.1/stats/conversions", {**DAYS, "format": "csv"}),
        body_has("revenue"),
        body_has("earnings"),
        body_lacks("<shop>"),
    ),
    sentence(
        "find-subs lists combinations of all subs that are sent",
        admin.get("/3.0/stats/find-subs", {"sub1": "r", "sub6": "s", "sub8": "s"}),
        shows("subs[].sub6", "s6"),
        shows("subs[].sub8", "s8"),
    ),
    sentence(
        "find-subs: a combination that no click has shows none",
        admin.get("/3.0/stats/find-subs", {"sub1": "blue", "sub6": "s"}),
        empty("subs"),
    ),
    sentence(
        "find-subs: an empty sub is named as ignored",
        admin.get("/3.0/stats/find-subs", {"sub1": "r", "sub7": ""}),
        is_("warnings", lambda found: any("sub7" in each for each in found)),
    ),
    [
        sentence(
            f"{path}: status takes {what}",
            admin.get(path, {**DAYS, "status": value}),
            is_("postbacks", array),
        )
        for path in ("/3.0/stats/serverpostbacks", "/3.0/stats/affiliatepostbacks")
        for what, value in (("a name", "confirmed"), ("a number", 1))
    ],
    sentence(
        "3.1: not_found is not a status of a log",
        admin.get("/3.1/stats/affiliatepostbacks", {**DAYS, "status": "not_found"}),
        refused(400, "status"),
    ),
    sentence(
        "POST admin/partner: a ring of three referrers is refused",
        newcomer("one"),
        newcomer("two", "<one>"),
        newcomer("three", "<two>"),
        admin.post(f"{PARTNER}/<one>", {"ref": "<three>"}),
        refused(400, "ref"),
        admin.get(f"{PARTNER}/<one>"),
        equal("partner.ref", "0"),
    ),
    sentence(
        "POST admin/partner: nobody refers itself",
        newcomer("one"),
        admin.post(f"{PARTNER}/<one>", {"ref": "<one>"}),
        refused(400, "ref"),
    ),
    sentence(
        "POST admin/partner: ref 0 takes the referrer away",
        newcomer("one", "<ann>"),
        admin.post(f"{PARTNER}/<one>", {"ref": 0}),
        equal("partner.ref", "0"),
    ),
    sentence(
        "Invoice: an edit refuses a line of another advertiser's offer",
        admin.post(INVOICE, LINE).saving(made="number"),
        admin.post(f"{INVOICE}/<made>", {**LINE, "detail[0][offer_id]": "<hats>"}),
        refused(400, "detail[0][offer_id]"),
        admin.post(f"{INVOICE}/<made>", {**LINE, "supplier_id": "<mill>"}),
        refused(400, "detail[0][offer_id]"),
    ),
    sentence(
        "partner/offers: required_approval is false again for one who was connected again",
        offer(),
        admin.post("/3.0/offer/disable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
        una.get("/3.0/partner/offers", {"int_id[]": "<made>"}),
        equal("offers[0].required_approval", True),
        admin.post("/3.0/offer/enable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
        una.get("/3.0/partner/offers", {"int_id[]": "<made>"}),
        equal("offers[0].required_approval", False),
    ),
    sentence(
        "live-offers hides an offer from one who was taken off it",
        offer(),
        admin.post("/3.0/offer/disable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
        una.get("/3.0/partner/live-offers", {"int_id[]": "<made>"}),
        empty("offers"),
    ),
    [
        sentence(
            f"{path}: an equal repetition of {name} is one value",
            admin.get(f"{path}?{name}=<today>&{name}=<today>", rest),
            equal("status", 1),
        )
        for path, name, rest in (("/3.0/stats/clicks", "date_from", {"date_to": "<today>"}),)
    ],
    sentence(
        "a parameter of one value that has several is refused",
        admin.get("/3.0/stats/clicks?date_from=<today>&date_from=<yesterday>", {"date_to": "<today>"}),
        refused(400, "date_from"),
    ),
    sentence(
        "a filter of an affiliate that it may use is in no header",
        ann.get("/3.0/stats/getbyprogram", {**PERIOD, "filter[offer]": "<shoes>"}),
        absent("warnings"),
        present("stats[0].cr"),
    ),
    sentence(
        "several ignored parameters are all named",
        admin.get("/3.0/stats/getbyprogram", {**PERIOD, "filter[planet]": "x", "moon": "y"}),
        header("X-Ignored-Parameters", "filter[planet]"),
        header("X-Ignored-Parameters", "moon"),
    ),
)


@each_row(ROWS)
def test_endpoint_details_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
