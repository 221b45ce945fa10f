"""Rows, filters, search, order, pages, files and cards of every list (docs/spec/console.md#lists)."""

import csv
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Final, get_args, get_type_hints
from urllib.parse import quote

import pytest

from tests.support.page_world import READ, PageWorld, page_world
from tests.support.pages import Visitor
from trackyard.console.lists.declared import AnyList
from trackyard.console.lists.page import LISTS
from trackyard.console.parts import PARTS

pytestmark = pytest.mark.slow

assert PARTS  # its import declares the lists
BY_ID: Final = {f"{page.path}#{place}": page for place, page in enumerate(LISTS)}
ROUTES: Final = {route.path: route for route in READ}
TYPED: Final = ("1", "a", f"{1:024x}", "2023-11-14", "USD")
"""Values that people type: each filter takes one of them."""
LEFT_OUT: Final = "does not exist: it is left out."
_SELECT: Final = re.compile(r'<select name="(\w+)">(.*?)</select>', re.DOTALL)
_INPUT: Final = re.compile(r'<input name="(\w+)" value="')
_OPTION: Final = re.compile(r'<option value="([^"]+)"')
_LINK: Final = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL)
_NAME: Final = re.compile(r'aria-label="([^"]*)"')
_TAG: Final = re.compile(r"<[^>]+>")
_TITLE: Final = re.compile(r'<th scope="row"[^>]*>(.*?)</th>', re.DOTALL)
_LABELS: Final = re.compile(r'data-label="([^"]*)"')


