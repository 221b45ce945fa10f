"""Commission tier item of an offer."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import array_of, country_code, integer, number, text
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    empty,
    equal,
    exactly,
    is_,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Commission tier item"
admin = Caller("admin")
CAPES = admin.get("/3.0/offer/<capes>")
NEW = {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/", "enabled_commission_tiers": 1}
TIER = {"timeframe": "day", "type": "conversions", "value": 3, "modifier_type": "by_fix", "modifier_value": 1}
VALUES = {
    "timeframe": ("day", "week", "month", "all"),
    "type": ("budget", "conversions"),
    "modifier_type": ("by_fix", "by_percent", "to_fix", "to_percent"),
    "modifier_payment_type": ("payout", "total", "payout_and_total"),
    "affiliate_type": ("all", "each"),
}


def add(tier: Mapping[str, Any]) -> SpecRequest:
    """Create an offer with one tier."""
    given = {f"commission_tiers[0][{name}]": value for name, value in {**TIER, **tier}.items()}
    return admin.post("/3.0/admin/offer", {**NEW, **given})


ROWS = table(
    typed(
        "Tier",
        CAPES,
        "offer.commission_tiers[]",
        {
            "timeframe": text,
            "type": text,
            "value": number,
            "modifier_type": text,
            "modifier_value": number,
            "modifier_payment_type": text,
            "goals": array_of(text),
            "target_goals": array_of(text),
            "affiliate_type": text,
            "affiliates": array_of(integer),
            "countries": array_of(country_code),
            "conversion_status": array_of(text),
        },
    ),
    [
        sentence(f"Tier: {name} accepts {value}", add({name: value}), equal(f"offer.commission_tiers[0].{name}", value))
        for name, values in VALUES.items()
        for value in values
    ],
    [
        sentence(
            f"Tier: {name} refuses another value", add({name: "other"}), refused(400, f"commission_tiers[0][{name}]")
        )
        for name in VALUES
    ],
    sentence(
        "Tier: modifier_payment_type is payout by default",
        add({}),
        equal("offer.commission_tiers[0].modifier_payment_type", "payout"),
    ),
    sentence(
        "Tier: affiliate_type is each by default", add({}), equal("offer.commission_tiers[0].affiliate_type", "each")
    ),
    [
        sentence(
            f"Tier: conversion_status accepts {status}",
            add({"conversion_status][": status}),
            exactly("offer.commission_tiers[0].conversion_status", status),
        )
        for status in ("confirmed", "pending", "declined", "hold")
    ],
    sentence(
        "Tier: affiliates, countries, goals and target_goals are kept",
        CAPES,
        exactly("offer.commission_tiers[0].affiliates", "<ann>"),
        exactly("offer.commission_tiers[0].countries", "ES"),
        exactly("offer.commission_tiers[0].goals", "1"),
        exactly("offer.commission_tiers[0].target_goals", "1"),
    ),
    sentence(
        "on edit the list replaces the stored list",
        add({}).saving(made="offer.id"),
        admin.post(
            "/3.0/admin/offer/<made>",
            {f"commission_tiers[0][{name}]": value for name, value in {**TIER, "value": 99}.items()},
        ),
        is_("offer.commission_tiers", lambda tiers: [tier["value"] for tier in tiers] == [99]),
    ),
    sentence(
        "an empty field deletes the tiers",
        add({}).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/<made>", {"commission_tiers": ""}),
        empty("offer.commission_tiers"),
    ),
)


@each_row(ROWS)
def test_offer_tier_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
