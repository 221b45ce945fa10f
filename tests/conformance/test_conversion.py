"""Conversion: the form of the list, and the form by id with what it adds."""

from tests.conformance.predicates import (
    Predicate,
    currency_code,
    date_and_time,
    hash_id,
    having,
    integer,
    number,
    one_of,
    or_null,
    text,
)
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    all_equal,
    answers,
    each_row,
    equal,
    is_,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Conversion"
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
admin, ann, bob = Caller("admin"), Caller("ann"), Caller("bob")
LIST = admin.get("/3.0/stats/conversions", {**DAYS, "limit": 1000})
BY_ID = admin.get("/3.1/stats/conversionsbyid", {"id": "<red_conversion>"})
OFFER = {
    "title": "<unique>",
    "advertiser": "<shop>",
    "url": "https://a.example/",
    "payments[0][total]": 1,
    "payments[0][revenue]": 1,
}
FIELDS: dict[str, Predicate] = {
    "id": hash_id,
    "action_id": text,
    "currency": currency_code,
    "goal": text,
    "country": text,
    "district": or_null(text),
    "city": text,
    "ip": text,
    "browser": text,
    "os": text,
    "device": text,
    "offer": or_null(having("id", "offer_id", "title", "preview_url")),
    "offer_id": integer,
    "ios_idfa": text,
    "android_id": text,
    **{f"sub{n}": text for n in range(1, 6)},
    **{f"custom_field_{n}": text for n in range(1, 8)},
    "ua": text,
    "comment": text,
    "created_at": date_and_time,
    "click_time": date_and_time,
    "referrer": text,
    "payouts": number,
    "clickid": hash_id,
    "partner": having("id", "email", "login", "name"),
    "goal_value": text,
    "sum": number,
    "revenue": number,
    "earnings": number,
    "advertiser": having("id", "title"),
    "payment_status": text,
    "is_paid": text,
    "forensiq": or_null(text),
    "payment_type": text,
    "hold_date_expire": or_null(date_and_time),
}
MORE: dict[str, Predicate] = {
    "status": integer,
    "conversion_id": text,
    "cbid": text,
    "country_name": text,
    "city_id": integer,
    "isp_code": text,
    "device_type": text,
    "sub6": text,
    "sub7": text,
    "sub8": text,
    "prelanding_id": or_null(integer),
    "createdAt": date_and_time,
    "updatedAt": date_and_time,
    "price": or_null(number),
    "supplier_id": hash_id,
    "partner_id": integer,
    "charge": number,
    "earning": number,
    "click_id": hash_id,
    "partner": having("id", "email", "login", "name", "manager"),
    "offer": having("id", "offer_id", "title", "preview_url", "url"),
}
STATUSES = {"red": "confirmed", "blue": "pending", "green": "declined", "gray": "hold", "lost": "not_found"}
NUMBERS = {
    "red": ("confirmed", 1),
    "blue": ("pending", 2),
    "green": ("declined", 3),
    "lost": ("not_found", 4),
    "gray": ("hold", 5),
}
RED = {
    "action_id": "order-red",
    "currency": "USD",
    "goal": "Sale",
    "goal_value": "1",
    "country": "DE",
    "city": "Berlin",
    "ip": "217.0.0.10",
    "browser": "Mobile Safari",
    "os": "iOS",
    "device": "mobile",
    "offer.id": "<shoes>",
    "offer.title": "Shoes",
    "offer_id": "<shoes>",
    "ios_idfa": "IDFA-1",
    "android_id": "AID-1",
    "sub1": "red",
    "sub2": "warm",
    "sub3": "s3",
    "sub4": "s4",
    "sub5": "s5",
    "custom_field_1": "field 1",
    "custom_field_7": "field 7",
    "comment": "thanks",
    "referrer": "https://page.example/about",
    "payouts": 7,
    "revenue": 10,
    "earnings": 3,
    "clickid": "<red>",
    "partner.id": "<ann>",
    "partner.email": "ann@affiliate.example",
    "partner.login": "ann-login",
    "advertiser.id": "<shop>",
    "advertiser.title": "Shop",
    "payment_type": "fixed",
}
RED_BY_ID = {
    "conversion_id": "<red_conversion>",
    "country_name": "Germany",
    "city_id": 2950159,
    "isp_code": "Deutsche Telekom",
    "device_type": "mobile",
    "sub6": "s6",
    "sub7": "s7",
    "sub8": "s8",
    "supplier_id": "<shop>",
    "partner_id": "<ann>",
    "charge": 10,
    "earning": 3,
    "click_id": "<red>",
    "partner.manager.id": "<mia>",
    "offer.url": "https://shoes.example/?c={clickid}",
}

