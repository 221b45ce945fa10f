"""Conventions: how parameters, dates, arrays and pages are sent, and what every answer has."""

from tests.conformance.predicates import date_and_time
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    all_equal,
    answers,
    each_row,
    empty,
    equal,
    every,
    exactly,
    header,
    hides,
    is_,
    only,
    present,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Conventions"
admin, ann = Caller("admin"), Caller("ann")

DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>", "partner[]": ["<ann>", "<bob>"]}
FILTER_DAYS = {
    "filter[date_from]": "<yesterday>",
    "filter[date_to]": "<tomorrow>",
    "filter[partner][]": ["<ann>", "<bob>"],
}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MULTIPART = {"Content-Type": "multipart/form-data; boundary=edge"}


def multipart(name: str, value: str) -> bytes:
    return f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n--edge--\r\n'.encode()


def raw(method: str, path: str, headers: dict[str, str], body: bytes) -> SpecRequest:
    return SpecRequest("admin", method, path, headers=headers, body=body)


STATUS_ONE = [
    "/3.0/offers",
    "/3.0/offers/count",
    "/3.0/offer/<shoes>",
    "/3.0/offer/categories",
    "/3.0/cities?country=EE",
    "/3.0/isp",
    "/3.0/news",
    "/3.0/news/<plain_news>",
    "/3.0/partner/pixels",
    "/3.0/balance?pid=<ann>",
    "/3.0/admin/offer/sources",
    "/3.0/admin/advertisers",
    "/3.0/admin/advertiser/<shop>",
    "/3.0/admin/advertiser-invoices",
    "/3.0/admin/advertiser-invoice/<paid_invoice>",
    "/3.0/admin/partners",
    "/3.0/admin/partner/<ann>",
    "/3.0/admin/postbacks?partner_id=<ann>",
    "/3.0/admin/users",
    "/3.0/admin/currency",
    "/3.0/admin/payment_systems",
    "/3.0/admin/custom_fields",
    "/3.0/admin/domains",
    "/3.0/admin/tickets",
    "/3.0/admin/smartlink/categories",
    "/3.0/stats/conversions",
    "/3.0/stats/conversionsbyid?id=<red_conversion>",
    "/3.0/stats/clicks?date_from=<yesterday>&date_to=<tomorrow>",
    "/3.0/stats/find-subs?sub1=r",
    "/3.0/stats/serverpostbacks?date_from=<yesterday>&date_to=<tomorrow>",
    "/3.0/stats/affiliatepostbacks?date_from=<yesterday>&date_to=<tomorrow>",
    "/3.0/stats/getreferralpayments?date_from=01-01-2020&date_to=02-01-2020",
    "/3.0/stats/caps?offer_id[]=<capes>&fields[]=stats",
    "/3.1/stats/caps?offer_id[]=<capes>",
]

