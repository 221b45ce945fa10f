"""Payment item of an offer."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import (
    Predicate,
    array_of,
    boolean,
    country_code,
    currency_code,
    integer,
    number,
    one_of,
    or_null,
    text,
)
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    empty,
    equal,
    exactly,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Payment item"
admin = Caller("admin")
CAPES = admin.get("/3.0/offer/<capes>")
NEW = {
    "title": "<unique>",
    "advertiser": "<shop>",
    "url": "https://a.example/",
    "payments[0][total]": 3,
    "payments[0][revenue]": 2,
}
FIELDS: dict[str, Predicate] = {
    "countries": array_of(country_code),
    "country_exclude": boolean,
    "cities": array_of(integer),
    "devices": array_of(text),
    "os": array_of(text),
    "goal": text,
    "goal_alias": text,
    "total": number,
    "revenue": number,
    "currency": currency_code,
    "type": one_of("fixed", "percent", "mixed"),
    "title": text,
    "url": text,
    "with_regions": boolean,
    **{f"sub{n}": text for n in range(1, 9)},
}
SENT = {
    "countries": ["ES"],
    "country_exclude": False,
    "devices": ["mobile", "tablet"],
    "os": ["Android"],
    "goal": "1",
    "goal_alias": "buy",
    "total": 10,
    "revenue": 7,
    "currency": "USD",
    "type": "fixed",
    "title": "Sale",
    "url": "https://capes.example/pay",
    "sub1": "one,two",
}


def add(params: Mapping[str, Any]) -> SpecRequest:
    """Create an offer with one payment."""
    return admin.post("/3.0/admin/offer", {**NEW, **params})


ROWS = table(
    typed("Payment", CAPES, "offer.payments[]", FIELDS),
    typed(
        "Personal payment",
        CAPES,
        "offer.partner_payments[]",
        {**FIELDS, "url": or_null(text), "partners": array_of(integer)},
    ),
    [
        sentence(f"Payment: {name} is what was sent", CAPES, equal(f"offer.payments[0].{name}", value))
        for name, value in SENT.items()
    ],
    sentence(
        "Personal payment: partners names the affiliates", CAPES, exactly("offer.partner_payments[0].partners", "<ann>")
    ),
    [
        sentence(
            f"Payment: devices accepts {device}",
            add({"payments[0][devices][]": device}),
            exactly("offer.payments[0].devices", device),
        )
        for device in ("mediahub", "mobile", "ereader", "console", "tv", "tablet", "desktop", "smartwatch")
    ],
    sentence(
        "Payment: devices refuses another value",
        add({"payments[0][devices][]": "toaster"}),
        refused(400, "payments[0][devices][0]"),
    ),
    [
        sentence(
            f"Payment: type accepts {kind}", add({"payments[0][type]": kind}), equal("offer.payments[0].type", kind)
        )
        for kind in ("fixed", "percent", "mixed")
    ],
    sentence(
        "Payment: type refuses another value", add({"payments[0][type]": "gift"}), refused(400, "payments[0][type]")
    ),
    sentence("Payment: currency refuses what is not a code", add({"payments[0][currency]": "Dollar"}), refused(400)),
    sentence(
        "Payment: country_exclude turns countries around",
        add({"payments[0][countries][]": "DE", "payments[0][country_exclude]": 1}),
        equal("offer.payments[0].country_exclude", True),
        exactly("offer.payments[0].countries", "DE"),
    ),
    sentence(
        "Payment: with_regions is kept",
        add({"payments[0][with_regions]": 1}),
        equal("offer.payments[0].with_regions", True),
    ),
    sentence(
        "Payment: cities are ids",
        add({"payments[0][countries][]": "DE", "payments[0][cities][]": 2950159}),
        exactly("offer.payments[0].cities", 2950159),
    ),
    [
        sentence(
            f"Payment: sub{n} has comma-separated values",
            add({f"payments[0][sub{n}]": "a,b"}),
            equal(f"offer.payments[0].sub{n}", "a,b"),
        )
        for n in range(1, 9)
    ],
    [
        sentence(
            f"an empty string in {name} of a payment clears the stored items",
            add({f"payments[0][{name}][]": values}).saving(made="offer.id"),
            admin.post(
                "/3.0/admin/offer/<made>",
                {"payments[0][total]": 3, "payments[0][revenue]": 2, f"payments[0][{name}]": ""},
            ),
            empty(f"offer.payments[0].{name}"),
        )
        for name, values in {"countries": ["DE"], "devices": ["mobile"], "os": ["Android"]}.items()
    ],
)


@each_row(ROWS)
def test_offer_payment_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
