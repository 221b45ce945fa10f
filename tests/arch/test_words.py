"""The words of the house: names that say what they name, in the terms of docs/glossary.md."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.arch.sources import nodes_of, prose_of
from tests.arch.turns import count_turns

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("trackyard", "tests", "bench")
LONG_LINE: Final = 100
MOST_TURNS: Final = 209
"""Turns of phrase in docstrings (tests/arch/turns.py), of which most are the noun "names"."""
STARTERS: Final = {"it", "of", "that", "the", "there", "this", "what", "when", "where", "which", "who", "whose"}
"""Words that begin no name of a test: it begins with its subject."""

_WORD_IN_NAME: Final = re.compile(
    r"(?:^|_)(?:told|tells?|beside|aside|whose|whoever|anew|nobody|somebody|anybody)(?:_|$)"
)
BANNED_WORD: Final = re.compile(
    r"\b(?:whose|whoever|whom|nobody|somebody|anybody|told|tells?|telling|beside|aside|anew|lets? in|stands?|stood"
    r"|lies|lay|goes on|made again|what(?:ever)? becomes|of late|thus|hence|therein|comes? to be|gives? back)\b",
    re.IGNORECASE,
)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def modules(folder: str) -> list[Path]:
    """Return each module, apart from migrations, which are never edited."""
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if path.parent.name != "versions"]


def defined(folder: str) -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the place and node of each class and function."""
    for path in modules(folder):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


@pytest.mark.parametrize("folder", ["trackyard", "tests"])
def test_class_name_is_defined_once(folder: str) -> None:
    named = Counter(node.name for _, node in defined(folder) if isinstance(node, ast.ClassDef))
    assert not [name for name, number in named.items() if number > 1]


def test_test_name_is_unique_and_begins_with_its_subject() -> None:
    named = Counter(node.name for _, node in defined("tests") if node.name.startswith("test_"))
    assert not [name for name, number in named.items() if number > 1]
    assert not [name for name in named if len(name.split("_")) < 4 or name.split("_")[1] in STARTERS]


@pytest.mark.parametrize("folder", FOLDERS)
def test_name_uses_no_banned_word(folder: str) -> None:
    assert not [f"{place}: {node.name}" for place, node in defined(folder) if _WORD_IN_NAME.search(node.name)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstring_begins_with_a_short_sentence(folder: str) -> None:
    wrong = []
    for path in modules(folder):
        for node in nodes_of(path):
            if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)):
                line = docstring.splitlines()[0]
                if len(line) > LONG_LINE or not line.endswith("."):
                    wrong.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}: {line}")
    assert not wrong


def test_docstrings_have_few_turns_that_need_a_second_reading() -> None:
    found: Counter[str] = Counter()
    for path in modules("trackyard"):
        documented = (node for node in nodes_of(path) if isinstance(node, _DOCUMENTED))
        found += count_turns(ast.get_docstring(node) or "" for node in documented)
    assert len(modules("trackyard")) >= 1200 and found.total() <= MOST_TURNS, f"the number may only fall: {found}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_prose_uses_no_banned_word(folder: str) -> None:
    assert not [
        f"{path.relative_to(ROOT)}:{line}: {match[0]}"
        for path in modules(folder)
        for line, said in prose_of(path)
        if (match := BANNED_WORD.search(said))
    ]


def test_page_uses_no_banned_word() -> None:
    templates = (ROOT / "trackyard/console/templates").rglob("*.html")
    documents = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    pages = [page for page in (*documents, *templates) if page.name != "glossary.md"]
    assert not [
        f"{page.relative_to(ROOT)}:{number}: {match[0]}"
        for page in sorted(pages)
        for number, line in enumerate(page.read_text().splitlines(), 1)
        if (match := BANNED_WORD.search(line))
    ]
