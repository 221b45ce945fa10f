"""The words of the house: names that say what they name, in the terms of docs/glossary.md."""

import ast
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.arch import words
from tests.arch.sources import nodes_of
from tests.arch.turns import count_turns
from tests.arch.words import DOCUMENTED, FOLDERS, ROOT

MOST_TURNS: Final = 2
"""Turns of phrase in docstrings (tests/arch/turns.py)."""
MOST_TURNS_OF_PAGES: Final = 74
"""The same turns in documents, templates and tables of texts: affiliates and other people may ask."""
LEAST: Final = {"trackyard": 1200, "tests": 700, "bench": 20}
"""The number of modules that a rule reads at least, so that no rule reads an empty folder."""


@cache
def modules(folder: str) -> list[Path]:
    """Return each module, apart from migrations, which are never edited."""
    found = [path for path in sorted((ROOT / folder).rglob("*.py")) if words.is_checked(path)]
    assert len(found) >= LEAST[folder]
    return found


@pytest.mark.parametrize("folder", ["trackyard", "tests"])
def test_class_name_is_defined_once(folder: str) -> None:
    nodes = (node for path in modules(folder) for _, node in words.defined_in(path))
    assert not words.repeated(node.name for node in nodes if isinstance(node, ast.ClassDef))


def test_test_name_is_unique_and_begins_with_its_subject() -> None:
    nodes = (node for path in modules("tests") for _, node in words.defined_in(path))
    assert not words.repeated(node.name for node in nodes if node.name.startswith("test_"))
    assert not [wrong for path in modules("tests") for wrong in words.wrong_names_of_tests(path)]


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("A file is no text.", True),
        ("Such names\n    are no macros.", True),
        ("There is no click.", False),
        ("There\n    are no numbers.", False),
        ("It is no longer there.", False),
        ("It is not a click.", False),
    ],
)
def test_rule_of_is_no_finds_what_is_not_plain(text: str, is_wrong: bool) -> None:
    assert bool(words.IS_NO.search(text)) is is_wrong


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("Rights of managers, and those of others.", True),
        ("Those that wait come first.", True),
        ("Its color is that of the page.", True),
        ("The rights of managers, and the rights of others.", False),
        ("These files were sent.", False),
    ],
)
def test_rule_of_nouns_finds_pronouns_in_their_place(text: str, is_wrong: bool) -> None:
    assert bool(words.NO_NOUN.search(text)) is is_wrong


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("The address of the page has its filters.", True),
        ("A click from another address.", True),
        ("The URL of the page, an IP address or an e-mail address.", False),
        ("Postal address: `address_1` and address_2.", False),
    ],
)
def test_rule_of_addresses_finds_others_than_postal_ones(text: str, is_wrong: bool) -> None:
    assert bool(words.ADDRESS.search(text)) is is_wrong


@pytest.mark.parametrize("rule", [words.wrong_names, words.wrong_first_lines, words.wrong_prose])
@pytest.mark.parametrize("folder", FOLDERS)
def test_module_has_the_words_of_the_house(folder: str, rule: Callable[[Path], list[str]]) -> None:
    assert not [wrong for path in modules(folder) for wrong in rule(path)]


def test_docstrings_have_few_turns_that_need_a_second_reading() -> None:
    found: Counter[str] = Counter()
    for path in modules("trackyard"):
        documented = (node for node in nodes_of(path) if isinstance(node, DOCUMENTED))
        found += count_turns(ast.get_docstring(node) or "" for node in documented)
    assert found.total() <= MOST_TURNS, f"the number may only fall: {found}"


def test_text_of_the_program_has_no_turn_that_hides_a_noun() -> None:
    assert not [wrong for path in modules("trackyard") for wrong in words.wrong_texts(path)]


@cache
def pages() -> list[Path]:
    """Return each document, template and table of texts."""
    kinds = ("*.html", "*.toml")
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    files += [path for kind in kinds for path in (ROOT / "trackyard").rglob(kind)]
    found = sorted(filter(words.is_checked, files))
    assert len(found) >= 330
    return found


def test_page_uses_no_banned_word() -> None:
    assert not [wrong for page in pages() for wrong in words.wrong_lines(page)]


def test_pages_have_few_turns_that_need_a_second_reading() -> None:
    found = count_turns(page.read_text() for page in pages())
    assert found.total() <= MOST_TURNS_OF_PAGES, f"the number may only fall: {found}"


def test_check_of_named_files_is_silent_without_wrong_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert words.main(["tests/arch/words.py", "docs/glossary.md", "LICENSE"]) == 0
    assert capsys.readouterr().out == ""


def test_check_of_named_files_prints_each_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_it.py").write_text('def test_it() -> None:\n    """Give back"""\n')
    (tmp_path / "README.md").write_text("It works.\nIt goes on.\n")
    (tmp_path / "notes.txt").write_text("It goes on.\n")
    assert words.main(["tests/test_it.py", "README.md", "notes.txt"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "tests/test_it.py:1: Give back",
        "tests/test_it.py:2: Give back",
        "tests/test_it.py:1: test_it",
        "README.md:2: goes on",
    ]
