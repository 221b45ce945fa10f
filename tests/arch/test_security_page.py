"""docs/security.md: each threat has tests, and each test that the page names exists."""

import ast
import re
from pathlib import Path
from typing import Final

from tests.arch.sources import nodes_of

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "security.md"
_NAMED: Final = re.compile(r"`(test_\w+)`")


def test_security_page_names_existing_tests() -> None:
    defined = {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    named = set(_NAMED.findall(PAGE.read_text()))
    assert named and sorted(named - defined) == []


def test_security_page_has_a_test_for_each_threat() -> None:
    _, _, threats = PAGE.read_text().partition("## Threats and defences")
    tables, _, _ = threats.partition("\n## ")
    rows = [line for line in tables.splitlines() if line.startswith("| ") and not line.startswith("| threat |")]
    assert len(rows) >= 38
    assert [row for row in rows if not _NAMED.search(row.split("|")[3])] == []
