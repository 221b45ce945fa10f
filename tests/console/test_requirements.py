"""The tables of requirements name pages, methods and tests that exist.

docs/spec/console-requirements.md, docs/spec/watching.md
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from trackyard.api.catalogue import CATALOGUE
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS

ROOT: Final = Path(__file__).parents[2]
LEAST_ROWS: Final = {"console-requirements.md": 100, "watching.md": 50}
"""How many requirements each page has at least."""
ADDRESSES: Final = {route.path for route in PageTable(PARTS).routes}
MISSING: Final = ("**Not yet**: ", "No test: ")
"""How the last cell begins where no test shows a requirement; a sentence follows."""

_CODE: Final = re.compile(r"`([^`]+)`")
_TEST: Final = re.compile(r"(tests/[\w/]+\.py)::(\w+)")


METHODS: Final = {f"{route.method} {route.path}" for route in CATALOGUE}


@cache
def rows_of(page: str) -> list[list[str]]:
    """The rows of a page of docs/spec: requirement, where, test."""
    lines = (ROOT / "docs" / "spec" / page).read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] != "requirement"]


@cache
def functions_of(file: str) -> set[str]:
    """The names of the tests in a file; none where there is no such file."""
    path = ROOT / file
    return set(re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)) if path.is_file() else set()


def shown_by(cell: str) -> list[str]:
    """What shows a requirement, by the last cell of its row: tests, or a script that measures."""
    return [name for name in _CODE.findall(cell) if name.startswith(("tests/", "script/"))]


def is_there(name: str) -> bool:
    """Whether a test or a script exists."""
    test = _TEST.fullmatch(name)
    return test[2] in functions_of(test[1]) if test else (ROOT / name.partition(" ")[0]).is_file()


@pytest.mark.parametrize("page", LEAST_ROWS)
def test_tests_of_requirements_exist(page: str) -> None:
    rows = rows_of(page)
    assert len(rows) > LEAST_ROWS[page]
    assert sorted({name for *_, shown in rows for name in shown_by(shown) if not is_there(name)}) == []


@pytest.mark.parametrize("page", LEAST_ROWS)
def test_addresses_of_requirements_are_pages_or_methods(page: str) -> None:
    named = {name for _, where, _ in rows_of(page) for name in _CODE.findall(where)}
    pages = {name for name in named if name.startswith("/")}
    methods = {name for name in named if name.startswith(("GET /", "POST /", "DELETE /"))}
    assert (sorted(pages - ADDRESSES), sorted(methods - METHODS)) == ([], [])


@pytest.mark.parametrize("page", LEAST_ROWS)
def test_requirement_has_a_test_or_says_what_is_missing(page: str) -> None:
    rows = rows_of(page)
    assert [row for row in rows if len(row) != 3 or not all(row)] == []
    assert [need for need, _, shown in rows if bool(shown_by(shown)) == shown.startswith(MISSING)] == []


def test_scripts_of_the_pages_are_short() -> None:
    scripts = (ROOT / "trackyard" / "console" / "assets").glob("*.js")
    assert sum(len(script.read_text().splitlines()) for script in scripts) < 200
