"""The words that a file may not have. `python -m tests.arch.words FILE...` checks named files.

It prints each wrong word with its place, and ends with 1 when there is one. Files of other kinds are not read.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.arch.sources import nodes_of, prose_of

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("trackyard", "tests", "bench")
LONG_LINE: Final = 100
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
IS_NO: Final = re.compile(r"(?<!here)(?<!\s)\s+(?:is|are) no\b(?! longer\b| more\b| faster\b)")
"""A plain sentence has "is not a". "There is no click" and comparisons are plain."""
NO_NOUN: Final = re.compile(r"\bthose\b|\bthat of\b", re.IGNORECASE)
"""A plain sentence repeats the noun: "the rights of the owner"."""
_TURNS: Final = (IS_NO, NO_NOUN)
ADDRESS: Final = re.compile(
    r"(?<![\w.#/`(-])(?<!IP )(?<!IPv[46] )(?<![Ee]-mail )(?<!ostal )(?<!loopback )"
    r"[Aa]ddress(?:es)?\b(?!.:| =|['_=\]/\[(-]|\.\w)"
)
"""An address is a postal one: the others are a URL, an IP address and an e-mail address (docs/glossary.md)."""
DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def place_of(path: Path, line: int) -> str:
    """Return a file and a line as messages have them: "docs/spec/money.md:12"."""
    return f"{path.relative_to(ROOT)}:{line}"


def defined_in(path: Path) -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the place and node of each class and function of a module."""
    for node in nodes_of(path):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield place_of(path, node.lineno), node


def wrong_names(path: Path) -> list[str]:
    """Return the classes and functions of a module that have a banned word in their name."""
    return [f"{place}: {node.name}" for place, node in defined_in(path) if _WORD_IN_NAME.search(node.name)]


def wrong_names_of_tests(path: Path) -> list[str]:
    """Return the tests of a module with fewer than three words, or that do not begin with their subject."""
    names = [(place, node.name) for place, node in defined_in(path) if node.name.startswith("test_")]
    return [f"{place}: {name}" for place, name in names if len(name.split("_")) < 4 or name.split("_")[1] in STARTERS]


def wrong_first_lines(path: Path) -> list[str]:
    """Return the docstrings of a module with a long first line, or one that is not a sentence."""
    wrong = []
    for node in nodes_of(path):
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)):
            line = docstring.splitlines()[0]
            if len(line) > LONG_LINE or not line.endswith("."):
                wrong.append(f"{place_of(path, getattr(node, 'lineno', 1))}: {line}")
    return wrong


def wrong_prose(path: Path) -> list[str]:
    """Return the banned words in docstrings and comments of a module."""
    return [
        f"{place_of(path, line)}: {found[0]}" for line, text in prose_of(path) if (found := BANNED_WORD.search(text))
    ]


def wrong_texts(path: Path) -> list[str]:
    """Return the turns of phrase in texts of a module, in docstrings, errors and logs too."""
    texts = [node for node in nodes_of(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    found = [(node.lineno, turn.search(str(node.value))) for node in texts for turn in _TURNS]
    return [f"{place_of(path, line)}: {match[0].strip()}" for line, match in found if match]


def wrong_lines(path: Path) -> list[str]:
    """Return the banned words and turns of phrase of a document, a template or a table of texts."""
    lines = list(enumerate(path.read_text().splitlines(), 1))
    rules = (BANNED_WORD, *_TURNS) if path.suffix == ".html" else (BANNED_WORD, *_TURNS, ADDRESS)
    found = [(number, rule.search(line)) for number, line in lines for rule in rules]
    return [f"{place_of(path, number)}: {match[0].strip()}" for number, match in found if match]


def repeated(names: Iterator[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, number in Counter(names).items() if number > 1]


def is_checked(path: Path) -> bool:
    """Say whether the rules apply to a file: neither a migration, which is never edited, nor the glossary."""
    place = path.relative_to(ROOT)
    if path.suffix == ".py":
        return place.parts[0] in FOLDERS and path.parent.name != "versions"
    if path.suffix in (".html", ".toml"):
        return place.parts[0] == "trackyard"
    in_documents = len(place.parts) == 1 or place.parts[0] == "docs"
    return path.suffix == ".md" and in_documents and path.name != "glossary.md"


def wrong_words(path: Path) -> list[str]:
    """Return what a file has that a rule about words forbids, with places. Empty for files without rules."""
    if not is_checked(path):
        return []
    if path.suffix != ".py":
        return wrong_lines(path)
    of_folder = {"trackyard": [wrong_texts], "tests": [wrong_names_of_tests]}.get(path.relative_to(ROOT).parts[0], [])
    rules = (wrong_names, wrong_first_lines, wrong_prose, *of_folder)
    return [wrong for rule in rules for wrong in rule(path)]


def main(paths: list[str]) -> int:
    """Print the wrong words of the files, and return the exit code."""
    wrong = [text for path in paths for text in wrong_words(ROOT / path)]
    sys.stdout.writelines(f"{text}\n" for text in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
