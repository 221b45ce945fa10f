"""Every page with a period shows the days of `tz` in its address, and its links keep that zone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.page_world import READ, PageWorld, ReadNames, page_world
from tests.support.pages import PageReader
from trackyard.console.frame.pages import PageRoute

pytestmark = pytest.mark.slow

FULL: Final = "from=2023-11-15&to=2023-11-15"
"""A day of the platform, in UTC, that all of the traffic was in, from 12:00 on."""
ZONE: Final = "Pacific/Kiritimati"
"""Fourteen hours ahead: that traffic is on the next day there."""
REPORTS: Final = (
    "/console/", "/console/reports", "/console/reports?by=day&compare=none", "/console/reports?by=offer&by=country",
    "/console/reports?view=heat", "/console/reports?view=funnel", "/console/offers/{id}", "/console/affiliates/{id}",
    "/console/advertisers/{id}", "/console/conversions", "/console/clicks", "/portal/reports", "/portal/conversions",
    "/advertiser/statistics", "/advertiser/conversions", "/advertiser/statistics?by=offer",
)  # fmt: skip
NAMES: Final = ("Yoga mats", "DE", "Germany")
"""What rows of the traffic have."""


@pytest.fixture(scope="module")
def world(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    with page_world(migrated_sqlite, tmp_path_factory.mktemp("zones")) as made:
        yield made


def with_period(world: PageWorld, monkeypatch: pytest.MonkeyPatch) -> list[PageRoute]:
    """Return the pages that read a period from their address."""
    read = ReadNames(monkeypatch)
    for route in READ:
        read.of(world, route)
    return [route for route in READ if {"from", "to"} <= read.names[route.path]]


def joined(address: str, query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{query}"


def figures_of(text: str) -> str:
    """Return the tables, tiles and charts of a page, or the lines of a file."""
    found = re.findall(r"<tbody>.*?</tbody>|<div class=\"figures\">.*?</div>", text, re.DOTALL)
    return " ".join("".join(found).split()) if "<html" in text else text


def test_figures_of_each_page_with_a_period_are_those_of_the_zone_in_its_address(
    world: PageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = with_period(world, monkeypatch)
    assert len(routes) >= 20, [route.path for route in routes]
    moved, wrong = set(), []
    for route in routes:
        visitor, address = world.visitor(route), world.address(route)
        there = visitor.get(joined(address, f"{FULL}&tz={ZONE}")).text
        next_day = visitor.get(joined(address, f"{FULL.replace('11-15', '11-16')}&tz={ZONE}")).text
        here = visitor.get(joined(address, FULL)).text
        if figures_of(here) == figures_of(there):
            continue  # the page has nothing of that day, or of any
        moved.add(route.path)
        if any(name in figures_of(there) for name in NAMES) and figures_of(there) == figures_of(next_day):
            wrong.append(route.path)
    assert wrong == []
    assert len(moved) >= 10, sorted(moved)


def test_empty_day_of_a_zone_has_no_figure_on_any_report(world: PageWorld) -> None:
    by_path = {route.path: route for route in READ}
    faults = []
    for page in REPORTS:
        path, _, query = page.partition("?")
        route = by_path[path]
        address = joined(world.address(route), query) if query else world.address(route)
        visitor = world.visitor(route)
        full = visitor.get(joined(address, FULL)).text
        empty = visitor.get(joined(address, f"{FULL}&tz={ZONE}")).text
        tile = re.compile(r"<small>(?:Clicks|Conversions)[^<]*</small><b>([^<]*)</b>")
        shown = [each for each in tile.findall(empty) if each not in ("0", "—")]
        if shown or ((query.startswith("by") or "conversions" in path or "clicks" in path) and _rows(empty)):
            faults.append((page, shown, _rows(empty)))
        if figures_of(full) == figures_of(empty):
            faults.append((page, ["nothing of the full day"], 0))
    assert len(REPORTS) == 16
    assert faults == []


def _rows(text: str) -> int:
    """Return the rows of tables that name the traffic."""
    return sum("Yoga mats" in row for row in re.findall(r"<tr>.*?</tr>", text, re.DOTALL))


def test_links_of_pages_with_a_period_keep_the_zone(world: PageWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    routes = with_period(world, monkeypatch)
    patterns = [route.pattern for route in routes]
    faults, seen = [], 0
    for route in routes:
        page = PageReader(world.visitor(route).get(joined(world.address(route), f"period=7d&tz={ZONE}")).text)
        for link in page.links:
            parts = urlsplit(link)
            query = parse_qs(parts.query)
            is_dated = bool({"from", "period"} & query.keys()) and any(each.match(parts.path) for each in patterns)
            if is_dated:
                seen += 1
                if "tz" not in query:
                    faults.append((route.path, link))
    assert sorted(set(faults)) == []
    assert seen >= 100
