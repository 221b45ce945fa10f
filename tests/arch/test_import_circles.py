"""Imports form no circle of files, those for type checking included."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

from tests.arch.sources import nodes_of

ROOT = Path(__file__).parents[2]


def _imports(path: Path, modules: set[str]) -> set[str]:
    found: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            members = {f"{node.module}.{name.name}" for name in node.names} & modules
            found |= members or {node.module}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found & modules


def _packages(module: str) -> set[str]:
    """Return the packages that an import of a module runs first."""
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts))}


def test_each_module_can_be_imported_alone() -> None:
    """An import of a file runs its packages too: a package that imports its pages is a part of the circle."""
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / "trackyard").rglob("*.py")
    }
    graph = {module: _imports(path, set(files)) - {module} for module, path in files.items()}
    for module, imported in graph.items():
        run = {package for each in imported for package in _packages(each)}
        imported |= run - _packages(module) - {module}
    assert len([module for module in graph if module.startswith("trackyard.console.")]) >= 250
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the files
