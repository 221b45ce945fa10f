"""Click: the fields of a record of the list."""

from tests.conformance.predicates import Predicate, date_and_time, digits, either, flag, hash_id, having, or_null, text
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    each_row,
    equal,
    every,
    hides,
    only,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Click"
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
admin, ann = Caller("admin"), Caller("ann")
LIST = admin.get("/3.0/stats/clicks", {**DAYS, "limit": 1000})
FIELDS: dict[str, Predicate] = {
    "id": hash_id,
    "ip": text,
    "ua": text,
    "country": text,
    "city": text,
    "device": text,
    "os": text,
    "browser": text,
    "referrer": text,
    **{f"sub{n}": text for n in range(1, 6)},
    "offer": having("id", "offer_id", "title"),
    "conversion_id": either(text, or_null(text)),
    "ios_idfa": text,
    "android_id": text,
    "created_at": date_and_time,
    "uniq": flag,
    "cbid": text,
}
RED = {
    "ip": "217.0.0.10",
    "country": "DE",
    "city": "Berlin",
    "device": "mobile",
    "os": "iOS",
    "browser": "Mobile Safari",
    "referrer": "https://page.example/about",
    "sub1": "red",
    "sub2": "warm",
    "sub3": "s3",
    "sub4": "s4",
    "sub5": "s5",
    "offer.id": "<shoes>",
    "offer.offer_id": "<shoes_hash>",
    "offer.title": "Shoes",
    "ios_idfa": "IDFA-1",
    "android_id": "AID-1",
    "uniq": 1,
    "cbid": "<red>",
}

ROWS = table(
    typed("Click", LIST, "clicks[]", FIELDS),
    [
        sentence(f"Click: {name} is that of the visit", LIST, equal(f"clicks[id=<red>].{name}", value))
        for name, value in RED.items()
    ],
    sentence(
        "Click: conversion_id names the conversion of the click",
        LIST,
        equal("clicks[id=<red>].conversion_id", "<red_conversion>"),
    ),
    sentence("Click: uniq is 0 for a second click of a visitor", LIST, equal("clicks[id=<pink>].uniq", 0)),
    sentence("Click: a rejected click is not in the list", LIST, hides("clicks[].offer.id", "<gloves>")),
    sentence(
        "Click: an affiliate's list has its own clicks alone",
        ann.get("/3.0/stats/clicks", DAYS),
        only("clicks[].id", "<red>", "<blue>", "<gold>", "<pink>"),
    ),
    sentence("Click: partner_id is text", LIST, every("clicks[].partner_id", digits)),
    sentence(
        "Click: offer has url for staff",
        LIST,
        equal("clicks[id=<red>].offer.url", "https://shoes.example/?c={clickid}"),
    ),
    sentence(
        "Click: offer has no url for an affiliate", ann.get("/3.0/stats/clicks", DAYS), absent("clicks[].offer.url")
    ),
)


@each_row(ROWS)
def test_click_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
