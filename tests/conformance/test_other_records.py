"""Other records: reference lists, tickets, cap statistics, cohorts, referral payments."""

from tests.conformance.predicates import (
    array,
    array_of,
    boolean,
    country_code,
    currency_code,
    date_and_time,
    digits,
    either,
    flag,
    hash_id,
    having,
    integer,
    map_of,
    mapping,
    mapping_or_empty,
    moment,
    number,
    one_of,
    or_null,
    text,
)
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    each_row,
    equal,
    every,
    holds,
    is_,
    present,
    sentence,
    shows,
    table,
    typed,
    visit,
)
from tests.conformance.world import FilledProgram

SECTION = "Other records"
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
admin, una = Caller("admin"), Caller("una")
QUOTES = admin.get("/3.0/admin/currency")
TICKET = admin.get("/3.0/admin/tickets", {"status": "open"})
CAPS_31 = admin.get("/3.1/stats/caps", {"offer_id[]": "<capes>"})
CAPS_30 = admin.get("/3.0/stats/caps", {"offer_id[]": "<capes>", "fields[]": ["stats", "stats_merged", "descr"]})
TTA = admin.get("/3.0/stats/time-to-action", {**DAYS, "offer_id": "<shoes>", "timezone": "UTC"})
OFFER = {
    "title": "<unique>",
    "advertiser": "<shop>",
    "url": "https://target.example/",
    "status": "active",
    "privacy": "public",
    "payments[0][goal]": "install",
    "payments[0][total]": 1,
    "payments[0][revenue]": 1,
    "payments[1][goal]": "sale",
    "payments[1][total]": 1,
    "payments[1][revenue]": 1,
}

