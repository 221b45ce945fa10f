"""The compiled modules of the click path.

mypyc compiles the same files that run without it. A compiled module is used only by the Python that it was compiled
for, and only while its file and the files from which it reads constants and types are unchanged (`compiled.json`).
Otherwise, and when TRACKYARD_PURE is set, all of them run as Python (docs/decisions/0018).

As a program: exit status 1 when there is something to compile and it can be compiled, otherwise 0. With `--key` it
prints the digest of what is compiled instead.
"""

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

MODULES: Final = (
    "trackyard.base.clock",
    "trackyard.decision.click.caps",
    "trackyard.decision.click.hit",
    "trackyard.decision.click.route",
    "trackyard.decision.click.state",
    "trackyard.decision.click.steps",
    "trackyard.decision.routes",
    "trackyard.decision.target.json_text",
    "trackyard.decision.target.queries",
    "trackyard.decision.target.templates",
    "trackyard.decision.target.url",
    "trackyard.decision.targeting.checks",
    "trackyard.decision.targeting.ip_lists",
    "trackyard.decision.targeting.sub_checks",
    "trackyard.decision.targeting.targeting",
    "trackyard.decision.targeting.versions",
    "trackyard.decision.visitor.bots",
    "trackyard.decision.visitor.cache",
    "trackyard.decision.visitor.client_hints",
    "trackyard.decision.visitor.geo",
    "trackyard.decision.visitor.headers",
    "trackyard.decision.visitor.visitor",
    "trackyard.domain.tracking.ip_lists",
    "trackyard.domain.tracking.macros",
    "trackyard.domain.tracking.near_misses",
    "trackyard.edge.click_timer",
    "trackyard.edge.counters",
    "trackyard.edge.endpoints.clicks",
    "trackyard.edge.endpoints.handler",
    "trackyard.edge.endpoints.hits",
    "trackyard.edge.endpoints.redirects",
    "trackyard.edge.endpoints.server_to_server",
    "trackyard.edge.http.client_address",
    "trackyard.edge.http.connection",
    "trackyard.edge.http.cookies",
    "trackyard.edge.http.head",
    "trackyard.edge.http.reader",
    "trackyard.edge.http.request",
    "trackyard.edge.recorder",
    "trackyard.edge.state.click_state",
    "trackyard.edge.state.counts",
    "trackyard.edge.state.counts_file",
    "trackyard.edge.state.read_only",
    "trackyard.edge.state.shared",
    "trackyard.edge.state.unique",
    "trackyard.journal.frames",
    "trackyard.journal.writer",
)
PACKAGE: Final = Path(__file__).parents[1]
MANIFEST: Final = "compiled.json"
_SUFFIX: Final = EXTENSION_SUFFIXES[0] if EXTENSION_SUFFIXES else ""
"""The suffix of compiled modules, which names the version of Python that loads them."""
PURE_VARIABLE: Final = "TRACKYARD_PURE"
"""The variable that turns compiled modules off, whatever its value."""


class _PlainModuleFinder:
    """Finds the source files of MODULES before their compiled files."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a source file (see importlib.abc.MetaPathFinder)."""
        return spec_from_file_location(name, path_of(name)) if name in MODULES else None


def select_implementation() -> None:
    """Decide whether compiled modules are used. Call it before any of MODULES is imported."""
    if os.environ.get(PURE_VARIABLE) or not is_compiled():
        sys.meta_path.insert(0, _PlainModuleFinder)


def in_use() -> bool:
    """Return whether this process runs compiled modules."""
    return _PlainModuleFinder not in sys.meta_path


def is_compiled() -> bool:
    """Return whether there are compiled modules of the current files."""
    manifest = _manifest()
    return bool(manifest.get("modules")) and _is_current(manifest)


def is_up_to_date() -> bool:
    """Return whether the current files were compiled, or could not be."""
    return _is_current(_manifest())


def missing_requirement() -> str:
    """Return the missing requirement for compiling, or ""."""
    if os.environ.get(PURE_VARIABLE):
        return f"{PURE_VARIABLE} is set"
    if sys.implementation.name != "cpython":
        return "this is not CPython"
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if os.name == "posix" and shutil.which(compiler) is None:
        return f"there is no C compiler {compiler}"
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        return "Python's headers are not installed"
    return "mypyc is not installed" if find_spec("mypyc") is None else ""


def path_of(module: str, package: Path = PACKAGE) -> Path:
    """Return the file of a module of this package."""
    found = package.joinpath(*module.split(".")[1:])
    return found / "__init__.py" if found.is_dir() else found.with_suffix(".py")


def key() -> str:
    """Return the digest of the current files of MODULES, and of what compiles them, in hexadecimal digits."""
    compiler = Path(PACKAGE.parent, "setup.py")
    files = [*_sources(), *([compiler] if compiler.is_file() else [])]
    return sha256("".join([_SUFFIX, *map(_digest, files)]).encode()).hexdigest()


def write_manifest(package: Path, *, modules: bool) -> None:
    """Record in `package` that MODULES were compiled from their current files.

    modules: False = they could not be compiled.
    """
    digests = {str(path.relative_to(PACKAGE)): _digest(path) for path in _sources()}
    content = {"suffix": _SUFFIX, "modules": list(MODULES) if modules else [], "sources": digests}
    text = json.dumps(content, indent=1)
    partial = package / f"{MANIFEST}.{os.getpid()}"
    partial.write_text(text + "\n")
    partial.replace(package / MANIFEST)


def _manifest() -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads((PACKAGE / MANIFEST).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return read


def _is_current(manifest: dict[str, Any]) -> bool:
    sources = manifest.get("sources")
    if not sources or manifest.get("suffix") != _SUFFIX or list(manifest.get("modules") or MODULES) != list(MODULES):
        return False
    try:
        return all(_digest(PACKAGE / name) == digest for name, digest in sources.items())
    except OSError:
        return False


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _sources() -> list[Path]:
    """Return the files of MODULES and of the modules of this package that they import, directly or not."""
    found: dict[str, Path] = {}
    waiting = list(MODULES)
    while waiting:
        module = waiting.pop()
        path = path_of(module)
        if module not in found and path.is_file():
            found[module] = path
            waiting.extend(_imports(path))
    return sorted(found.values())


def _imports(path: Path) -> Iterator[str]:
    import ast  # needed for compiling only

    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("trackyard"):
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("trackyard."))


if __name__ == "__main__":
    if sys.argv[1:] == ["--key"]:
        sys.stdout.write(f"{key()}\n")
        sys.exit()
    sys.exit(not (is_up_to_date() or missing_requirement()))