@pytest.fixture(scope="module")
def world(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    with page_world(migrated_sqlite, tmp_path_factory.mktemp("lists")) as made:
        yield made


def opened(world: PageWorld, page: AnyList) -> tuple[Visitor, str]:
    """Return who may open a list, and its address; with the tab of a list that shares its path."""
    route = ROUTES[page.path]
    address = world.address(route)
    for name, value in page.own:
        address += f"{'&' if '?' in address else '?'}{name}={value}"
    return world.visitor(route), address


def more(address: str, query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{query}"


def body(page: str) -> str:
    """Return the card of the rows, which has the title of the page."""
    title = page.partition("<h1>")[2].partition("</h1>")[0]
    return page.partition(f'<section class="card" aria-label="{title}">')[2].partition("</section>")[0]


def test_lists_of_every_subject_are_declared() -> None:
    assert len(LISTS) >= 60 and len({page.path for page in LISTS}) >= 53
    assert {page.audience for page in LISTS} == {"staff", "affiliate", "advertiser"}


@pytest.mark.parametrize("name", BY_ID)
def test_list_reads_an_answer_of_its_method(name: str) -> None:
    page = BY_ID[name]
    answered = get_type_hints(page.method.handle)["return"]
    assert page.view in (get_args(answered) or (answered,))
    assert sum(column.role == "title" for column in page.columns) == 1, "the heading of a row and of a card"


@pytest.mark.parametrize("name", BY_ID)
def test_list_shows_its_rows_as_a_table_and_as_cards(world: PageWorld, name: str) -> None:
    page = BY_ID[name]
    visitor, address = opened(world, page)
    text = visitor.get(address).text
    assert visitor.get(address).status_code == 200
    rows = body(text).count("<tr>") - 1
    assert rows >= 1, "the world of pages has a row for each list"
    titles = {str(column.title) for column in page.columns}
    assert '<table class="tall rows">' in text and set(_LABELS.findall(body(text))) <= titles
    assert body(text).count('<th scope="row"') == rows + body(text).count('<tr class="total">')


@pytest.mark.parametrize("name", BY_ID)
def test_list_names_its_links_and_its_cards_in_words(world: PageWorld, name: str) -> None:
    visitor, address = opened(world, BY_ID[name])
    table = body(visitor.get(address).text).partition("<tbody>")[2].partition("</tbody>")[0]
    for given, shown in _LINK.findall(table):
        named = _NAME.findall(given) or [_TAG.sub("", shown)]
        assert re.search(r"[^\W\d_]{2}", named[0]), (given, shown)
        assert _TAG.sub("", shown).strip() in named[0], "people may say what they see"
    for title in _TITLE.findall(table):
        assert re.search(r"[^\W\d_]", _TAG.sub("", title)) or ":" in title, title


@pytest.mark.parametrize("name", BY_ID)
def test_list_leaves_wrong_values_out_and_says_so(world: PageWorld, name: str) -> None:
    page = BY_ID[name]
    visitor, address = opened(world, page)
    plain = body(visitor.get(address).text).count("<tr>")
    offered = _offered(visitor.get(address).text)
    wrong = "&".join(f"{each}=%00{'9' * 400}" for each in offered)
    answer = visitor.get(more(address, f"{wrong}&sort=nothing-desc&page=x"))
    assert answer.status_code == 200 and body(answer.text).count("<tr>") == plain
    assert answer.text.count(LEFT_OUT) == len(offered)


@pytest.mark.parametrize("name", BY_ID)
def test_list_shows_each_filter_that_is_set_with_a_way_back(world: PageWorld, name: str) -> None:
    page = BY_ID[name]
    visitor, address = opened(world, page)
    offered = _offered(visitor.get(address).text)
    assert set(offered) <= {each.name for each in page.filters}
    for each, choice in offered.items():
        tried = (visitor.get(more(address, f"{each}={value}")) for value in ([quote(choice)] if choice else TYPED))
        answer = next(found for found in tried if LEFT_OUT not in found.text)
        assert answer.status_code == 200, each
        assert answer.text.count('<span class="chip">') == 1, each


@pytest.mark.parametrize("name", BY_ID)
def test_list_sorts_by_each_column_that_offers_it(world: PageWorld, name: str) -> None:
    page = BY_ID[name]
    visitor, address = opened(world, page)
    falling = {column.sort for column in page.columns if column.falls}
    for sort in page.sorts:
        alone = "descending" if sort in falling else "ascending"
        for direction, said in (("", alone), ("-asc", "ascending"), ("-desc", "descending")):
            answer = visitor.get(more(address, f"sort={sort}{direction}"))
            assert answer.status_code == 200 and (f'aria-sort="{said}"' in answer.text or "empty" in answer.text)


@pytest.mark.parametrize("name", BY_ID)
def test_list_says_what_a_search_and_a_page_without_rows_are(world: PageWorld, name: str) -> None:
    page = BY_ID[name]
    visitor, address = opened(world, page)
    if page.search is not None:
        text = visitor.get(more(address, f"{page.search.name}=there+is+no+such+text")).text
        assert "Nothing meets these filters." in text and "Show all" in text
    text = visitor.get(more(address, "page=9999")).text
    assert "The list has no page 9999." in text or 'class="empty"' in text


@pytest.mark.parametrize("name", BY_ID)
def test_list_is_a_file_of_its_columns_and_of_all_fields(world: PageWorld, name: str) -> None:
    page = BY_ID[name]
    visitor, address = opened(world, page)
    rows = max(body(visitor.get(address).text).count("<tr>") - 1, 0)
    shown, fields = (_read(visitor, more(address, f"format=csv{query}")) for query in ("", "&fields=all"))
    assert len(shown) == len(fields) >= rows
    if shown:
        named = {str(column.title) for column in page.columns if column.role != "act"}
        assert set(shown[0]) & named and not set(shown[0]) & {
            str(column.title) for column in page.columns if column.role == "act"
        }
    refused = visitor.get(more(address, "format=xls"))
    assert refused.status_code == 400 and "csv" in refused.text


def _offered(text: str) -> dict[str, str]:
    """Return the first choice of each filter; "" where people type."""
    sheet = text.partition('class="button dashed">')[2].partition("</form>")[0]
    selects = {name: _OPTION.findall(options)[0] for name, options in _SELECT.findall(sheet)}
    return {**dict.fromkeys(_INPUT.findall(sheet), ""), **selects}


def _read(visitor: Visitor, address: str) -> list[dict[str, str]]:
    answer = visitor.get(address)
    assert answer.status_code == 200, answer.text[:300]
    return list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))
