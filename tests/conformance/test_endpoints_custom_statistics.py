"""Endpoints: custom statistics, their slices, filters and orders."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import Predicate, array, having
from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecRequest,
    SpecSentence,
    all_equal,
    answers,
    each_row,
    empty,
    every,
    found,
    hides,
    holds,
    is_,
    present,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: custom statistics"
admin, ann = Caller("admin"), Caller("ann")
DAYS = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
ALL = {**DAYS, "filter[offer][]": ["<shoes>", "<hats>", "<socks>"], "filter[partner][]": ["<ann>", "<bob>"]}
CUSTOM = "/3.0/stats/custom"
SLICES: dict[str, tuple[str, ...]] = {
    "hour": ("year", "month", "day", "hour"),
    "month": ("year", "month"),
    "quarter": ("year", "quarter"),
    "year": ("year",),
    "day": ("year", "month", "day"),
    "offer": ("offer",),
    "country": ("country",),
    "city": ("city",),
    "os": ("os",),
    "os_version": ("os_version",),
    "device": ("device",),
    "device_model": ("device_model",),
    "browser": ("browser",),
    "goal": ("goal",),
    **{f"sub{n}": (f"sub{n}",) for n in range(1, 6)},
    "advertiser": ("advertiser",),
    "affiliate": ("affiliate",),
}
FILTERS: list[tuple[str, str, Any, int | None, int]] = [
    ("one", "filter[offer]", "<shoes>", 4, 4),
    ("one", "filter[advertiser]", "<mill>", 1, 1),
    ("one", "filter[partner]", "<bob>", 2, 3),
    ("one", "filter[country]", "FR", 2, 3),
    ("one", "filter[os]", "Windows", 2, 3),
    ("one", "filter[device]", "desktop", 3, 4),
    ("one", "filter[goal]", "2", None, 1),
    ("one", "filter[sub1]", "gold", 1, 1),
    ("one", "filter[sub8]", "s8", 1, 1),
    ("one", "filter[offer_tag]", "winter", 1, 1),
    ("one", "filter[affiliate_tag]", "south", 2, 3),
    ("one", "filter[advertiser_tag]", "wholesale", 1, 1),
    ("one", "filter[manager]", "<mia>", 4, 3),
    ("one", "filter[advertiser_manager_id]", "<sam>", 5, 5),
]
METRICS = {
    "raw": "traffic.raw",
    "uniq": "traffic.uniq",
    "total_count": "actions.total.count",
    "total_revenue": "actions.total.revenue",
    "total_null": "actions.total.null",
    **{
        f"{kind}_{what}": f"actions.{kind}.{what}"
        for kind in ("pending", "declined", "hold", "confirmed")
        for what in ("count", "revenue")
    },
    "confirmed_earning": "actions.confirmed.earning",
}


def custom(slice_: str, params: Mapping[str, Any] | None = None) -> SpecRequest:
    """Custom statistics of the world's traffic."""
    return admin.get(CUSTOM, {**ALL, "slice[]": slice_, **(params or {})})


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


def sorted_by(path: str, down: bool) -> AnswerCheck:
    """The rows are sorted by a number, and there are several."""

    def agree(body: Any) -> bool:
        values = [float(found(row, path)) for row in body["stats"]]
        return len(values) > 1 and values == sorted(values, reverse=down)

    return holds(agree)


def only_key(*kinds: str) -> Predicate:
    return lambda actions: set(actions) == {*kinds}


