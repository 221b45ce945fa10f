"""Endpoints: the grouped reports, their slices and the filters that all of them have."""

from typing import Any

from tests.conformance.predicates import Predicate, array, mapping, text
from tests.conformance.sentence import (
    MISSING,
    AnswerCheck,
    Caller,
    SpecSentence,
    absent,
    each_row,
    empty,
    equal,
    every,
    found,
    header,
    holds,
    is_,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: grouped reports"
admin, ann = Caller("admin"), Caller("ann")
DAYS = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
OFFERS = {"filter[offer][]": ["<shoes>", "<hats>", "<socks>"]}
ALL = {**DAYS, **OFFERS, "filter[partner][]": ["<ann>", "<bob>"]}
BY_SUB, BY_GOAL, TRAFFICBACK = "/3.0/stats/getbysub", "/3.0/stats/getbygoal", "/3.0/stats/getbytrafficback"
REPORTS: dict[str, tuple[str, ...]] = {
    "/3.0/stats/getbydate": ("year", "month", "day"),
    "/3.0/stats/getbyhour": ("year", "month", "day", "hour"),
    BY_SUB: ("sub1",),
    "/3.0/stats/getbyprogram": ("offer.id", "offer.offer_id", "offer.title"),
    "/3.0/stats/getbyadvertiser": ("advertiser.id", "advertiser.title"),
    "/3.0/stats/getbyaccountmanager": (
        "advertiser_manager_id.id",
        "advertiser_manager_id.first_name",
        "advertiser_manager_id.last_name",
    ),
    "/3.0/stats/getbyaffiliatemanager": (
        "affiliate_manager_id.id",
        "affiliate_manager_id.first_name",
        "affiliate_manager_id.last_name",
    ),
    "/3.0/stats/getbypartner": ("affiliate.id", "affiliate.email", "affiliate.login", "affiliate.name"),
    "/3.0/stats/getbypartnerbydate": ("year", "month", "day", "affiliate.id"),
    "/3.0/stats/getbycountries": ("country",),
    "/3.0/stats/getbycities": ("city",),
    "/3.0/stats/getbybrowsers": ("browser",),
    "/3.1/stats/getbybrowsersversion": ("browser_version",),
    "/3.1/stats/getbymobilecarrier": (),
    "/3.1/stats/getbyconnectiontype": ("conn_type",),
    "/3.0/stats/getbyos": ("os",),
    "/3.0/stats/getbyversions": ("os", "os_version"),
    BY_GOAL: ("goal",),
    "/3.0/stats/getbydevices": ("device",),
    "/3.0/stats/getbydevicemodels": ("device_model",),
}
FOR_STAFF = ("/3.0/stats/getbyadvertiser", "/3.0/stats/getbyaccountmanager")
VALUES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "/3.0/stats/getbyhour": ("hour", ("<hour>",)),
    BY_SUB: ("sub1", ("red", "blue", "green", "gold", "gray", "pink")),
    "/3.0/stats/getbyprogram": ("offer.title", ("Shoes", "Hats", "Socks")),
    "/3.0/stats/getbyadvertiser": ("advertiser.title", ("Shop", "Mill")),
    "/3.0/stats/getbyaccountmanager": ("advertiser_manager_id.first_name", ("Sam", "Undefined")),
    "/3.0/stats/getbyaffiliatemanager": ("affiliate_manager_id.first_name", ("Mia", "Undefined")),
    "/3.0/stats/getbypartner": ("affiliate.login", ("ann-login", "bob-login")),
    "/3.0/stats/getbypartnerbydate": ("affiliate.email", ("ann@affiliate.example", "bob@affiliate.example")),
    "/3.0/stats/getbycountries": ("country", ("DE", "US", "FR", "GB")),
    "/3.0/stats/getbycities": ("city", ("Berlin", "Paris", "London")),
    "/3.0/stats/getbybrowsers": ("browser", ("Mobile Safari", "Chrome Mobile", "Firefox", "Safari")),
    "/3.1/stats/getbyconnectiontype": ("conn_type", ("wi-fi", "cellular")),
    "/3.0/stats/getbyos": ("os", ("iOS", "Android", "Windows", "Mac OS X")),
    BY_GOAL: ("goal", ("1", "2")),
    "/3.0/stats/getbydevices": ("device", ("mobile", "desktop")),
}
FILTERS: list[tuple[str, str, Any, int | None, int]] = [
    ("one", "filter[offer]", "<shoes>", 4, 4),
    ("a scalar", "filter[advertiser]", "<shop>", 5, 5),
    ("a list", "filter[advertiser][]", ["<shop>", "<mill>"], 6, 6),
    ("one", "filter[manager]", "<mia>", 4, 3),
    ("one", "filter[advertiser_manager_id]", "<sam>", 5, 5),
    ("a scalar", "filter[partner]", "<ann>", 4, 3),
    ("a scalar", "filter[country]", "DE", 2, 1),
    ("a list", "filter[country][]", ["DE", "US"], 3, 2),
    ("a scalar", "filter[os]", "iOS", 2, 1),
    ("a list", "filter[os][]", ["iOS", "Android"], 3, 2),
    ("a scalar", "filter[device]", "mobile", 3, 2),
    ("a list", "filter[device][]", ["mobile", "desktop"], 6, 6),
    ("a scalar", "filter[goal]", "2", None, 1),
    ("a list", "filter[goal][]", ["1", "2"], None, 6),
    ("one", "filter[sub1]", "red", 1, 1),
    ("a list", "filter[sub1][]", ["red", "blue"], 2, 2),
    ("one", "filter[sub2]", "cold", 1, 1),
    *[("one", f"filter[sub{n}]", f"s{n}", 1, 1) for n in range(3, 9)],
    ("one", "filter[advertiser_tag]", "retail", 5, 5),
    ("one", "filter[affiliate_tag]", "north", 4, 3),
    ("one", "filter[offer_tag]", "summer", 4, 4),
    ("a comma list", "filter[offer_tag]", "summer,winter", 5, 5),
]
IN_DEPTH = ("/3.0/stats/getbyprogram",)
"""Reports that are asked for every filter in every form; the others for one of each kind."""
ONE_EACH = [
    filter_
    for filter_ in FILTERS
    if filter_[:2]
    in {
        ("a list", "filter[country][]"),
        ("one", "filter[sub1]"),
    }
]
NOTHING = [
    ("one", "filter[offer]", "999999"),
    ("one", "filter[advertiser]", "<nothing_hash>"),
    ("one", "filter[manager]", "<nothing_hash>"),
    ("one", "filter[advertiser_manager_id]", "<nothing_hash>"),
    ("one", "filter[partner]", "999999"),
    ("one", "filter[country]", "JP"),
    ("one", "filter[os]", "Symbian"),
    ("one", "filter[device]", "tv"),
    *[("one", f"filter[sub{n}]", "none") for n in range(1, 9)],
    ("one", "filter[advertiser_tag]", "west"),
    ("one", "filter[affiliate_tag]", "west"),
    ("one", "filter[offer_tag]", "west"),
]


