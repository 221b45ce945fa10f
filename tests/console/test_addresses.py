"""Wrong numbers in the addresses of all pages: in `page`, in what else they read, and in their paths."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.page_world import READ, ROUTES, PageWorld, ReadNames, page_world
from trackyard.console.frame.address import PageAddress

pytestmark = pytest.mark.slow

LONG: Final = "9" * 5000
NUMBERS: Final = {
    "1": 1, "2": 2, "007": 7, "999999": 999_999, "": 1, "0": 1, "000": 1, "-1": 1, "+2": 1, "1.5": 1, "1e5": 1, " 2": 1,
    "two": 1, "\N{ARABIC-INDIC DIGIT TWO}": 1, "\N{SUPERSCRIPT TWO}": 1, "1000000": 1, LONG: 1,
    "0" * 300 + "1999999999999999": 1,
}  # fmt: skip
WRONG: Final = ("0" * 300 + "1999999999999999", "-1", "0", "two", "1.5", "%D9%A2", "%00", "1&page=2")
OTHER: Final = ("9" * 60, "-1", "%D9%A2", "1.5")
ANSWERED: Final = {200, 303, 400, 403, 404}
NOT_LISTED: Final = {"/sign-in/link", "/sign-in/mails"} | {
    f"/{each}/threads/about" for each in ("console", "portal", "advertiser")
}
"""Pages that need a link that was mailed, or a thing that the address names."""


@pytest.fixture(scope="module")
def world(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    with page_world(migrated_sqlite, tmp_path_factory.mktemp("addresses")) as made:
        yield made


def test_number_of_a_page_is_read_or_is_1() -> None:
    assert {text: PageAddress("/", (("page", text),)).page for text in NUMBERS} == NUMBERS
    assert PageAddress("/").page == 1
    assert PageAddress("/", (("page", "3"), ("page", "4"))).page == 3


def test_wrong_number_of_a_page_shows_the_first_page_of_each_list(
    world: PageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ReadNames(monkeypatch)
    first = {route: read.of(world, route) for route in READ}
    assert {route.path for route, each in first.items() if each.status_code != 200} == NOT_LISTED
    lists = [route for route in READ if "page" in read.names[route.path]]
    assert len(lists) >= 48
    faults = []
    for place, route in enumerate(lists):
        address = world.address(route)
        rows = first[route].text.count("<tr")
        for value in (LONG, WRONG[place % len(WRONG)]):
            answer = world.visitor(route).get(f"{address}{'&' if '?' in address else '?'}page={value}")
            if answer.status_code != 200 or answer.text.count("<tr") != rows:
                faults.append((address, value[:30], answer.status_code))
    assert faults == []


def test_wrong_number_in_any_parameter_of_a_page_is_no_failure(
    world: PageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ReadNames(monkeypatch)
    for route in READ:
        read.of(world, route)
    names = {route: sorted(read.names[route.path] - {"lang", "page"}) for route in READ}
    assert len(names) >= 160 and len({name for each in names.values() for name in each}) >= 100
    faults = []
    for route, own in names.items():
        path = world.address(route).partition("?")[0]
        pairs = [f"{name}={OTHER[place % len(OTHER)]}" for place, name in enumerate(own)]
        answer = world.visitor(route).get(f"{path}?{'&'.join(pairs)}")
        if answer.status_code not in ANSWERED:
            faults.append((path, pairs, answer.status_code))
    assert faults == []


def test_wrong_id_in_the_path_of_a_page_is_no_failure(world: PageWorld) -> None:
    about = [route for route in ROUTES if "{" in route.path]
    assert len(about) >= 150
    faults = []
    tokens = {route.audience: world.token(route.audience) for route in about}
    for route in about:
        for value in ("9" * 190, "-1", "%D9%A2"):
            path = re.sub(r"\{\w+\}", value, route.path)
            visitor = world.visitor(route)
            sent = {"form_token": tokens[route.audience]}
            answer = visitor.get(path) if route.method == "GET" else visitor.post(path, **sent)
            if answer.status_code not in ANSWERED:
                faults.append((route.method, path[:80], answer.status_code))
    assert faults == []
    assert world.people["staff"].get(f"/console/offers/{LONG}").status_code == 404
