"""Endpoints: lists of offers and reference data."""

from typing import Any

from tests.conformance.predicates import mapping
from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecSentence,
    all_equal,
    answers,
    each_row,
    empty,
    equal,
    header,
    hides,
    holds,
    is_,
    narrowed,
    only,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: offers and reference data"
admin, ann, bob = Caller("admin"), Caller("ann"), Caller("bob")
FILTERS: list[tuple[str, dict[str, Any], list[str], list[str], dict[str, Any] | None]] = [
    ("q", {"q": "Shoe"}, ["<shoes>"], ["<hats>"], {"q": "no such title"}),
    ("ids", {"ids[]": "<shoes_hash>"}, ["<shoes>"], ["<hats>"], {"ids[]": "<nothing_hash>"}),
    ("int_id", {"int_id[]": ["<shoes>", "<socks>"]}, ["<shoes>", "<socks>"], ["<hats>"], {"int_id[]": 999999}),
    ("countries", {"countries[]": "DE"}, ["<shoes>"], ["<hats>"], {"countries[]": "JP"}),
    ("categories", {"categories[]": "<garden>"}, ["<hats>"], ["<shoes>"], {"categories[]": "<nothing_hash>"}),
    ("advertiser", {"advertiser[]": "<mill>"}, ["<hats>"], ["<shoes>"], {"advertiser[]": "<nothing_hash>"}),
    ("privacy", {"privacy[]": [0, 2]}, ["<shoes>", "<socks>"], ["<hats>"], None),
    ("is_top 1", {"is_top": 1}, ["<shoes>"], ["<hats>"], None),
    ("is_top 0", {"is_top": 0}, ["<hats>"], ["<shoes>"], None),
    ("bundle_id", {"bundle_id": "com.shoes"}, ["<shoes>"], ["<capes>"], {"bundle_id": "com.none"}),
    (
        "smartlink_categories",
        {"smartlink_categories[]": "<rest>"},
        ["<capes>"],
        ["<shoes>"],
        {"smartlink_categories[]": "<nothing_hash>"},
    ),
]


def sorted_by(key: str, down: bool) -> AnswerCheck:
    """The offers are sorted by a field."""

    def agree(body: Any) -> bool:
        values = [offer[key].lower() if key == "title" else offer[key] for offer in body["offers"]]
        return len(values) > 1 and values == sorted(values, reverse=down)

    return holds(agree)


TARGETED = {
    "title": "<unique>",
    "advertiser": "<shop>",
    "url": "https://a.example/",
    "status": "active",
    "privacy": "public",
}

