"""Pages read answers by their types: the console has few texts as keys, and few values of any type.

docs/decisions/0066-pages-take-the-answers-of-methods.md
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.arch.sources import nodes_of

ROOT: Final = Path(__file__).parents[2]
CONSOLE: Final = sorted((ROOT / "trackyard" / "console").rglob("*.py"))
MOST_SUBSCRIPTS: Final = 37
"""Subscripts with a literal text: variables of paths, the request of the server, tables of the program. Not answers."""
MOST_ANY: Final = 21
"""Uses of Any: values of forms and of templates, and methods of every answer."""


def _nodes() -> Iterator[ast.AST]:
    for path in CONSOLE:
        yield from nodes_of(path)


def test_console_modules_are_read() -> None:
    assert len(CONSOLE) >= 200


def test_console_reads_no_answer_by_texts() -> None:
    found = [
        node
        for node in _nodes()
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    ]
    assert len(found) <= MOST_SUBSCRIPTS, "the number may only fall: give the value a type"


def test_console_has_few_values_of_any_type() -> None:
    found = [node for node in _nodes() if isinstance(node, ast.Name) and node.id == "Any"]
    assert len(found) <= MOST_ANY, "the number may only fall: give the value a type"


def test_console_calls_methods_by_their_declaration_alone() -> None:
    texts = {node.value for node in _nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    from trackyard.api.catalogue import CATALOGUE

    ids = {endpoint.id for endpoint in CATALOGUE if "." in endpoint.id}
    assert len(ids) >= 300 and not ids & texts
