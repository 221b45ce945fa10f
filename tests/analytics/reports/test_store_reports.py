"""The same questions answered by the store and in plain Python over the raw events (docs/spec/statistics.md)."""

import dataclasses
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.models.events import new_click, new_fact
from tests.support.stores.analytics import address
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import migrate
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import ORDER_METRICS, ConversionTotals, Report, StatsRow
from trackyard.domain.statistics.rows import ConversionEvent, encode_row
from trackyard.domain.statistics.slices import FILTERS, SLICES
from trackyard.journal.records import Click, encode

ZONES = ("UTC", "Asia/Kathmandu", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
HOUR = 3_600_000
# Around the two summer-time changes of Berlin, New York's autumn one, and the turn of the year.
CENTRES = [
    int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000
    for moment in ((2024, 3, 31, 1), (2024, 10, 27, 1), (2024, 11, 3, 6), (2025, 1, 1, 0))
]
VALUES = {
    "offer": (1, 2, 30),
    "affiliate": (1, 2, 3),
    "advertiser": ("a" * 24, "b" * 24),
    "country": ("", "DE", "NP"),
    "city": ("", "Köln"),
    "os": ("iOS", "Android"),
    "device": ("mobile", "desktop"),
    "browser": ("Chrome", "Ёлка"),
    "smart_id": ("", "c" * 24),
    "sub1": ("", "x'y", "\\"),
    "sub8": ("", "ü"),
    "goal": ("1", "sale", ""),
    "currency": ("USD", "EUR", "INR"),
}
RATES = {"USD": Decimal(1), "EUR": Decimal("0.9"), "INR": Decimal("83.1")}
REASONS = ("", "", "", "bot", "overcap")
GROUPS = {"confirmed": {1}, "pending": {2, 6}, "declined": {3}, "hold": {5}}
_numbers = count(1)


@dataclasses.dataclass
class RawEvents:
    """What happened: clicks, views, and the last state of each conversion. `changes`: the facts that tell of it."""

    clicks: list[Click]
    views: list[Click]
    conversions: list[ConversionEvent]
    changes: list[list[ConversionEvent]]


def make_events(seed: int) -> RawEvents:
    chance = random.Random(seed)

    def some(names: set[str]) -> dict[str, object]:
        return {name: chance.choice(values) for name, values in VALUES.items() if name in names}

    def moment() -> int:
        return chance.choice(CENTRES) + chance.randrange(-30 * HOUR, 30 * HOUR)

    click_names = set(Click.__struct_fields__)
    clicks = [
        new_click(number, time=moment(), reason=chance.choice(REASONS), uniq=chance.randrange(2), **some(click_names))
        for number in range(400)
    ]
    views = [
        new_click(1000 + number, time=moment(), reason=chance.choice(REASONS), uniq=0, **some(click_names))
        for number in range(150)
    ]
    conversions, changes = [], []
    for number in range(250):
        current = new_fact(number, time=moment(), **some(set(ConversionEvent.__struct_fields__)))
        told = [current]
        for version in range(1, chance.choice((1, 1, 2, 4)) + 1):
            charge = Decimal(chance.randrange(0, 300)) / 100
            payout = Decimal(chance.choice((0, chance.randrange(0, 200)))) / 100
            rate = RATES[current.currency]
            changed = {
                "version": version,
                "status": chance.randrange(1, 7),
                "charge": charge,
                "payout": payout,
                "charge_base": round(charge / rate, 4),
                "payout_base": round(payout / rate, 4),
            }
            new = ConversionEvent(
                **{name: getattr(current, name) for name in ConversionEvent.__struct_fields__} | changed
            )
            if version == 1:
                told = [new]
            else:
                told += [with_sign(current, -1), new]
            current = new
        conversions.append(current)
        changes.append(told)
    return RawEvents(clicks, views, conversions, changes)


def with_sign(fact: ConversionEvent, sign: int) -> ConversionEvent:
    return ConversionEvent(**{name: getattr(fact, name) for name in ConversionEvent.__struct_fields__} | {"sign": sign})


@pytest.fixture(scope="module", params=[1, 2])
def loaded(request: pytest.FixtureRequest) -> Iterator[tuple[Analytics, RawEvents]]:
    """A store with events, for questions only."""
    events = make_events(request.param)
    name = f"oracle{next(_numbers)}"
    store = Analytics.open(address(), database=name)
    migrate(store)
    for table, records in (("click", events.clicks), ("view", events.views)):
        load(store, table, [click_item("j", place, encode(each)) for place, each in enumerate(records)], "t")
    rows = [encode_row(fact) for told in events.changes for fact in told]
    random.Random(7).shuffle(rows)
    for start in range(0, len(rows), 100):
        load(store, "fact", rows[start : start + 100], f"f{start}")
    yield store, events
    store.run(f"DROP DATABASE `{name}`")
    store.close()


# --- the oracle ---------------------------------------------------------------------------------------


def keys_of(report: Report, row: Click | ConversionEvent) -> dict[str, int | str]:
    local = datetime.fromtimestamp(row.time // 1000, ZoneInfo(report.zone))
    times = {
        "year": local.year,
        "quarter": (local.month + 2) // 3,
        "month": local.month,
        "day": local.day,
        "hour": local.hour,
    }
    managers = {
        SLICES[name].parts[0].key: managed.get(getattr(row, SLICES[name].owner), "0")
        for name, managed in report.managers.items()
    }
    other = {"trafficback_reason": "reason", "conn_type": "connection"}
    keys = [part.key for name in report.dimensions for part in SLICES[name].parts]
    known = times | managers
    return {key: known[key] if key in known else getattr(row, other.get(key, key)) for key in keys}


def passes(report: Report, row: Click | ConversionEvent) -> bool:
    scope = report.scope
    return (
        report.since <= row.time < report.until
        and (scope.affiliate_ids is None or row.affiliate in scope.affiliate_ids)
        and (scope.advertiser_ids is None or row.advertiser in scope.advertiser_ids)
        and all(getattr(row, name) in chosen for name, chosen in report.filters.items() if hasattr(row, name))
        and not any(getattr(row, name) in left for name, left in report.excluded.items() if hasattr(row, name))
    )


def action(report: Report, conversions: list[ConversionEvent]) -> ConversionTotals:
    own = len(report.filters.get("currency", ())) == 1
    payouts = sum((fact.payout if own else fact.payout_base for fact in conversions), Decimal(0))
    charges = sum((fact.charge if own else fact.charge_base for fact in conversions), Decimal(0))
    sees = report.scope.sees_charge
    return ConversionTotals(
        revenue=charges if sees and not report.by_payout else payouts,
        charge=charges if sees else Decimal(0),
        earning=charges - payouts if sees else Decimal(0),
        payouts=payouts,
        null=sum(fact.payout == 0 for fact in conversions),
        count=len(conversions),
    )


def answer(report: Report, events: RawEvents) -> list[StatsRow]:
    """Every row, in order."""
    clicks = [click for click in events.clicks if passes(report, click)]
    views = [view for view in events.views if passes(report, view) and not view.reason]
    conversions = [fact for fact in events.conversions if passes(report, fact)]
    if "goal" in report.dimensions:
        clicks, views = [], []
    if "trafficback_reason" in report.dimensions:
        clicks, views, conversions = [click for click in clicks if click.reason], [], []
    else:
        clicks = [click for click in clicks if not click.reason]
    groups: dict[tuple[int | str, ...], tuple[list[Click], list[Click], list[ConversionEvent]]] = {}
    for place, records in enumerate((clicks, views, conversions)):
        for record in records:
            groups.setdefault(tuple(keys_of(report, record).values()), ([], [], []))[place].append(record)
    types = dict(GROUPS)
    if report.separate_not_found:
        types["not_found"] = {4}
    else:
        types["declined"] = {3, 4}
    names = list(dict.fromkeys(part.key for name in report.dimensions for part in SLICES[name].parts))
    rows = []
    for key, (own_clicks, own_views, own_facts) in groups.items():
        accepted = [click for click in own_clicks if not click.reason]
        actions = {"total": action(report, own_facts)}
        actions |= {
            kind: action(report, [f for f in own_facts if f.status in wanted]) for kind, wanted in types.items()
        }
        rows.append(
            StatsRow(
                keys=dict(zip(names, key, strict=True)),
                raw=len(accepted),
                uniq=sum(click.uniq for click in accepted),
                trafficback=len(own_clicks) - len(accepted),
                views=len(own_views),
                actions=actions,
            )
        )
    if report.nonzero:
        rows = [row for row in rows if row.actions["total"].count]
    return ordered(report, rows)


def ordered(report: Report, rows: list[StatsRow]) -> list[StatsRow]:
    rows = sorted(rows, key=lambda row: tuple(row.keys.values()), reverse=report.descending and not effective(report))
    for name in reversed(effective(report)):
        rows.sort(key=sorting(report, name), reverse=report.descending)
    return rows


def effective(report: Report) -> list[str]:
    return [name for name in report.order if name != "currency"]


def sorting(report: Report, name: str) -> Callable[[StatsRow], object]:
    if name in report.titles:
        [part] = SLICES[name].parts
        return lambda row: report.titles[name].get(row.keys[part.key], "").lower()
    if name in SLICES:
        return lambda row: tuple(row.keys[part.key] for part in SLICES[name].parts)
    if name in ("raw", "uniq"):
        return lambda row: getattr(row, name)
    kind, _, metric = name.rpartition("_")
    return lambda row: getattr(row.actions[kind], metric)


# --- the questions ------------------------------------------------------------------------------------

MANAGERS = {
    "manager": {1: "d" * 24, 3: "e" * 24, 77: "f" * 24},
    "advertiser_manager": {"a" * 24: "e" * 24},
}
"""Who manages what: two affiliates of three, one advertiser of two."""
TITLES: dict[str, dict[int, str] | dict[str, str]] = {
    "offer": {1: "shoes", 2: "Boots", 30: "SHOES", 99: "gone"},
    "affiliate": {1: "zoe", 2: "Adam"},
    "advertiser": {"a" * 24: "Zoo", "b" * 24: "apples"},
    "manager": {"0": "Undefined", "d" * 24: "zed", "e" * 24: "Ann"},
    "advertiser_manager": {"0": "Undefined", "e" * 24: "Ann"},
}
"""Titles of values, two alike but for case, and some values without one."""
SHARED = {"manager": dict.fromkeys((1, 2, 3), "d" * 24), "advertiser_manager": dict.fromkeys(("a" * 24, "b" * 24), "d")}
"""One manages everything."""
EVERYTHING = Report(
    Scope.everything(), CENTRES[0] - 40 * HOUR, CENTRES[-1] + 40 * HOUR, (), limit=100_000, managers=MANAGERS
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    dimensions = tuple(draw(st.lists(st.sampled_from(sorted(SLICES)), max_size=3, unique=True)))
    separate_not_found = draw(st.booleans())
    metrics = [name for name in ORDER_METRICS if separate_not_found or not name.startswith("not_found")]
    filters = {}
    for name in draw(st.lists(st.sampled_from(sorted(set(FILTERS) & set(VALUES))), max_size=2, unique=True)):
        filters[name] = tuple(draw(st.lists(st.sampled_from(VALUES[name]), max_size=2, unique=True)))
    excluded = {}
    for name in draw(st.lists(st.sampled_from(sorted(set(FILTERS) & set(VALUES))), max_size=2, unique=True)):
        excluded[name] = tuple(draw(st.lists(st.sampled_from(VALUES[name]), min_size=1, max_size=2, unique=True)))
    order = tuple(draw(st.lists(st.sampled_from([*dimensions, *metrics, "currency"]), max_size=2, unique=True)))
    edges = sorted(
        draw(
            st.lists(
                st.sampled_from([c + h * HOUR for c in CENTRES for h in (-40, -1, 0, 1, 40)]), min_size=2, max_size=2
            )
        )
    )
    scope = draw(
        st.sampled_from(
            [
                Scope.everything(),
                Scope.of_affiliate(2),
                Scope(affiliate_ids=frozenset({1, 3})),
                Scope(advertiser_ids=frozenset({"a" * 24})),
                Scope(affiliate_ids=frozenset()),
            ]
        )
    )
    return Report(
        scope=scope,
        since=edges[0],
        until=edges[1],
        dimensions=dimensions,
        filters=filters,
        excluded=excluded,
        titles={name: TITLES[name] for name in order if name in TITLES and draw(st.booleans())},
        by_payout=draw(st.booleans()),
        managers=draw(st.sampled_from([MANAGERS, {"manager": {}, "advertiser_manager": {}}, SHARED])),
        zone=draw(st.sampled_from(ZONES)),
        order=order,
        descending=draw(st.booleans()),
        separate_not_found=separate_not_found,
        nonzero=draw(st.booleans()),
        page=draw(st.integers(1, 3)),
        limit=draw(st.sampled_from([1, 7, 1000])),
    )


def check(loaded: tuple[Analytics, RawEvents], report: Report) -> None:
    store, events = loaded
    page = run_report(store, report)
    wanted = answer(report, events)
    start = (report.page - 1) * report.limit
    assert page.total_count == len(wanted)
    assert page.rows == wanted[start : start + report.limit]


@settings(max_examples=60)
@given(report=reports())
def test_store_report_matches_plain_python(loaded: tuple[Analytics, RawEvents], report: Report) -> None:
    check(loaded, report)


OF_TIME = ("hour", "day", "month", "quarter", "year")


@pytest.mark.parametrize(
    ("dimension", "zone"),
    [(name, zone) for name in OF_TIME for zone in ZONES]
    + [(name, "UTC") for name in sorted(set(SLICES) - set(OF_TIME))],
)
def test_store_report_of_every_slice_matches_plain_python(
    loaded: tuple[Analytics, RawEvents], dimension: str, zone: str
) -> None:
    check(loaded, dataclasses.replace(EVERYTHING, dimensions=(dimension,), zone=zone))


@pytest.mark.parametrize("dimension", sorted(set(SLICES) - {"trafficback_reason"}))
def test_store_report_rows_sum_to_total(loaded: tuple[Analytics, RawEvents], dimension: str) -> None:
    store, _ = loaded
    [total] = run_report(store, EVERYTHING).rows
    rows = run_report(store, dataclasses.replace(EVERYTHING, dimensions=(dimension,))).rows
    for kind, wanted in total.actions.items():
        for name in ("revenue", "charge", "earning", "payouts", "null", "count"):
            assert sum(getattr(row.actions[kind], name) for row in rows) == getattr(wanted, name)
    if dimension != "goal":
        for name in ("raw", "uniq", "views"):
            assert sum(getattr(row, name) for row in rows) == getattr(total, name)


@pytest.mark.parametrize("currency", VALUES["currency"])
def test_store_report_of_one_currency_uses_that_currency(loaded: tuple[Analytics, RawEvents], currency: str) -> None:
    report = dataclasses.replace(EVERYTHING, filters={"currency": (currency,)}, dimensions=("month",))
    assert report.currency == currency
    check(loaded, report)
