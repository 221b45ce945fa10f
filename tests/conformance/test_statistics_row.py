"""Statistics row: its fields, and what they count and sum."""

from tests.conformance.predicates import digits, integer, mapping, number, text
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    all_equal,
    each_row,
    equal,
    every,
    present,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Statistics row"
DAYS = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>", "filter[partner][]": ["<ann>", "<bob>"]}
PERIOD = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
admin, ann = Caller("admin"), Caller("ann")
REPORT = admin.get("/3.0/stats/getbyprogram", DAYS)
ON_SHOES = REPORT.adding({"filter[offer]": "<shoes>"})
ANN_ON_SHOES = ann.get("/3.0/stats/getbyprogram", {**PERIOD, "filter[offer]": "<shoes>"})
CONNECTION = admin.get("/3.1/stats/getbyconnectiontype", DAYS)
TRAFFICBACK = admin.get("/3.0/stats/getbytrafficback", PERIOD)
GLOVES = TRAFFICBACK.adding({"filter[offer]": "<gloves>"})
KINDS = ("total", "confirmed", "pending", "declined", "not_found", "hold")
MEASURES = {"revenue": number, "charge": number, "earning": number, "null": integer, "count": integer}


ROWS = table(
    typed("Row", REPORT, "stats[]", {"slice": mapping, "traffic": mapping, "actions": mapping}),
    typed("Row", REPORT, "stats[].traffic", {"raw": digits, "uniq": digits}),
    [
        sentence(
            f"Row: actions.{kind}.{name} is {judge.__name__}", REPORT, every(f"stats[].actions.{kind}.{name}", judge)
        )
        for kind in KINDS
        for name, judge in MEASURES.items()
    ],
    sentence("3.0: actions has not_found", REPORT, present("stats[].actions.not_found")),
    sentence(
        "3.1: actions has no not_found", admin.get("/3.1/stats/getbyprogram", DAYS), absent("stats[].actions.not_found")
    ),
    sentence("traffic.raw counts clicks", ON_SHOES, equal("stats[0].traffic.raw", "4")),
    sentence("traffic.uniq counts unique clicks", ON_SHOES, equal("stats[0].traffic.uniq", "3")),
    [
        sentence(
            f"actions.{kind}.count counts conversions of shoes that are {kind}",
            ON_SHOES,
            equal(f"stats[0].actions.{kind}.count", count),
        )
        for kind, count in {"total": 4, "confirmed": 1, "pending": 1, "declined": 0, "hold": 1, "not_found": 1}.items()
    ],
    [
        sentence(
            f"actions.{kind}.charge sums what the advertiser pays for {kind} ones",
            ON_SHOES,
            equal(f"stats[0].actions.{kind}.charge", amount),
        )
        for kind, amount in {
            "total": 34,
            "confirmed": 10,
            "pending": 4,
            "declined": 0,
            "hold": 10,
            "not_found": 10,
        }.items()
    ],
    [
        sentence(
            f"actions.{kind}.earning is what the platform keeps of {kind} ones",
            ON_SHOES,
            equal(f"stats[0].actions.{kind}.earning", amount),
        )
        for kind, amount in {
            "total": 10,
            "confirmed": 3,
            "pending": 1,
            "declined": 0,
            "hold": 3,
            "not_found": 3,
        }.items()
    ],
    sentence("actions.total.revenue is the advertiser's side", ON_SHOES, equal("stats[0].actions.total.revenue", 34)),
    sentence(
        "actions.total.null counts conversions without a payout", ON_SHOES, equal("stats[0].actions.total.null", 0)
    ),
    sentence(
        "3.1 counts a not_found conversion as declined",
        admin.get("/3.1/stats/getbyprogram", {**DAYS, "filter[offer]": "<shoes>"}),
        equal("stats[0].actions.declined.count", 1),
        equal("stats[0].actions.total.count", 4),
    ),
    sentence(
        "a declined conversion is counted in its own group",
        admin.get("/3.0/stats/getbyprogram", {**DAYS, "filter[offer]": "<socks>"}),
        equal("stats[0].actions.declined.count", 1),
        equal("stats[0].actions.confirmed.count", 0),
    ),
    sentence(
        "connection-type rows add ratio and epc", CONNECTION, every("stats[].ratio", text), every("stats[].epc", number)
    ),
    typed("Trafficback row", TRAFFICBACK, "stats[]", {"views": integer, "ctr": number, "trafficback": integer}),
    sentence("Trafficback row: actions is an empty array", TRAFFICBACK, all_equal("stats[].actions", [])),
    sentence("Trafficback row: trafficback counts rejected clicks", GLOVES, equal("stats[0].trafficback", 2)),
    sentence("a rejected click is not a raw click", TRAFFICBACK, all_equal("stats[].traffic.raw", "0")),
    sentence("an affiliate sees its payouts as revenue", ANN_ON_SHOES, equal("stats[0].actions.total.revenue", 10)),
    sentence("an affiliate never sees a charge", ANN_ON_SHOES, equal("stats[0].actions.total.charge", 0)),
    sentence("an affiliate never sees an earning", ANN_ON_SHOES, equal("stats[0].actions.total.earning", 0)),
    sentence("an affiliate's row counts its own clicks alone", ANN_ON_SHOES, equal("stats[0].traffic.raw", "3")),
    typed(
        "Row",
        REPORT,
        "stats[].cr",
        dict.fromkeys(("total", "confirmed", "pending", "declined", "hold", "not_found"), number),
        form="3.0",
    ),
    sentence(
        "Row (3.1): cr has no not_found",
        admin.get("/3.1/stats/getbyprogram", DAYS),
        absent("stats[].cr.not_found"),
        every("stats[].cr.total", number),
    ),
    [
        sentence(
            f"cr.{kind} is the percentage of clicks with conversions that are {kind}",
            ON_SHOES,
            equal(f"stats[0].cr.{kind}", percent),
        )
        for kind, percent in {
            "total": 100,
            "confirmed": 25,
            "pending": 25,
            "declined": 0,
            "hold": 25,
            "not_found": 25,
        }.items()
    ],
)


@each_row(ROWS)
def test_statistics_row_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