ROWS = table(
    [
        row
        for text_, params, shown, hidden, none in FILTERS
        for row in narrowed(
            f"GET offers: {text_}",
            admin.get("/3.0/offers", {"limit": 1000}),
            "offers[].id",
            by=params,
            shown=shown,
            hidden=hidden,
            none=none,
        )
    ],
    [
        sentence(
            f"GET offers: sort[{key}]={way} is accepted",
            admin.get("/3.1/offers", {f"sort[{key}]": way, "int_id[]": ["<shoes>", "<hats>"]}),
            shows("offers[].id", "<shoes>"),
        )
        for key in ("id", "title", "cr", "epc", "is_top", "created", "revenue", "daily_cap", "total_cap")
        for way in ("asc", "desc")
    ],
    [
        sentence(
            f"GET offers: sort[{key}] sorts {way}",
            admin.get("/3.0/offers", {f"sort[{key}]": way, "int_id[]": ["<shoes>", "<hats>", "<socks>", "<capes>"]}),
            sorted_by(key, way == "desc"),
        )
        for key in ("id", "title", "cr", "epc")
        for way in ("asc", "desc")
    ],
    sentence("GET offers: sort refuses another key", admin.get("/3.0/offers", {"sort[colour]": "asc"}), answers(400)),
    sentence(
        "GET offers: status is active by default",
        admin.get("/3.0/offers"),
        all_equal("offers[].status", "active"),
        hides("offers[].id", "<boots>", "<gloves>"),
    ),
    [
        sentence(
            f"GET offers: status {status} shows such offers alone",
            admin.get("/3.0/offers", {"status[]": status, "limit": 1000}),
            all_equal("offers[].status", status),
            shows("offers[].id", shown),
        )
        for status, shown in {"active": "<shoes>", "stopped": "<boots>", "suspended": "<gloves>"}.items()
    ],
    sentence(
        "GET offers: status may name several",
        admin.get("/3.0/offers", {"status[]": ["stopped", "suspended"], "limit": 1000}),
        shows("offers[].id", "<boots>", "<gloves>"),
        hides("offers[].id", "<shoes>"),
    ),
    [
        sentence(
            f"GET offers: privacy {level} shows {name} offers alone",
            admin.get("/3.0/offers", {"privacy[]": level, "limit": 1000}),
            all_equal("offers[].privacy", name),
            shows("offers[].id", shown),
        )
        for level, name, shown in ((0, "public", "<shoes>"), (1, "protected", "<hats>"), (2, "private", "<socks>"))
    ],
    [
        sentence(f"GET offers: {name} refuses {value}", admin.get("/3.1/offers", {name: value}), answers(400))
        for name, value in (
            ("status[]", "open"),
            ("privacy[]", 7),
            ("is_top", 2),
            ("updated_at", "soon"),
            ("int_id[]", "x"),
        )
    ],
    sentence(
        "GET offers: os that names nothing shows none",
        admin.get("/3.1/offers", {"os": "symbian"}),
        empty("offers"),
    ),
    sentence(
        "GET offers: updated_at shows what changed since",
        admin.get("/3.1/offers", {"updated_at": "<yesterday>"}),
        shows("offers[].id", "<shoes>"),
    ),
    sentence(
        "GET offers: updated_at in the future shows none",
        admin.get("/3.1/offers", {"updated_at": "<tomorrow>"}),
        empty("offers"),
    ),
    sentence(
        "GET offers: an affiliate's list ignores the status",
        ann.get("/3.0/offers", {"status[]": "stopped"}),
        hides("offers[].id", "<boots>"),
        header("X-Ignored-Parameters", "status"),
    ),
    sentence(
        "GET offers/count counts active offers",
        admin.get("/3.0/offers", {"limit": 1}).saving(total="pagination.total_count"),
        admin.get("/3.0/offers/count"),
        equal("count", "<total>"),
    ),
    sentence(
        "GET offers/count: an affiliate counts what it sees",
        ann.get("/3.0/offers", {"limit": 1}).saving(total="pagination.total_count"),
        ann.get("/3.0/offers/count"),
        equal("count", "<total>"),
    ),
    sentence("GET offer/ID returns offer", admin.get("/3.0/offer/<shoes>"), equal("offer.id", "<shoes>")),
    sentence(
        "GET offer/ID: an affiliate sees a public offer", ann.get("/3.0/offer/<shoes>"), equal("offer.id", "<shoes>")
    ),
    sentence(
        "GET offer/ID: an affiliate does not see another's private offer", ann.get("/3.0/offer/<socks>"), refused(404)
    ),
    sentence(
        "GET offer/ID: the affiliate of a private offer sees it",
        bob.get("/3.0/offer/<socks>"),
        equal("offer.id", "<socks>"),
    ),
    sentence("GET offer/ID: an affiliate does not see a stopped offer", ann.get("/3.0/offer/<boots>"), refused(404)),
    sentence(
        "GET offer/categories returns categories and pagination",
        ann.get("/3.0/offer/categories"),
        shows("categories[].title", "Fashion", "Garden"),
        is_("pagination", mapping),
    ),
    sentence("GET cities: country is required", admin.get("/3.0/cities"), refused(400, "country")),
    sentence(
        "GET cities: country shows its cities alone",
        admin.get("/3.0/cities", {"country": "EE"}),
        all_equal("cities[].country_code", "EE"),
        shows("cities[].name", "Tallinn"),
    ),
    sentence(
        "GET cities: a code that no country has shows none or is refused",
        admin.get("/3.0/cities", {"country": "EE"}),
        hides("cities[].name", "Berlin"),
    ),
    sentence(
        "GET cities: locale is en by default",
        admin.get("/3.0/cities", {"country": "DE", "limit": 10000}),
        shows("cities[].name", "Munich"),
    ),
    sentence(
        "GET cities: locale names cities in that language",
        admin.get("/3.0/cities", {"country": "DE", "limit": 10000, "locale": "es"}),
        shows("cities[].id", 2950159),
    ),
    sentence(
        "GET cities: page shows others",
        admin.get("/3.0/cities", {"country": "DE"}).saving(first="cities[0].id"),
        admin.get("/3.0/cities", {"country": "DE", "page": 2}),
        hides("cities[].id", "<first>"),
    ),
    sentence(
        "GET isp: q shows providers whose name has it",
        admin.get("/3.0/isp", {"q": "Telekom"}),
        shows("isp[].name", "Deutsche Telekom"),
        hides("isp[].name", "Verizon Wireless"),
    ),
    sentence(
        "GET isp: q that matches nothing shows none", admin.get("/3.0/isp", {"q": "no such provider"}), empty("isp")
    ),
    sentence(
        "GET isp shows the providers",
        admin.get("/3.0/isp"),
        shows("isp[].name", "Deutsche Telekom", "Verizon Wireless"),
    ),
    [
        row
        for text_, value in (("os ios", "ios"), ("os iOS", "iOS"), ("os as a list", ["iOS", "Windows"]))
        for row in [
            sentence(
                f"GET offers: {text_} shows offers that take it",
                admin.post("/3.0/admin/offer", {**TARGETED, "targeting[0][os][allow][0][name]": "iOS"}).saving(
                    made="offer.id"
                ),
                admin.get("/3.0/offers", {"os[]": value, "int_id[]": "<made>"}),
                shows("offers[].id", "<made>"),
                admin.get("/3.0/offers", {"os[]": "Android", "int_id[]": "<made>"}),
                hides("offers[].id", "<made>"),
            )
        ]
    ],
    sentence(
        "GET offers: countries sees targeting",
        admin.post("/3.0/admin/offer", {**TARGETED, "targeting[0][country][allow][]": "DE"}).saving(made="offer.id"),
        admin.get("/3.0/offers", {"countries[]": "DE", "int_id[]": "<made>"}),
        shows("offers[].id", "<made>"),
        admin.get("/3.0/offers", {"countries[]": "FR", "int_id[]": "<made>"}),
        hides("offers[].id", "<made>"),
    ),
    *[
        narrowed(
            "GET cities: q",
            admin.get("/3.0/cities", {"country": "EE"}),
            "cities[].name",
            by={"q": "Tallinn"},
            shown=["Tallinn"],
            hidden=["Elva"],
            none={"q": "no such city"},
        )
    ],
    sentence(
        "GET cities: country may be a list",
        admin.get("/3.0/cities", {"country[]": ["EE", "LV"], "limit": 10000}),
        only("cities[].country_code", "EE", "LV"),
    ),
    sentence(
        "GET isp: country shows the providers of a country",
        admin.get("/3.0/isp", {"country": "US"}),
        all_equal("isp[].country", "US"),
    ),
    *[
        narrowed(
            "GET offer/categories: ids",
            admin.get("/3.0/offer/categories", {"limit": 1000}),
            "categories[].id",
            by={"ids[]": "<garden>"},
            shown=["<garden>"],
            hidden=["<fashion>"],
            none={"ids[]": "<nothing_hash>"},
        )
    ],
    sentence(
        "GET vendors: q shows brands whose name has it",
        admin.get("/3.1/vendors", {"q": "appl"}),
        shows("vendors[]", "Apple"),
        hides("vendors[]", "Samsung"),
    ),
)


@each_row(ROWS)
def test_offer_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
