"""The walls of the house: import contracts, sizes and names (docs/architecture.md#layers)."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.arch.sources import nodes_of, text_of, tree_of
from trackyard.edge.http.head import _IGNORED_HEADERS

ROOT = Path(__file__).parents[2]
PACKAGE = sorted(p for p in (ROOT / "trackyard").rglob("*.py") if p.parent.name != "versions")
EVERYTHING = [*PACKAGE, *sorted((ROOT / "tests").rglob("*.py"))]
CLICK_PATH = [p for p in PACKAGE if p.relative_to(ROOT / "trackyard").parts[0] in ("decision", "domain", "edge")]
DOMAIN = [p for p in PACKAGE if p.is_relative_to(ROOT / "trackyard" / "domain")]
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc", "service", "services"}
HOMONYMS = {
    # Words for different things in two subjects: edits of an offer and of a conversion.
    "choices", "edits", "events", "failures", "files", "goals", "kinds", "lists", "logs", "notices", "offers", "params",
    "passwords", "payments", "postbacks", "reference", "sessions", "sources", "subs", "texts",
}  # fmt: skip
LONG_FILE, LONG_FUNCTION, FULL_FOLDER = 500, 50, 25


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_walls_read_the_modules_that_they_are_about() -> None:
    """Fewer would mean that a folder was renamed, and that a wall looks at nothing."""
    read = {"package": len(PACKAGE), "all": len(EVERYTHING), "click path": len(CLICK_PATH), "domain": len(DOMAIN)}
    least = {"package": 1100, "all": 1900, "click path": 200, "domain": 130}
    assert {name: count for name, count in read.items() if count < least[name]} == {}, read


def test_import_contracts_are_respected() -> None:
    # A process of its own: import-linter sets up logging and thereby silences the loggers of the other tests.
    check = "import sys; from importlinter import cli; sys.exit(cli.lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_have_no_conflict_markers() -> None:
    found = subprocess.run(["git", "grep", "-lE", "^(<{7}|>{7}) "], cwd=ROOT, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (1, "")


def test_source_files_are_not_too_long() -> None:
    long = {_relative(p): n for p in EVERYTHING if (n := len(text_of(p).splitlines())) > LONG_FILE}
    assert not long


def test_package_folders_hold_at_most_25_files() -> None:
    sizes = Counter(path.parent for path in PACKAGE)
    assert {_relative(folder): count for folder, count in sizes.items() if count > FULL_FOLDER} == {}


def test_nouns_have_one_path_in_every_plane() -> None:
    """One noun has one path, such as offers/promo_codes in domain, store, actions and api."""
    paths: dict[str, set[str]] = {}
    for plane in ("domain", "store", "actions", "api"):
        folder = ROOT / "trackyard" / plane
        for path in (p.relative_to(folder).with_suffix("") for p in PACKAGE if p.is_relative_to(folder)):
            if path.stem != "__init__" and path.parts[0] not in ("engine", "tables"):
                paths.setdefault(path.stem, set()).add(str(path))
    assert len(paths) >= 200, len(paths)
    assert {noun for noun, found in paths.items() if len(found) > 1} == HOMONYMS


def test_source_functions_are_not_too_long() -> None:
    long = {
        f"{_relative(path)}:{f.name}": f.end_lineno - f.lineno
        for path in PACKAGE
        for f in _functions(path)
        if f.end_lineno is not None and f.end_lineno - f.lineno >= LONG_FUNCTION
    }
    assert not long


def test_file_names_are_not_vague() -> None:
    assert not [_relative(p) for p in EVERYTHING if p.stem in VAGUE]


def test_public_functions_and_classes_have_docstrings() -> None:
    bare = []
    for path in PACKAGE:
        for node in tree_of(path).body:
            public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if public and ast.get_docstring(node) is None:  # type: ignore[arg-type]
                bare.append(f"{_relative(path)}:{node.name}")  # type: ignore[attr-defined]
    assert not bare


def test_money_fields_are_never_float() -> None:
    money = {"charge", "payout", "amount", "balance", "hold", "available", "margin"}
    floats = [
        f"{_relative(path)}:{node.lineno}"
        for path in PACKAGE
        for node in nodes_of(path)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in money
        if any(isinstance(part, ast.Name) and part.id == "float" for part in ast.walk(node.annotation))
    ]
    assert not floats


def test_dropped_request_headers_are_not_read() -> None:
    unkept = {name.lower().encode() for name in _IGNORED_HEADERS}
    asked = [
        f"{_relative(path)}:{node.lineno}"
        for path in CLICK_PATH
        if _relative(path) != "trackyard/edge/http/head.py"
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and node.value in unkept
    ]
    assert not asked


def test_sql_dialects_are_named_in_the_store_engine_only() -> None:
    elsewhere = [path for path in PACKAGE if "store/engine" not in _relative(path)]
    named = ("dialect.name", "sqlalchemy.dialects")
    assert not [_relative(path) for path in elsewhere if any(name in text_of(path) for name in named)]


def test_git_contains_every_package_file() -> None:
    # A file that git ignores is there for who wrote it, and missing on the machine of everybody else.
    listed = ("git", "ls-files", "--others", "--ignored", "--exclude-standard", "trackyard")
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    made = (".pyc", ".so", "compiled.json")  # by Python, by script/compile
    assert not [path for path in found if not path.endswith(made)]


def test_domain_has_no_context_variables_and_no_threads() -> None:
    impure = [
        f"{_relative(path)}:{node.lineno}"
        for path in DOMAIN
        for node in nodes_of(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name in ("contextvars", "threading", "asyncio", "multiprocessing", "queue")
    ]
    assert not impure
