"""Values of subs by their prefix."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.models.events import NOON, new_click
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.subs import SubSearch, find_subs
from trackyard.domain.people.scope import Scope
from trackyard.journal.records import encode

EVERYTHING = SubSearch(Scope.everything(), NOON, {"sub1": ("",)})


def load_subs(analytics: Analytics, *made: dict[str, Any]) -> None:
    clicks = [new_click(number, **fields) for number, fields in enumerate(made)]
    load(analytics, "click", [click_item("j", place, encode(click)) for place, click in enumerate(clicks)], "t")


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({}, ["%", "Ann", "ann", "anna", "ä'b\\"]),
        ({"prefixes": {"sub1": ("an",)}}, ["ann", "anna"]),
        ({"prefixes": {"sub1": ("ä'b\\",)}}, ["ä'b\\"]),
        ({"prefixes": {"sub1": ("%",)}}, ["%"]),
        ({"prefixes": {"sub1": ("none",)}}, []),
        ({"prefixes": {"sub5": ("",)}}, ["five"]),
        ({"prefixes": {"sub5": ("a",)}}, []),
        ({"prefixes": {"sub1": ("A", "an")}}, ["Ann", "ann", "anna"]),
        ({"prefixes": {"sub1": ("none", "%")}}, ["%"]),
        ({"scope": Scope.of_affiliate(2)}, ["anna"]),
        ({"scope": Scope(advertiser_ids=frozenset({"a" * 24}))}, ["%"]),
        ({"scope": Scope(affiliate_ids=frozenset())}, []),
        ({"since": NOON + 1}, ["%"]),
    ],
)
def test_sub_search_respects_scope_and_period(analytics: Analytics, change: dict[str, Any], values: list[str]) -> None:
    load_subs(
        analytics,
        {"sub1": "ann"},
        {"sub1": "ann"},
        {"sub1": "Ann", "sub5": "five"},
        {"sub1": "anna", "affiliate": 2},
        {"sub1": "anno", "reason": "bot"},
        {"sub1": "ä'b\\"},
        {"sub1": "%", "time": NOON + 1, "advertiser": "a" * 24},
    )
    query = replace(EVERYTHING, **change)
    [name] = query.prefixes
    assert find_subs(analytics, query) == ([{name: value} for value in values], len(values))


def test_sub_search_of_several_subs_lists_combinations(analytics: Analytics) -> None:
    load_subs(
        analytics,
        {"sub1": "a", "sub8": "x"},
        {"sub1": "ab", "sub8": "x"},
        {"sub1": "ab", "sub8": "x", "sub2": "other"},
        {"sub1": "ab", "sub8": "y"},
        {"sub1": "ab"},
        {"sub1": "b", "sub8": "x"},
    )
    found, total = find_subs(analytics, replace(EVERYTHING, prefixes={"sub8": ("x", "y"), "sub1": ("a",)}))
    assert found == [{"sub1": "a", "sub8": "x"}, {"sub1": "ab", "sub8": "x"}, {"sub1": "ab", "sub8": "y"}]
    assert total == 3
    assert find_subs(analytics, replace(EVERYTHING, prefixes={"sub1": ("b",), "sub8": ("y",)})) == ([], 0)


def test_sub_search_pages_are_disjoint(analytics: Analytics) -> None:
    load_subs(analytics, *({"sub1": f"{number % 7}"} for number in range(20)))
    pages = [find_subs(analytics, replace(EVERYTHING, page=page, limit=3)) for page in (1, 2, 3, 4)]
    assert [total for _, total in pages] == [7] * 4
    assert [[each["sub1"] for each in values] for values, _ in pages] == [["0", "1", "2"], ["3", "4", "5"], ["6"], []]


@pytest.mark.parametrize(
    "wrong",
    [
        {"prefixes": {"sub9": ("",)}},
        {"prefixes": {"sub1": ("",), "ip": ("",)}},
        {"prefixes": {}},
        {"page": 0},
        {"limit": 0},
    ],
)
def test_sub_search_with_invalid_query_raises(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        replace(EVERYTHING, **wrong)
