"""The table of docs/spec/published-api.md names every newer method, and nothing that does not exist."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.contract.declared import BEYOND, DECLARED
from trackyard.api.catalogue import CATALOGUE

ROOT: Final = Path(__file__).parents[2]
ROWS: Final = [
    tuple(cell.strip() for cell in line.strip("|\n").split("|"))
    for line in (ROOT / "docs/spec/published-api.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| part |")
]
NAMED: Final = {method for _, methods, _, _ in ROWS for method in re.findall(r"`([A-Z]+ /[^`]*)`", methods)}
EXISTING: Final = {f"{endpoint.method} {path}" for endpoint in CATALOGUE for path in (endpoint.path, *endpoint.also)}


def test_published_table_names_only_methods_that_exist() -> None:
    assert not NAMED - EXISTING


def test_published_table_names_every_newer_method() -> None:
    newer = {f"{entry['method']} {entry['path']}" for entry in BEYOND["endpoint"]}
    changed = {f"{DECLARED[name].method} {DECLARED[name].path}" for entry in BEYOND["added"] for name in entry["ids"]}
    assert not (newer | changed) - NAMED


@pytest.mark.parametrize(("part", "methods", "effect", "test"), ROWS, ids=[row[0] for row in ROWS])
def test_published_part_says_what_it_does_and_what_shows_it(part: str, methods: str, effect: str, test: str) -> None:
    assert part
    assert methods
    assert effect.endswith(".")
    assert "def test_" in (ROOT / test.strip("`")).read_text()