ROWS = table(
    [
        sentence(
            f"custom: slice {name} answers with {', '.join(keys)}",
            custom(name),
            every("stats[].slice", having(*keys)),
            sums(None if name == "goal" else 6, 6),
        )
        for name, keys in SLICES.items()
    ],
    [
        sentence(
            f"custom: an affiliate may slice by {name}", ann.get(CUSTOM, {**DAYS, "slice[]": name}), is_("stats", array)
        )
        for name in (
            "hour",
            "day",
            "month",
            "quarter",
            "year",
            "offer",
            "country",
            "city",
            "os",
            "os_version",
            "device",
            "device_model",
            "browser",
            "goal",
            "sub1",
            "sub5",
        )
    ],
    [
        sentence(
            f"custom: an affiliate may not slice by {name}", ann.get(CUSTOM, {**DAYS, "slice[]": name}), answers(400)
        )
        for name in ("advertiser", "manager", "smart_id")
    ],
    sentence("custom: slice is required", admin.get(CUSTOM, ALL), refused(400, "slice")),
    sentence("custom: an unknown slice is refused", custom("planet"), answers(400)),
    sentence(
        "custom: several slices make one row for each pair",
        admin.get(CUSTOM, {**ALL, "slice[]": ["offer", "country"]}),
        every("stats[].slice", having("offer", "country")),
        is_("stats", lambda rows: len(rows) == 5),
    ),
    sentence(
        "custom: slice trafficback_reason answers with rejected clicks",
        admin.get(CUSTOM, {**DAYS, "slice[]": "trafficback_reason", "filter[offer]": "<gloves>"}),
        all_equal("stats[].slice.trafficback_reason", "inactive-offer"),
    ),
    [
        sentence(
            f"custom: {name} {label} leaves what matches",
            admin.get(CUSTOM, {**having_filter(name, value), "slice[]": "day"}),
            sums(raw, count),
        )
        for label, name, value, raw, count in FILTERS
    ],
    sentence(
        "custom: filter[nonzero]=1 drops rows without conversions",
        custom("sub1"),
        shows("stats[].slice.sub1", "pink"),
        custom("sub1", {"filter[nonzero]": 1}),
        hides("stats[].slice.sub1", "pink"),
        shows("stats[].slice.sub1", "red"),
    ),
    sentence(
        "custom: filter[nonzero]=0 keeps them",
        custom("sub1", {"filter[nonzero]": 0}),
        shows("stats[].slice.sub1", "pink", "red"),
    ),
    sentence(
        "custom: filter[smart_id] without its slice is refused",
        custom("day", {"filter[smart_id]": "<best>"}),
        answers(400),
    ),
    sentence(
        "custom: filter[smart_id] that matches nothing leaves no rows",
        admin.get(CUSTOM, {**ALL, "slice[]": "smart_id", "filter[smart_id]": "<rest>"}),
        empty("stats"),
    ),
    [
        sentence(
            f"custom: conversionTypes {kind} shows this group alone",
            custom("day", {"conversionTypes[]": kind}),
            every("stats[].actions", only_key(kind)),
        )
        for kind in ("total", "confirmed", "pending", "declined", "hold", "not_found")
    ],
    sentence(
        "custom: conversionTypes may name several",
        custom("day", {"conversionTypes[]": ["confirmed", "hold"]}),
        every("stats[].actions", only_key("confirmed", "hold")),
    ),
    sentence(
        "custom: conversionTypes refuses another value", custom("day", {"conversionTypes[]": "gift"}), answers(400)
    ),
    [
        sentence(
            f"custom: order by {key} sorts {way}",
            custom("sub1", {"order[]": key, "orderType": way}),
            sorted_by(path, way == "desc"),
        )
        for key, path in METRICS.items()
        for way in (("asc", "desc") if key in ("raw", "total_revenue") else ("desc",))
    ],
    [
        sentence(
            f"custom: order by the slice {name} sorts",
            custom(name, {"order[]": name, "orderType": "desc"}),
            is_("stats", array),
        )
        for name in ("hour", "quarter", "country", "city", "os_version", "device_model", "goal", "sub5")
    ],
    sentence("custom: order by currency is accepted", custom("day", {"order[]": "currency"}), sums(6, 6)),
    sentence("custom: an unknown order is refused", custom("day", {"order[]": "weight"}), answers(400)),
    sentence("custom: slice manager answers under manager", custom("manager"), present("stats[].slice.manager")),
)


@each_row(ROWS)
def test_custom_statistics_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