ROWS = table(
    typed(
        "Source",
        admin.get("/3.0/admin/offer/sources"),
        "sources[]",
        {
            "id": hash_id,
            "title": text,
            "title_lang": having("ru", "en", "es", "ka", "vi"),
            "allowed": either(flag, boolean),
        },
    ),
    typed("Category", admin.get("/3.0/offer/categories"), "categories[]", {"id": hash_id, "title": text}),
    typed(
        "SmartLink category",
        admin.get("/3.0/admin/smartlink/categories"),
        "data[]",
        {
            "_id": hash_id,
            "name": text,
            "domain": text,
            "domain_id": or_null(either(integer, text)),
            "use_https": boolean,
            "description": or_null(text),
            "count_offer": integer,
            "created_at": date_and_time,
            "updated_at": date_and_time,
        },
    ),
    typed(
        "City",
        admin.get("/3.0/cities", {"country": "EE"}),
        "cities[]",
        {"id": integer, "name": text, "time_zone": text, "country_code": country_code},
    ),
    typed("ISP", admin.get("/3.0/isp"), "isp[]", {"name": text, "country": country_code}),
    typed(
        "Payment system",
        admin.get("/3.0/admin/payment_systems"),
        "payment_systems[]",
        {
            "id": integer,
            "lang_label": text,
            "currency": or_null(either(text, array)),
            "fields": array_of(having("id", "lang_label", "required")),
        },
    ),
    typed(
        "Custom signup field",
        admin.get("/3.0/admin/custom_fields"),
        "fields[]",
        {
            "id": integer,
            "name": text,
            "required": boolean,
            "field_type": text,
            "field_values": or_null(either(array, text)),
        },
    ),
    typed("Domain", admin.get("/3.0/admin/domains"), "domains{}", {"id": integer, "url": text}),
    sentence(
        "Domain: the list is a map keyed by id",
        admin.get("/3.0/admin/domains"),
        equal("domains.<domain>.id", "<domain>"),
    ),
    sentence(
        "Currency quotes: a map of currency code to numeric rate",
        QUOTES,
        is_("quotes", map_of(number)),
        is_("quotes", lambda quotes: all(map(currency_code, quotes))),
    ),
    sentence("Currency quotes: the platform currency has the rate 1", QUOTES, equal("quotes.USD", 1)),
    typed(
        "Ticket",
        admin.get("/3.0/admin/tickets"),
        "tickets[]",
        {
            "id": digits,
            "status": one_of("open", "closed"),
            "type": text,
            "title": text,
            "description": text,
            "partner": mapping,
            "offer": or_null(mapping),
            "created": either(text, moment),
            "updated": either(text, moment),
        },
    ),
    sentence("Ticket: partner is the affiliate's record", TICKET, shows("tickets[].partner.id", "<una>")),
    sentence(
        "Ticket: offer is the offer's record with a goals map",
        TICKET,
        shows("tickets[].offer.id", "<hats>"),
        every("tickets[].offer.goals", mapping_or_empty),
    ),
    sentence(
        "Ticket: description is the comment of the request",
        TICKET,
        shows("tickets[].description", "please open_ticket"),
    ),
    typed(
        "Cap stats (3.1)",
        CAPS_31,
        "stats[0].stats[]",
        {
            "affiliate_type": text,
            "affiliates": array_of(integer),
            "countries": array_of(country_code),
            "country_type": text,
            "current_value": number,
            "goal_stats": mapping_or_empty,
            "goal_type": text,
            "goals": either(array, mapping),
            "id": text,
            "is_remaining": boolean,
            "reset_to_value": either(integer, text),
            "timeframe": text,
            "type": text,
            "value": number,
        },
    ),
    sentence("Cap stats (3.1): offer_id names the offer", CAPS_31, equal("stats[0].offer_id", "<capes>")),
    [
        sentence(f"Cap stats (3.1): {name} is the cap's", CAPS_31, equal(f"stats[0].stats[0].{name}", value))
        for name, value in {
            "timeframe": "day",
            "type": "conversions",
            "value": 100,
            "current_value": 0,
            "affiliate_type": "exact",
            "affiliates": ["<ann>"],
            "country_type": "exact",
            "countries": ["ES"],
            "goal_type": "exact",
        }.items()
    ],
    sentence(
        "Cap stats (3.0): offers is a map by offer",
        CAPS_30,
        present("offers.<capes>.descr", "offers.<capes>.stats", "offers.<capes>.stats_merged"),
    ),
    [
        sentence(
            f"Cap stats (3.0): stats_merged has {name}", CAPS_30, is_(f"offers.<capes>.stats_merged.{name}", number)
        )
        for name in ("cap_val", "min", "max", "avg")
    ],
    sentence(
        "Cap stats (3.0): affiliate_id 0 means all affiliates", CAPS_30, shows("offers.<capes>.stats[].affiliate_id", 0)
    ),
    [
        sentence(f"Time-to-action row: {name} is {number_}", TTA, equal(f"data[affiliate_id=1].{name}", number_))
        for name, number_ in {"clicks": 3, "total_conversions": 2, "tta_30": 2, "tta_600": 0, "tta_inf": 0}.items()
    ],
    typed(
        "Time-to-action row",
        TTA,
        "data[]",
        dict.fromkeys(("affiliate_id", "clicks", "total_conversions", "tta_30", "tta_600", "tta_inf"), integer),
    ),
    sentence(
        "Retention row: affiliate_id, date, rr_<event> and install_count",
        admin.post("/3.0/admin/offer", OFFER).saving(made="offer.id"),
        visit("/click", {"pid": "<una>", "offer_id": "<made>", "format": "json"}).eventually(),
        equal("url", "https://target.example/"),
        visit("/click", {"pid": "<una>", "offer_id": "<made>", "format": "json"}).saving(one="clickid"),
        present("clickid"),
        visit("/postback", {"clickid": "<one>", "goal": "install", "secure": "shop-code"}),
        visit("/postback", {"clickid": "<one>", "goal": "sale", "secure": "shop-code"}),
        admin.get(
            "/3.0/stats/retentionrate",
            {**DAYS, "offer": "<made>", "base_event": "install", "events": "install,sale,bonus"},
        ).eventually(),
        holds(
            lambda rows: (
                [tuple(row[f"rr_{event}"] for event in ("install", "sale", "bonus")) for row in rows] == [(100, 100, 0)]
                and [(row["affiliate_id"], row["install_count"]) for row in rows] == [(3, 1)]
            )
        ),
    ),
    sentence("ISP: id is there", admin.get("/3.0/isp"), present("isp[].id")),
)


@each_row(ROWS)
def test_other_records_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
