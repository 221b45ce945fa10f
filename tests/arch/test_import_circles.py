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


def test_imports_form_no_file_circle() -> None:
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / "trackyard").rglob("*.py")
    }
    graph = {module: _imports(path, set(files)) - {module} for module, path in files.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the files
