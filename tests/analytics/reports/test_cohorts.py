"""Retention and time to action equal plain Python over the raw events.

docs/spec/statistics.md#retention-and-time-to-action.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count, groupby
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores.analytics import address
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.cohorts import query_retention, query_time_to_action
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.cohorts import Cohort, RetentionQuery, TimeToActionQuery, TimeToActionRow
from trackyard.domain.statistics.rows import ConversionEvent, encode_row
from trackyard.journal.records import Click, encode

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
BERLIN_AUTUMN = int(datetime(2024, 10, 27, 1, tzinfo=UTC).timestamp()) * 1000
"""In the middle of a day of 25 hours."""
GOALS = ("install", "sale", "level", "install")
ADVERTISERS = ("a" * 24, "b" * 24)
ZONES = ("UTC", "Asia/Kathmandu", "Europe/Berlin", "Pacific/Auckland")
_names = count(1)


def fields_of(fact: ConversionEvent) -> dict[str, object]:
    return {name: getattr(fact, name) for name in ConversionEvent.__struct_fields__}


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[Analytics, list[Click], list[ConversionEvent]]]:
    """Return a store with its clicks and conversions, some of them changed or removed."""
    chance = random.Random(5)
    owned = {"affiliate": (1, 2, 3), "offer": (1, 2), "advertiser": ADVERTISERS, "reason": ("", "", "", "bot")}
    clicks, events, facts = [], [], []
    for number in range(200):
        values = {name: chance.choice(choices) for name, choices in owned.items()}
        clicks.append(new_click(number, time=BERLIN_AUTUMN + chance.randrange(-40 * HOUR, 40 * HOUR), **values))
    for number in range(500):
        click = chance.choice(clicks)
        waited = chance.choice((-500, 0, 30_000, 30_001, 600_000, 600_001, chance.randrange(3 * DAY)))
        fact = new_fact(
            number,
            click_id=click.id,
            click_time=click.time,
            time=click.time + waited,
            goal=chance.choice(GOALS),
            **{name: getattr(click, name) for name in ("affiliate", "offer", "advertiser")},
        )
        gone, changed = chance.random() < 0.1, ConversionEvent(**fields_of(fact) | {"version": 2, "status": 3})
        events += [fact, ConversionEvent(**fields_of(fact) | {"sign": -1})] if gone or number % 3 else [fact]
        if not gone and number % 3:
            events.append(changed)
        if not gone:
            facts.append(fact)
    name = f"cohorts{next(_names)}"
    store = Analytics.open(address(), database=name)
    migrate(store)
    load(store, "click", [click_item("j", place, encode(click)) for place, click in enumerate(clicks)], "t")
    load(store, "fact", [encode_row(fact) for fact in events], "t")
    yield store, clicks, facts
    store.run(f"DROP DATABASE `{name}`")
    store.close()


def is_seen(question: RetentionQuery | TimeToActionQuery, row: Click | ConversionEvent) -> bool:
    scope = question.scope
    return (
        row.offer == question.offer
        and scope.has_affiliate(row.affiliate)
        and scope.has_advertiser(row.advertiser)
        and (question.affiliates is None or row.affiliate in question.affiliates)
    )


def cohorts(question: RetentionQuery, facts: list[ConversionEvent]) -> list[Cohort]:
    """Return every cohort in order."""
    zone = ZoneInfo(question.zone)
    seen = sorted((fact for fact in facts if is_seen(question, fact)), key=lambda f: (f.time, f.conversion_id))
    found: dict[tuple[str, int], list[set[str]]] = {}
    bases = [f for f in seen if f.goal == question.base_event and question.since <= f.time < question.until]
    days = {f.conversion_id: str(datetime.fromtimestamp(f.time // 1000, zone).date()) for f in bases}

    def key(fact: ConversionEvent) -> tuple[str, str]:
        return fact.click_id, days[fact.conversion_id]

    for (click_id, day), of_day in groupby(sorted(bases, key=lambda f: (key(f), f.time, f.conversion_id)), key=key):
        first = next(of_day)
        later = {
            f.goal
            for f in seen
            if f.click_id == click_id and f.time >= first.time and f.conversion_id != first.conversion_id
        }
        had = {*later, question.base_event}
        found.setdefault((day, first.affiliate), []).append(had.intersection(question.events))
    return [
        Cohort(affiliate, day, len(had), {event: sum(event in one for one in had) for event in question.events})
        for (day, affiliate), had in sorted(found.items())
    ]


def timings(question: TimeToActionQuery, clicks: list[Click], facts: list[ConversionEvent]) -> list[TimeToActionRow]:
    """Return every row in order."""
    counted = [c for c in clicks if is_seen(question, c) and not c.reason and question.since <= c.time < question.until]
    made = [
        f
        for f in facts
        if is_seen(question, f)
        and question.since <= f.time < question.until
        and f.goal in (question.goals or (f.goal,))
    ]
    rows = []
    for affiliate in sorted({row.affiliate for row in (*counted, *made)}):
        waits = [fact.time - fact.click_time for fact in made if fact.affiliate == affiliate]
        soon = sum(wait <= 30_000 for wait in waits)
        later = sum(30_000 < wait <= 600_000 for wait in waits)
        number = sum(click.affiliate == affiliate for click in counted)
        rows.append(TimeToActionRow(affiliate, number, len(waits), soon, later, len(waits) - soon - later))
    return rows


SCOPES = (
    Scope.everything(),
    Scope.of_affiliate(2),
    Scope(affiliate_ids=frozenset({1, 3})),
    Scope(advertiser_ids=frozenset(ADVERTISERS[:1])),
    Scope(affiliate_ids=frozenset()),
)
spans = st.tuples(*[st.sampled_from([BERLIN_AUTUMN + h * HOUR for h in (-48, -10, -1, 0, 3, 48)])] * 2).map(sorted)
affiliates = st.sampled_from([None, None, (), (1,), (2, 3)])


@settings(max_examples=60)
@given(
    scope=st.sampled_from(SCOPES),
    span=spans,
    zone=st.sampled_from(ZONES),
    base=st.sampled_from(GOALS),
    events=st.lists(st.sampled_from([*GOALS, "none"]), min_size=1, unique=True),
    among=affiliates,
)
def test_retention_query_matches_plain_python(
    loaded: tuple[Analytics, list[Click], list[ConversionEvent]],
    scope: Scope,
    span: list[int],
    zone: str,
    base: str,
    events: list[str],
    among: tuple[int, ...] | None,
) -> None:
    store, _, facts = loaded
    question = RetentionQuery(scope, *span, zone, 1, base, tuple(events), among)
    assert query_retention(store, question) == cohorts(question, facts)


@settings(max_examples=60)
@given(
    scope=st.sampled_from(SCOPES),
    span=spans,
    goals=st.lists(st.sampled_from(GOALS), max_size=2).map(tuple),
    among=affiliates,
    page=st.integers(1, 3),
    limit=st.sampled_from([1, 2, 100]),
)
def test_time_to_action_query_matches_plain_python(
    loaded: tuple[Analytics, list[Click], list[ConversionEvent]],
    scope: Scope,
    span: list[int],
    goals: tuple[str, ...],
    among: tuple[int, ...] | None,
    page: int,
    limit: int,
) -> None:
    store, clicks, facts = loaded
    question = TimeToActionQuery(scope, *span, 1, goals, among, page, limit)
    wanted = timings(question, clicks, facts)
    assert query_time_to_action(store, question) == (wanted[(page - 1) * limit : page * limit], len(wanted))


def test_time_to_action_three_intervals_sum_to_total(
    loaded: tuple[Analytics, list[Click], list[ConversionEvent]],
) -> None:
    store, _, facts = loaded
    question = TimeToActionQuery(Scope.everything(), 0, 2**50, 2)
    rows, _ = query_time_to_action(store, question)
    assert sum(row.conversions for row in rows) == sum(fact.offer == 2 for fact in facts)
    assert all(row.soon + row.later + row.last == row.conversions for row in rows)
    assert all(min(row.soon, row.later, row.last) > 0 for row in rows)


def test_retention_query_of_base_event_is_whole_cohort(analytics: Analytics) -> None:
    first, again = new_fact(1, click_id="c" * 24, goal="install"), new_fact(2, click_id="c" * 24, goal="install")
    other = new_fact(3, click_id="d" * 24, goal="install")
    load(analytics, "fact", [encode_row(fact) for fact in (first, other)], "t")
    question = RetentionQuery(Scope.everything(), NOON, NOON + 1, "UTC", 1, "install", ("install", "sale"))
    assert query_retention(analytics, question) == [Cohort(1, "2023-11-15", 2, {"install": 2, "sale": 0})]
    load(analytics, "fact", [encode_row(again)], "u")
    [cohort] = query_retention(analytics, question)
    assert (cohort.size, cohort.rate("install"), cohort.rate("sale")) == (2, Decimal(100), Decimal(0))


def test_retention_query_counts_events_after_period(analytics: Analytics) -> None:
    facts = [
        new_fact(1, click_id="c" * 24, goal="install"),
        new_fact(2, click_id="c" * 24, goal="sale", time=NOON + 90 * DAY),
        new_fact(3, click_id="d" * 24, goal="install"),
        new_fact(4, click_id="d" * 24, goal="sale", time=NOON - 1),  # before it
        new_fact(5, click_id="e" * 24, goal="install"),
    ]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    question = RetentionQuery(Scope.everything(), NOON - DAY, NOON + 1, "UTC", 1, "install", ("sale",))
    [cohort] = query_retention(analytics, question)
    assert (cohort.size, cohort.reached, cohort.rate("sale")) == (3, {"sale": 1}, Decimal("33.3333"))


@pytest.mark.parametrize("wrong", [{"page": 0}, {"limit": 0}])
def test_cohort_query_pages_start_at_1(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        replace(TimeToActionQuery(Scope.everything(), 0, 1, 1), **wrong)  # type: ignore[arg-type]
