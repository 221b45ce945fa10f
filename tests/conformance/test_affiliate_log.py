"""Affiliate postback log: its records."""

from tests.conformance.predicates import hash_id, integer, mapping_or_empty, moment, or_null, text
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    each_row,
    every,
    is_,
    only,
    present,
    sentence,
    shows,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Affiliate postback log record"
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
admin = Caller("admin")
LIST = admin.get("/3.0/stats/affiliatepostbacks", {**DAYS, "partner[]": "<ann>"})
RED = admin.get("/3.0/stats/affiliatepostbacks", {**DAYS, "partner[]": "<ann>", "offer[]": "<shoes>", "goal": "1"})

ROWS = table(
    typed(
        "Affiliate log",
        LIST,
        "postbacks[]",
        {
            "_get": or_null(mapping_or_empty),
            "_post": or_null(mapping_or_empty),
            "date": moment,
            "pid": integer,
            "lead_id": hash_id,
            "http_code": integer,
            "postback_url": text,
            "offer_id": integer,
            "job_id": text,
            "goal": text,
            "status": integer,
        },
    ),
    sentence("Affiliate log: _id.$id is the record's id", LIST, every("postbacks[]._id.$id", hash_id)),
    sentence("Affiliate log: lead_id is the conversion's id", RED, shows("postbacks[].lead_id", "<red_conversion>")),
    sentence(
        "Affiliate log: postback_url is the URL with its macros filled",
        RED,
        shows("postbacks[].postback_url", "<receiver>/ann_shoes?c=<red>&s=1"),
    ),
    sentence("Affiliate log: status is the conversion's status as a number", RED, shows("postbacks[].status", 1)),
    sentence("Affiliate log: http_code is the receiver's answer", RED, only("postbacks[].http_code", 200)),
    sentence("Affiliate log: goal is the conversion's", RED, shows("postbacks[].goal", "1")),
    sentence(
        "Affiliate log: a call for another status has that status",
        LIST,
        shows("postbacks[].postback_url", "<receiver>/ann_shoes?c=<blue>&s=2"),
    ),
    [
        sentence(f"Affiliate log: {name} is there", LIST, present(f"postbacks[].{name}"))
        for name in ("payouts", "revenue", "currency")
    ],
    sentence(
        "Affiliate log: an affiliate sees its payout",
        Caller("ann").get("/3.0/stats/affiliatepostbacks", {**DAYS, "offer[]": "<shoes>", "goal": "1"}),
        is_("postbacks[0].payouts", lambda amount: float(amount) == 7),
    ),
)


@each_row(ROWS)
def test_affiliate_log_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
