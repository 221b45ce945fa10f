"""Cap item of an offer."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import array_of, country_code, integer, mapping_or_empty, number, text
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    equal,
    exactly,
    is_,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Cap item"
admin = Caller("admin")
CAPES = admin.get("/3.0/offer/<capes>")
NEW = {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}
DAY = {"period": "day", "type": "conversions", "value": 3}


def add(cap: Mapping[str, Any]) -> SpecRequest:
    """Create an offer with one cap."""
    return admin.post("/3.0/admin/offer", {**NEW, **{f"caps[0][{name}]": value for name, value in cap.items()}})


def empty_map(value: Any) -> bool:
    return value in ({}, [])


ROWS = table(
    typed(
        "Cap",
        CAPES,
        "offer.caps[]",
        {
            "period": text,
            "type": text,
            "value": number,
            "goal_type": text,
            "goals": mapping_or_empty,
            "affiliate_type": text,
            "affiliates": array_of(integer),
            "country_type": text,
            "country": array_of(country_code),
        },
    ),
    sentence("Cap: goals shows a map of goal value to name", CAPES, equal("offer.caps[0].goals", {"1": "Sale"})),
    sentence("Cap: affiliates are integer ids", CAPES, exactly("offer.caps[0].affiliates", "<ann>")),
    sentence("Cap: country has codes", CAPES, exactly("offer.caps[0].country", "ES")),
    sentence("Cap: value of a budget is a decimal number", CAPES, equal("offer.caps[1].value", 500.5)),
    [
        sentence(f"Cap: period accepts {period}", add({**DAY, "period": period}), equal("offer.caps[0].period", period))
        for period in ("hour", "day", "month", "all")
    ],
    [
        sentence(f"Cap: type accepts {kind}", add({**DAY, "type": kind}), equal("offer.caps[0].type", kind))
        for kind in ("budget", "conversions", "clicks")
    ],
    [
        sentence(f"Cap: {name} accepts {value}", add({**DAY, name: value}), equal(f"offer.caps[0].{name}", value))
        for name in ("goal_type", "affiliate_type", "country_type")
        for value in ("all", "each")
    ],
    [
        sentence(f"Cap: {name} refuses another value", add({**DAY, name: "week-end"}), refused(400, f"caps[0][{name}]"))
        for name in ("period", "type", "goal_type", "affiliate_type", "country_type")
    ],
    sentence(
        "Cap: goals is required when goal_type is exact",
        add({**DAY, "goal_type": "exact"}),
        refused(400, "caps[0][goals]"),
    ),
    sentence(
        "Cap: affiliates is required when affiliate_type is exact",
        add({**DAY, "affiliate_type": "exact"}),
        refused(400, "caps[0][affiliates]"),
    ),
    sentence(
        "Cap: country is required when country_type is exact",
        add({**DAY, "country_type": "exact"}),
        refused(400, "caps[0][country]"),
    ),
    sentence("Cap: goals is empty when goal_type is not exact", add(DAY), is_("offer.caps[0].goals", empty_map)),
    sentence(
        "a personal daily limit names an affiliate and its cap",
        admin.post("/3.0/admin/offer", {**NEW, "personal_limits[0][partner]": "<ann>", "personal_limits[0][caps]": 5}),
        equal("offer.personal_limits[0].partner", "<ann>"),
        equal("offer.personal_limits[0].caps", 5),
    ),
)


@each_row(ROWS)
def test_offer_cap_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