ROWS = table(
    [
        sentence(
            f"GET {path.partition('?')[0]} answers JSON with integer status 1",
            admin.get(path),
            header("Content-Type", "application/json"),
            equal("status", 1),
        )
        for path in STATUS_ONE
    ],
    sentence("GET /3.1/partner/me answers JSON with integer status 1", ann.get("/3.1/partner/me"), equal("status", 1)),
    sentence(
        "GET parameters go in the query string",
        admin.get("/3.0/offers?int_id[]=<shoes>"),
        only("offers[].id", "<shoes>"),
    ),
    sentence(
        "POST parameters are sent as an urlencoded form",
        raw("POST", "/3.0/admin/category", FORM, b"title=Sent+as+a+form%21"),
        equal("category.title", "Sent as a form!"),
    ),
    sentence(
        "POST parameters are sent as a multipart form",
        raw("POST", "/3.0/admin/category", MULTIPART, multipart("title", "Sent in parts")),
        equal("category.title", "Sent in parts"),
    ),
    sentence(
        "arrays are written name[]=v",
        admin.get("/3.0/offers", {"int_id[]": ["<shoes>", "<hats>"]}),
        only("offers[].id", "<shoes>", "<hats>"),
    ),
    sentence(
        "arrays are written name[0]=v",
        admin.get("/3.0/offers", {"int_id[0]": "<shoes>", "int_id[1]": "<hats>"}),
        only("offers[].id", "<shoes>", "<hats>"),
    ),
    sentence(
        "an array of one may be written as a scalar",
        admin.get("/3.0/offers", {"int_id": "<shoes>"}),
        only("offers[].id", "<shoes>"),
    ),
    sentence(
        "arrays in a form are written name[]=v, too",
        admin.post("/3.0/admin/advertiser", {"title": "<unique>", "tags[]": ["a", "b"]}),
        exactly("advertiser.tags", "a", "b"),
    ),
    sentence(
        "arrays in a form are written name[0]=v, too",
        admin.post("/3.0/admin/advertiser", {"title": "<unique>", "tags[0]": "a", "tags[1]": "b"}),
        exactly("advertiser.tags", "a", "b"),
    ),
    sentence(
        "maps are written name[key]=v",
        admin.post(
            "/3.0/admin/offer/source",
            {
                "title_lang[en]": "Mapped",
                "title_lang[es]": "Mapa",
                "title_lang[ru]": "r",
                "title_lang[ka]": "k",
                "title_lang[vi]": "v",
            },
        ),
        equal("source.title_lang.en", "Mapped"),
        equal("source.title_lang.es", "Mapa"),
    ),
    sentence(
        "filters are nested as filter[name]",
        admin.get("/3.0/stats/getbyprogram", {**FILTER_DAYS, "filter[offer]": "<shoes>"}),
        only("stats[].slice.offer.id", "<shoes>"),
    ),
    sentence(
        "filters that are arrays are nested as filter[name][]",
        admin.get("/3.0/stats/getbyprogram", {**FILTER_DAYS, "filter[offer][]": ["<shoes>", "<hats>"]}),
        only("stats[].slice.offer.id", "<shoes>", "<hats>"),
    ),
    [
        sentence(
            f"a date in a request that is {what} is refused",
            admin.get("/3.0/stats/clicks", {"date_from": value, "date_to": "<tomorrow>"}),
            refused(400, "date_from"),
        )
        for what, value in (
            ("not YYYY-MM-DD", "01-02-2026"),
            ("no day of the calendar", "2026-02-30"),
            ("a word", "today"),
        )
    ],
    sentence(
        "datetimes in answers are YYYY-MM-DD HH:MM:SS",
        admin.get("/3.0/stats/conversions", DAYS),
        every("conversions[].created_at", date_and_time),
        every("conversions[].click_time", date_and_time),
    ),
    sentence(
        "timezone is an IANA zone name: times are shown in it",
        admin.get("/3.0/stats/clicks", {**DAYS, "timezone": "UTC"}).saving(utc="clicks[0].created_at"),
        admin.get("/3.0/stats/clicks", {**DAYS, "timezone": "Asia/Kathmandu"}),
        present("clicks[0].created_at"),
        hides("clicks[].created_at", "<utc>"),
    ),
    sentence(
        "the platform timezone is the default",
        admin.get("/3.0/stats/clicks", {**DAYS, "timezone": "UTC"}).saving(utc="clicks[0].created_at"),
        admin.get("/3.0/stats/clicks", DAYS),
        equal("clicks[0].created_at", "<utc>"),
    ),
    sentence(
        "a timezone that is not an IANA zone name is refused",
        admin.get("/3.0/stats/clicks", {**DAYS, "timezone": "Berlin"}),
        refused(400, "timezone"),
    ),
    sentence(
        "POST creates and POST on the id edits",
        admin.post("/3.0/admin/category", {"title": "<unique>"}).saving(made="category.id"),
        admin.post("/3.0/admin/category/<made>", {"title": "<unique> edited"}),
        equal("category.id", "<made>"),
        equal("category.title", "<unique> edited"),
    ),
    sentence(
        "removals use DELETE on a path that ends in /remove",
        admin.post("/3.0/partner/postback", {"pid": "<una>", "url": "<receiver>/una"}).saving(made="postback.id"),
        admin.delete("/3.0/partner/postback/<made>/remove"),
        equal("postback.id", "<made>"),
        admin.get("/3.0/admin/postbacks", {"partner_id": "<una>"}),
        hides("postbacks[].id", "<made>"),
    ),
    sentence(
        "removals of offers use POST",
        admin.post(
            "/3.0/admin/offer", {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}
        ).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/delete", {"offer_id[]": "<made>"}),
        admin.get("/3.0/offer/<made>"),
        refused(404),
    ),
    sentence(
        "removals of SmartLink categories use POST",
        admin.post("/3.0/admin/smartlink/category", {"name": "<unique>"}).saving(made="category._id"),
        admin.post("/3.0/admin/smartlink/category/<made>/remove"),
        equal("category._id", "<made>"),
        admin.get("/3.0/admin/smartlink/categories"),
        hides("data[]._id", "<made>"),
    ),
    [
        sentence(f"{path}: page is 1 by default", admin.get(path), equal("pagination.page", 1))
        for path in ("/3.0/offers", "/3.0/admin/partners", "/3.0/admin/users", "/3.0/admin/advertisers")
    ],
    [
        sentence(f"{path}: limit is 100 by default", admin.get(path), equal("pagination.per_page", 100))
        for path in (
            "/3.0/offers",
            "/3.0/admin/partners",
            "/3.0/admin/users",
            "/3.0/admin/advertisers",
            "/3.0/stats/conversions",
            "/3.0/admin/tickets",
            "/3.0/offer/categories",
        )
    ],
    [
        sentence(f"{name} that is {value} is refused", admin.get("/3.0/offers", {name: value}), refused(400, name))
        for name in ("page", "limit")
        for value in ("0", "-1", "x", "1.5")
        if (name, value) != ("page", "0")
    ],
    sentence("page 0 is the first page", admin.get("/3.0/offers", {"page": "0"}), equal("pagination.page", 1)),
    sentence(
        "an unknown parameter is ignored and named",
        admin.get("/3.0/offers", {"int_id": "<shoes>", "typo": 1}),
        only("offers[].id", "<shoes>"),
        header("X-Ignored-Parameters", "typo"),
    ),
    sentence(
        "a GET names an ignored parameter in warnings of its body, too",
        admin.get("/3.0/offers", {"typo": 1}),
        is_("warnings", lambda answer: "typo" in str(answer)),
    ),
    sentence(
        "an answer that ignored nothing has no warnings",
        admin.get("/3.0/offers"),
        is_("offers", lambda _: True),
        hides("warnings", "typo"),
    ),
    sentence(
        "a path may end with a slash", admin.get("/3.0/offers/", {"int_id": "<shoes>"}), only("offers[].id", "<shoes>")
    ),
    sentence("a path under another version is not found", admin.get("/2.0/offers"), refused(404)),
    sentence(
        "an empty list of matches is an empty array",
        admin.get("/3.0/offers", {"int_id": 99999}),
        empty("offers"),
        equal("pagination.total_count", 0),
    ),
    sentence(
        "a JSON body is accepted for a POST",
        admin.send_json("POST", "/3.0/admin/category", {"title": "Sent as JSON"}),
        equal("category.title", "Sent as JSON"),
    ),
    sentence("a method that a path does not have answers 405", admin.delete("/3.0/offers"), refused(405)),
    sentence(
        "a value in the body wins over the query",
        admin.post("/3.0/admin/category?title=Query", {"title": "Body"}),
        equal("category.title", "Body"),
    ),
    sentence("every answer has a request id", admin.get("/3.0/offers"), header("X-Request-Id", "")),
    sentence(
        "statistics answer under /3.0 and /3.1 alike",
        admin.get("/3.0/stats/getbydate", FILTER_DAYS).saving(raw="stats[0].traffic.raw"),
        admin.get("/3.1/stats/getbydate", FILTER_DAYS),
        equal("stats[0].traffic.raw", "<raw>"),
    ),
    sentence(
        "an affiliate's list and the administrator's share one form",
        ann.get("/3.0/offers", {"int_id": "<shoes>"}),
        all_equal("offers[].title", "Shoes"),
        admin.get("/3.0/offers", {"int_id": "<shoes>"}),
        all_equal("offers[].title", "Shoes"),
        shows("offers[].id", "<shoes>"),
        answers(200),
    ),
)


@each_row(ROWS)
def test_conventions_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