def slice_of(*keys: str) -> Predicate:
    """A slice that has these keys."""
    return _named(lambda value: all(found(value, key) is not MISSING for key in keys))


def _named(predicate: Predicate) -> Predicate:
    predicate.__name__ = "a slice of these keys"
    return predicate


def having_filter(name: str, value: Any) -> dict[str, Any]:
    """The parameters of the world's traffic, narrowed by one filter."""
    return {**{key: one for key, one in ALL.items() if key.removesuffix("[]") != name.removesuffix("[]")}, name: value}


def sums(raw: int | None, count: int) -> AnswerCheck:
    """The rows have as many clicks (None: as many as there are) and conversions in all."""

    def agree(body: Any) -> bool:
        clicks = sum(int(row["traffic"]["raw"]) for row in body["stats"])
        conversions = sum(row["actions"]["total"]["count"] for row in body["stats"])
        return raw in (None, clicks) and conversions == count

    return holds(agree)


def rejected(count: int) -> AnswerCheck:
    """The rows have as many rejected clicks in all."""
    return holds(lambda body: sum(row["trafficback"] for row in body["stats"]) == count)


ROWS = table(
    [
        sentence(
            f"{path} answers with rows and pagination",
            admin.get(path, ALL),
            is_("stats", array),
            is_("pagination", mapping),
        )
        for path in REPORTS
    ],
    [
        sentence(
            f"{path}: the slice has {', '.join(keys)}", admin.get(path, ALL), every("stats[].slice", slice_of(*keys))
        )
        for path, keys in REPORTS.items()
    ],
    [
        sentence(f"{path} shows the world's {key}", admin.get(path, ALL), shows(f"stats[].slice.{key}", *values))
        for path, (key, values) in VALUES.items()
    ],
    [
        sentence(
            f"{path}: {name} is required",
            admin.get(path, {key: value for key, value in ALL.items() if key != name}),
            refused(400, name),
        )
        for path in [*REPORTS, TRAFFICBACK]
        for name in ("filter[date_from]", "filter[date_to]")
    ],
    [
        sentence(
            f"{path}: a period without traffic has no rows",
            admin.get(path, {**ALL, "filter[date_from]": "<last_week>", "filter[date_to]": "<last_week>"}),
            empty("stats"),
        )
        for path in [*REPORTS, TRAFFICBACK]
    ],
    [
        sentence(
            f"{path}: {name} {label} leaves the clicks and conversions that match",
            admin.get(path, having_filter(name, value)),
            sums(*(None if path == BY_GOAL else raw, count)),
        )
        for path in REPORTS
        for label, name, value, raw, count in (FILTERS if path in IN_DEPTH else ONE_EACH)
    ],
    [
        sentence(
            f"{path}: {name} {label} that matches nothing leaves no rows",
            admin.get(path, having_filter(name, value)),
            sums(0, 0),
        )
        for path in ("/3.0/stats/getbydate",)
        for label, name, value in NOTHING
    ],
    [
        sentence(
            f"{path}: orderType desc turns the rows around",
            admin.get(path, {**ALL, "orderType": "asc"}).saving(last="stats[-1].slice"),
            admin.get(path, {**ALL, "orderType": "desc"}),
            equal("stats[0].slice", "<last>"),
        )
        for path in VALUES
    ],
    [
        sentence(
            f"{path}: orderType refuses another value",
            admin.get(path, {**ALL, "orderType": "up"}),
            refused(400, "orderType"),
        )
        for path in ("/3.0/stats/getbydate", TRAFFICBACK)
    ],
    sentence(
        "getbycities: locale ru names cities in Russian",
        admin.get("/3.0/stats/getbycities", {**ALL, "locale": "ru"}),
        shows("stats[].slice.city", "Берлин"),
    ),
    sentence(
        "getbycities: locale es names cities in Spanish",
        admin.get("/3.0/stats/getbycities", {**ALL, "locale": "es"}),
        shows("stats[].slice.city", "Londres"),
    ),
    sentence(
        "getbycities: locale is en by default",
        admin.get("/3.0/stats/getbycities", ALL),
        shows("stats[].slice.city", "Berlin", "London"),
    ),
    [
        sentence(
            f"{path}: locale refuses another language", admin.get(path, {**ALL, "locale": "xx"}), refused(400, "locale")
        )
        for path in ("/3.0/stats/getbycities",)
    ],
    [
        sentence(
            f"{path}: timezone that is not a zone is refused",
            admin.get(path, {**ALL, "timezone": "Nowhere"}),
            refused(400, "timezone"),
        )
        for path in [*REPORTS, TRAFFICBACK]
    ],
    sentence(
        "getbydate: days are those of the timezone",
        admin.get("/3.0/stats/getbydate", {**ALL, "timezone": "Pacific/Kiritimati"}),
        sums(6, 6),
    ),
    sentence(
        "one filter[currency] gives amounts in that currency",
        admin.get("/3.0/stats/getbyprogram", {**ALL, "filter[currency][]": "EUR"}),
        equal("currency", "EUR"),
        sums(None, 1),
    ),
    sentence(
        "filter[currency] refuses what is not a code",
        admin.get("/3.0/stats/getbydate", {**ALL, "filter[currency][]": "Euro"}),
        refused(400),
    ),
    sentence("getbysub: filter[offer] is required", admin.get(BY_SUB, DAYS), refused(400, "filter[offer]")),
    [
        sentence(
            f"{path}: filter[partner] defaults to the affiliate that calls",
            ann.get(path, {**DAYS, **OFFERS}),
            sums(None if path == BY_GOAL else 4, 3),
        )
        for path in REPORTS
        if path not in FOR_STAFF
    ],
    [sentence(f"{path} is refused to an affiliate", ann.get(path, DAYS), refused(403)) for path in FOR_STAFF],
    [
        sentence(
            f"{path}: limit bounds the rows",
            admin.get(path, {**ALL, "limit": 1}),
            is_("stats", lambda rows: len(rows) == 1),
            equal("pagination.per_page", 1),
        )
        for path in [*REPORTS, TRAFFICBACK]
    ],
    sentence(
        "getbytrafficback: the slice has trafficback_reason",
        admin.get(TRAFFICBACK, DAYS),
        every("stats[].slice.trafficback_reason", text),
    ),
    [
        sentence(
            f"getbytrafficback: {name} keeps the rejected clicks that match",
            admin.get(TRAFFICBACK, {**DAYS, "filter[offer]": "<gloves>", name: value}),
            rejected(count),
        )
        for name, value, count in (
            ("filter[offer]", "<gloves>", 2),
            ("filter[advertiser]", "<mill>", 2),
            ("filter[partner]", "<bob>", 1),
            ("filter[country]", "FR", 2),
            ("filter[affiliate_tag]", "south", 1),
        )
    ],
    [
        sentence(
            f"getbytrafficback: {name} that matches nothing leaves no rows",
            admin.get(TRAFFICBACK, having_filter(name, value)),
            rejected(0),
        )
        for name, value in (
            ("filter[offer]", "<capes>"),
            ("filter[advertiser]", "<nothing_hash>"),
            ("filter[partner]", "999999"),
            ("filter[country]", "JP"),
            ("filter[affiliate_tag]", "west"),
            ("filter[offer_tag]", "west"),
            ("filter[advertiser_tag]", "west"),
        )
    ],
    [
        sentence(
            f"{path}: an unknown filter is named in the header and in warnings",
            admin.get(path, {**ALL, "filter[planet]": "mars"}),
            header("X-Ignored-Parameters", "filter[planet]"),
            is_("warnings", lambda answer: "planet" in str(answer)),
        )
        for path in REPORTS
    ],
    sentence(
        "getbyprogram: slice.offer has url for staff",
        admin.get("/3.0/stats/getbyprogram", ALL),
        shows("stats[].slice.offer.url", "https://shoes.example/?c={clickid}"),
    ),
    sentence(
        "getbyprogram: slice.offer has no url for an affiliate",
        ann.get("/3.0/stats/getbyprogram", DAYS),
        absent("stats[].slice.offer.url"),
    ),
    [
        sentence(
            f"{path}: title stands beside the names", admin.get(path, ALL), shows(f"stats[].slice.{key}.title", value)
        )
        for path, key, value in (
            ("/3.0/stats/getbyaffiliatemanager", "affiliate_manager_id", "Mia Staff"),
            ("/3.0/stats/getbyaccountmanager", "advertiser_manager_id", "Sam Staff"),
        )
    ],
    sentence(
        "a period of many years answers on a young platform",
        admin.get("/3.0/stats/getbydate", {**ALL, "filter[date_from]": "2020-01-01", "filter[date_to]": "2025-12-31"}),
        empty("stats"),
    ),
    [
        sentence(
            f"an affiliate's {name} is refused, or named as ignored",
            ann.get("/3.0/stats/getbydate", {**DAYS, name: value}),
            header("X-Ignored-Parameters", name),
            is_("warnings", lambda answer, name=name: name in str(answer)),
        )
        for name, value in (("filter[advertiser]", "<shop>"), ("filter[advertiser_manager_id]", "<sam>"))
    ],
)


@each_row(ROWS)
def test_grouped_report_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
