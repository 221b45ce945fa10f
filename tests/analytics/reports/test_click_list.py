"""The list of clicks and the look-up by id."""

import dataclasses

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.analytics.reports.clicks import find_click, find_records, list_clicks
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import Click, encode

EVERYTHING = ClickQuery(Scope.everything(), NOON, NOON + 1000)


def load_clicks(analytics: Analytics, clicks: list[Click]) -> None:
    payloads = [encode(click) for click in clicks]
    load(analytics, "click_lookup", [lookup_item(payload) for payload in payloads], "t")
    load(analytics, "click", [click_item("j", place, payload) for place, payload in enumerate(payloads)], "t")


def test_click_list_pages_are_disjoint_and_newest_first(analytics: Analytics) -> None:
    clicks = [new_click(number, time=NOON + number // 4) for number in range(25)]
    load_clicks(analytics, clicks)
    pages = [list_clicks(analytics, dataclasses.replace(EVERYTHING, page=page, limit=10)) for page in (1, 2, 3, 4)]
    assert [page.total_count for page in pages] == [25] * 4
    listed = [entry.click for page in pages for entry in page.clicks]
    assert listed == sorted(clicks, key=lambda click: (click.time, click.id), reverse=True)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        (EVERYTHING, [4, 3, 1, 0]),
        (dataclasses.replace(EVERYTHING, scope=Scope.of_affiliate(2)), [1]),
        (dataclasses.replace(EVERYTHING, scope=Scope(advertiser_ids=frozenset({"a"}))), [4, 3]),
        (dataclasses.replace(EVERYTHING, scope=Scope(affiliate_ids=frozenset())), []),
        (dataclasses.replace(EVERYTHING, filters={"offer": (7, 8), "country": ("NP",)}), [3]),
        (dataclasses.replace(EVERYTHING, filters={"affiliate": ()}), []),
        (dataclasses.replace(EVERYTHING, since=NOON + 1), [4, 3, 1]),
        (dataclasses.replace(EVERYTHING, until=NOON + 4), [3, 1, 0]),
    ],
)
def test_click_list_respects_scope_filters_and_period(
    analytics: Analytics, query: ClickQuery, numbers: list[int]
) -> None:
    changes = [{}, {"affiliate": 2}, {"reason": "bot"}, {"offer": 7, "country": "NP"}, {"offer": 8}]
    clicks = [new_click(number, time=NOON + number, **change) for number, change in enumerate(changes)]
    for click in clicks[3:]:
        click.advertiser = "a"
    load_clicks(analytics, clicks)
    page = list_clicks(analytics, query)
    assert [int(entry.click.id[10:], 16) for entry in page.clicks] == numbers
    assert page.total_count == len(numbers)


def test_click_list_names_conversions_of_click(analytics: Analytics) -> None:
    click = new_click(1)
    load_clicks(analytics, [click, new_click(2)])
    first = new_fact(1, click_id=click.id, time=NOON + 5)
    changed = [
        new_fact(1, click_id=click.id, time=NOON + 5, sign=-1),
        new_fact(1, click_id=click.id, time=NOON + 5, version=2),
    ]
    second = new_fact(2, click_id=click.id, time=NOON + 2)
    load(analytics, "fact", [encode_row(fact) for fact in (first, *changed, second)], "t")
    page = list_clicks(analytics, EVERYTHING)
    assert [entry.conversion_ids for entry in page.clicks] == [(), (second.conversion_id, first.conversion_id)]


def test_click_is_found_by_id(analytics: Analytics) -> None:
    click = new_click(256, sub1="Ж\"'\\\n", reason="bot")
    load_clicks(analytics, [click])
    assert find_click(analytics, click.id) == click
    assert find_click(analytics, new_click(3).id) is None
    assert find_records(analytics, [click.id, "no id", "F" * 24]) == {click.id: encode(click)}


@pytest.mark.parametrize("change", [{"page": 0}, {"limit": 5001}, {"limit": 0}, {"filters": {"goal": ("1",)}}])
def test_click_list_with_invalid_query_raises(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        dataclasses.replace(EVERYTHING, **change)  # type: ignore[arg-type]
