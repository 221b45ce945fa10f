"""The table of requirements names pages and tests that exist (docs/spec/console-requirements.md)."""

import re
from functools import cache
from pathlib import Path
from typing import Final

from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "spec" / "console-requirements.md"
ROWS: Final = [
    cells
    for line in PAGE.read_text().splitlines()
    if line.startswith("| ") and (cells := [cell.strip() for cell in line.strip("|").split(" | ")])[0] != "requirement"
]
ADDRESSES: Final = {route.path for route in PageTable(PARTS).routes}
MISSING: Final = ("**Not yet**: ", "No test: ")
"""How the last cell begins where no test shows a requirement; a sentence follows."""

_CODE: Final = re.compile(r"`([^`]+)`")
_TEST: Final = re.compile(r"(tests/[\w/]+\.py)::(\w+)")


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


def test_tests_of_requirements_exist() -> None:
    assert len(ROWS) > 100
    assert sorted({name for *_, shown in ROWS for name in shown_by(shown) if not is_there(name)}) == []


def test_addresses_of_requirements_are_pages() -> None:
    named = {name for _, where, _ in ROWS for name in _CODE.findall(where) if name.startswith("/")}
    assert sorted(named - ADDRESSES) == []


def test_requirement_has_a_test_or_says_what_is_missing() -> None:
    assert [row for row in ROWS if len(row) != 3 or not all(row)] == []
    assert [need for need, _, shown in ROWS if bool(shown_by(shown)) == shown.startswith(MISSING)] == []


def test_scripts_of_the_pages_are_short() -> None:
    scripts = (ROOT / "trackyard" / "console" / "assets").glob("*.js")
    assert sum(len(script.read_text().splitlines()) for script in scripts) < 200