ROWS = table(
    typed(
        "Conversion",
        LIST,
        "conversions[]",
        FIELDS | {"status": one_of("confirmed", "pending", "declined", "not_found", "hold")},
        form="list",
    ),
    typed("Conversion", BY_ID, "conversion", FIELDS | MORE, form="by id"),
    [
        sentence(
            f"a conversion that is {status} has this status in the list",
            LIST,
            equal(f"conversions[id=<{name}_conversion>].status", status),
        )
        for name, status in STATUSES.items()
    ],
    [
        sentence(
            f"by id the status {status} is {number_}",
            admin.get("/3.0/stats/conversionsbyid", {"id": f"<{name}_conversion>"}),
            equal("conversion.status", number_),
        )
        for name, (status, number_) in NUMBERS.items()
    ],
    [
        sentence(
            f"Conversion: {name} is that of the click or the postback",
            LIST,
            equal(f"conversions[id=<red_conversion>].{name}", value),
        )
        for name, value in RED.items()
    ],
    [
        sentence(
            f"Conversion by id: {name} is that of the click or the postback", BY_ID, equal(f"conversion.{name}", value)
        )
        for name, value in RED_BY_ID.items()
    ],
    sentence(
        "Conversion: offer is null when the offer no longer exists",
        admin.post("/3.0/admin/offer", OFFER).saving(gone="offer.id"),
        admin.post(
            "/3.0/admin/conversion/import",
            {"offer": "<gone>", "pid": "<una>", "action_id": "<unique>", "status": "pending"},
        ),
        admin.get("/3.0/stats/conversions", {"action_id": "<unique>"}).eventually(),
        equal("conversions[0].offer.id", "<gone>"),
        admin.post("/3.0/admin/offer/delete", {"offer_id[]": "<gone>"}),
        admin.get("/3.0/stats/conversions", {"action_id": "<unique>"}),
        equal("conversions[0].offer", None),
    ),
    sentence(
        "a percent payment gives parts of the sum",
        LIST,
        equal("conversions[id=<gold_conversion>].revenue", 10),
        equal("conversions[id=<gold_conversion>].payouts", 5),
        equal("conversions[id=<gold_conversion>].sum", 50),
    ),
    sentence(
        "an unknown id is not found", admin.get("/3.0/stats/conversionsbyid", {"id": "<nothing_hash>"}), answers(404)
    ),
    sentence(
        "an affiliate sees its own conversion by id",
        ann.get("/3.1/stats/conversionsbyid", {"id": "<red_conversion>"}),
        equal("conversion.payouts", 7),
    ),
    sentence(
        "an affiliate does not see another's conversion by id",
        bob.get("/3.1/stats/conversionsbyid", {"id": "<red_conversion>"}),
        answers(404),
    ),
    sentence(
        "3.1 shows a not_found conversion as declined",
        admin.get("/3.1/stats/conversions", {**DAYS, "limit": 1000}),
        equal("conversions[id=<lost_conversion>].status", "declined"),
    ),
    sentence(
        "3.1 shows a not_found conversion by id as declined (3)",
        admin.get("/3.1/stats/conversionsbyid", {"id": "<lost_conversion>"}),
        equal("conversion.status", 3),
    ),
    sentence("Conversion (by id): landing_id is null where there is none", BY_ID, equal("conversion.landing_id", None)),
    sentence("Conversion (by id): currency_id is text", BY_ID, is_("conversion.currency_id", text)),
    sentence(
        "Conversion (list): offer has url for staff",
        LIST,
        equal("conversions[id=<red_conversion>].offer.url", "https://shoes.example/?c={clickid}"),
    ),
    [
        sentence(
            f"Conversion (list): {name} is null for an affiliate",
            ann.get("/3.0/stats/conversions", DAYS),
            all_equal(f"conversions[].{name}", None),
        )
        for name in ("revenue", "earnings", "advertiser")
    ],
    sentence(
        "Conversion (list): offer has no url for an affiliate",
        ann.get("/3.0/stats/conversions", DAYS),
        absent("conversions[].offer.url"),
    ),
)


@each_row(ROWS)
def test_conversion_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
