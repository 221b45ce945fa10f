"""Documents, docstrings and comments refer to documents, headings and files that exist."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.arch.sources import prose_of

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "trackyard"
PAGES: Final = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")])
MODULES: Final = sorted(
    path for folder in ("trackyard", "tests", "bench") for path in (ROOT / folder).rglob("*.py")
) + sorted(ROOT.glob("*.py"))
SCRIPTS: Final = sorted(path for path in (ROOT / "script").iterdir() if path.is_file())
TABLES: Final = sorted((ROOT / "tests").rglob("*.toml"))

_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_FENCE: Final = re.compile(r"^( *)(```|~~~).*?^\1\2", re.MULTILINE | re.DOTALL)
_QUOTED: Final = re.compile(r"`([^`\s]+)`")
_CITED: Final = re.compile(r"(?<![\w./-])(?:docs|tests|trackyard|script)/[\w./-]*\w/?(?:#[\w-]+)?")
_MODULE: Final = re.compile(r"(?<![\w./-])[a-z_]+(?:/[a-z_0-9]+)+\.py\b")
_PATH: Final = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?(?:#[\w-]+)?")
_DECISION: Final = re.compile(r"docs/decisions/(\d{4})")
_FILE: Final = re.compile(r"\.(?:bash|md|py|toml|txt)$")
_OUTSIDE: Final = re.compile(r"(?<![\w/-])(?:behaviour|platform-api|shapes)\.md|\(spec:|§")
"""Citations of documents that are not in the project."""

_BARE: Final = re.compile(r"(?<![\w/-])architecture\.md")
"""A citation of a page of docs/ without its folder; pages of that folder may link it so."""

_GENERATED: Final = re.compile(r"trackyard/compiled\.json")
"""Files that scripts of the project make."""


def links(page: Path) -> Iterator[str]:
    """The targets of a page's links that lead to files of the project."""
    for target in _LINK.findall(page.read_text()):
        if not re.match(r"[a-z]+:", target):
            yield target


def quoted_paths(page: Path) -> Iterator[str]:
    """The paths of files and folders that a page quotes as code, blocks of code apart."""
    for text in _QUOTED.findall(_FENCE.sub("", page.read_text())):
        path, _, _ = text.partition("#")
        if _PATH.fullmatch(text) and "/" in path and (_CITED.fullmatch(text) or _FILE.search(path)):
            yield text


def slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings. A heading that repeats gets a number."""
    found: dict[str, int] = {}
    names = set()
    for heading in _HEADING.findall(_FENCE.sub("", page.read_text())):
        name = slug(heading)
        repeats = found.get(name, 0)
        names.add(f"{name}-{repeats}" if repeats else name)
        found[name] = repeats + 1
    return names


@cache
def leads_somewhere(target: str, *bases: Path) -> bool:
    """Whether a path, with or without an anchor, exists below one of the folders."""
    name, _, anchor = target.partition("#")
    if _GENERATED.fullmatch(name):
        return True
    decision = _DECISION.fullmatch(name)
    if decision is not None:
        return len(list((ROOT / "docs" / "decisions").glob(f"{decision[1]}-*.md"))) == 1 and not anchor
    for base in bases:
        file = base / name
        if file.exists():
            return not anchor or (file.is_file() and anchor in anchors(file))
    return False


@cache
def prose(path: Path) -> str:
    """The docstrings and comments of a module; the whole text of any other file."""
    if path.suffix != ".py":
        return path.read_text()
    return "\n".join(text for _, text in prose_of(path))


def faults(paths: Iterable[Path], find: Callable[[Path], Iterable[str]]) -> dict[str, list[str]]:
    """What is wrong in each file, by its path. Files without a fault are left out."""
    found = {str(path.relative_to(ROOT)): sorted(set(find(path))) for path in paths}
    return {path: wrong for path, wrong in found.items() if wrong}


def broken_links(page: Path) -> Iterator[str]:
    """The targets of a page's links to files or headings that do not exist."""
    for target in links(page):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            yield target


def missing_quoted_paths(page: Path) -> Iterator[str]:
    """The quoted paths of a page that lead nowhere."""
    return (path for path in quoted_paths(page) if not leads_somewhere(path, ROOT, PACKAGE, page.parent))


def missing_citations(path: Path) -> Iterator[str]:
    """The files and headings that docstrings and comments cite and that do not exist."""
    cited = (match.group() for pattern in (_CITED, _MODULE) for match in pattern.finditer(prose(path)))
    return (target for target in cited if not leads_somewhere(target, ROOT, PACKAGE))


def citations_from_outside(path: Path) -> Iterator[str]:
    """Citations of documents that the project does not have."""
    patterns = (_OUTSIDE,) if path in PAGES else (_OUTSIDE, _BARE)
    return (match.group() for pattern in patterns for match in pattern.finditer(prose(path)))


def test_document_links_lead_to_existing_files_and_headings() -> None:
    assert faults(PAGES, broken_links) == {}


def test_document_quoted_paths_exist() -> None:
    assert faults(PAGES, missing_quoted_paths) == {}


def test_docstring_citations_lead_to_existing_files_and_headings() -> None:
    assert faults([*MODULES, *SCRIPTS, *TABLES], missing_citations) == {}


def test_citations_stay_within_the_project() -> None:
    paths = {*MODULES, *SCRIPTS, *TABLES, *PAGES} - {Path(__file__)}
    assert faults(paths, citations_from_outside) == {}


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
def test_architecture_page_names_folder(folder: str) -> None:
    assert f"| `{folder}/` |" in (ROOT / "docs" / "architecture.md").read_text()


def test_readme_leads_from_what_it_is_over_the_demo_to_a_report() -> None:
    text = (ROOT / "README.md").read_text()
    parts = (
        "not affiliated with", "What it is not", "| memory |", "trackyard demo", "trackyard report offers",
        "pictures/architecture.svg", "| folder | what |",
    )  # fmt: skip
    places = [text.index(part) for part in ("self-hosted", *parts)]
    assert places == sorted(places)
    assert text.index("trackyard demo") < text.index("\nscript/server\n"), "the demonstration comes first"


def test_changelog_begins_with_what_an_operator_must_do_and_what_is_new_in_40_lines() -> None:
    newest = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1]
    _, *parts = re.split(r"^### (.+)\n", newest, flags=re.MULTILINE)
    headings, texts = parts[::2], parts[1::2]
    assert headings == ["Before you upgrade", "New", "Added", "Changed", "Fixed"]
    assert re.search(r"^1\. ", texts[0], flags=re.MULTILINE)
    assert len(texts[1].strip().splitlines()) <= 40
