"""Crash points: every place in the code that changes a file or a store, found in the code itself.

A point is named file:function:n, where n counts those of one function. A new one cannot be forgotten: a test compares
this list with the points that the stories reach.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import trackyard

ROOT: Final = Path(trackyard.__file__).parent
SCOPE: Final = (
    "journal/*.py",
    "jobs/loading/*.py",
    "jobs/conversions/*.py",
    "jobs/delivery/deliveries.py",
    "jobs/schedule/erasures.py",
    "jobs/schedule/retention.py",
    "jobs/turns.py",
    "actions/platform/erasures.py",
    "actions/platform/rebuild.py",
    "actions/platform/rebuild_run.py",
    "actions/backup/*.py",
    "store/backup/*.py",
    "analytics/load.py",
    "analytics/maintenance/*.py",
)
"""Journal, projector, inbox, worker, outbox, rebuild, erasure, retention, backup."""

OS_CALLS: Final = {
    "write": "write",
    "pwrite": "write",
    "fsync": "sync",
    "fdatasync": "sync",
    "ftruncate": "truncate",
    "rename": "rename",
    "replace": "rename",
    "unlink": "unlink",
    "remove": "unlink",
}
PATH_CALLS: Final = {"rename": "rename", "unlink": "unlink", "write_bytes": "write", "write_text": "write"}
FAULTS: Final = {
    "write": ("before", "after", "short", "error"),
    "sync": ("before", "after", "error"),
    "truncate": ("before", "after", "error"),
    "rename": ("before", "after", "error"),
    "unlink": ("before", "after", "error"),
    "commit": ("before", "after", "error"),
    "insert": ("before", "after", "error", "no answer"),
}
"""The faults of each kind of point: a death before or after it, half a write, an error, an error after it worked."""


@dataclass(frozen=True)
class Point:
    """A place. lines: of the statement or call, in its file."""

    name: str
    kind: str
    file: str
    lines: range


@cache
def find_points() -> dict[str, Point]:
    """Return every point of SCOPE by name."""
    files = sorted({path for pattern in SCOPE for path in ROOT.glob(pattern)})
    return {point.name: point for path in files for point in points_of(path.read_text(), path)}


def points_of(source: str, path: Path) -> Iterator[Point]:
    """Yield the points of a module."""
    counts: Counter[str] = Counter()
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    for function, node, kind in _Finder().find(ast.parse(source)):
        counts[function] += 1
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        yield Point(f"{name}:{function}:{counts[function]}", kind, str(path), lines)


class _Finder(ast.NodeVisitor):
    def __init__(self) -> None:
        self._functions: list[str] = []
        self._found: list[tuple[str, ast.expr, str]] = []

    def find(self, tree: ast.Module) -> list[tuple[str, ast.expr, str]]:
        self.visit(tree)
        return self._found

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._functions.append(node.name)
        self.generic_visit(node)
        self._functions.pop()

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Call(self, node: ast.Call) -> None:
        if kind := _kind_of(node):
            self._found.append((".".join(self._functions), node, kind))
        self.generic_visit(node)


def _kind_of(node: ast.Call) -> str | None:
    called = node.func
    if not isinstance(called, ast.Attribute):
        return None
    owner, name = ast.unparse(called.value), called.attr
    if owner == "os":
        return OS_CALLS.get(name)
    if owner == "shutil":
        return "unlink" if name == "rmtree" else None
    if name in PATH_CALLS:
        return PATH_CALLS[name]
    if name == "write" and not node.args and owner.endswith(("database", "_database")):
        return "commit"
    return "insert" if name in ("insert", "run") and owner.endswith("analytics") else None
