"""Which form of the modules of a click's way a process runs."""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from trackyard.runtime import compiled

ROOT = Path(__file__).parents[1]
_TELL = (
    "from trackyard.runtime import compiled\n"
    "import trackyard.edge.http.request as module\n"
    "print(compiled.in_use(), module.__file__.endswith('.py'), compiled.is_up_to_date())"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package in which things may be changed."""
    shutil.copytree(compiled.PACKAGE, tmp_path / "trackyard", ignore=shutil.ignore_patterns("__pycache__", "data"))
    return tmp_path / "trackyard"


def report_forms(package: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != compiled.PURE_VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", _TELL],
        cwd=package.parent,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_compiled_modules_without_manifest_are_not_used(copy: Path) -> None:
    (copy / compiled.MANIFEST).unlink(missing_ok=True)
    assert report_forms(copy) == "False True False"


def test_compiled_modules_failed_build_is_not_retried_until_change(copy: Path) -> None:
    compiled.write_manifest(copy, modules=False)
    assert report_forms(copy) == "False True True"
    (copy / "edge" / "endpoints" / "hits.py").write_text(
        (copy / "edge" / "endpoints" / "hits.py").read_text() + "\n# changed\n"
    )
    assert report_forms(copy) == "False True False"


def test_compiled_modules_for_another_python_are_not_used(copy: Path) -> None:
    compiled.write_manifest(copy, modules=True)
    manifest = json.loads((copy / compiled.MANIFEST).read_text())
    manifest["suffix"] = ".cpython-27.so"
    (copy / compiled.MANIFEST).write_text(json.dumps(manifest))
    assert report_forms(copy) == "False True False"


def test_compiled_modules_are_used_until_a_source_changes(copy: Path) -> None:
    if not compiled.is_compiled():
        pytest.skip("nothing is compiled here: " + (compiled.missing_requirement() or "run script/compile"))
    assert report_forms(copy) == "True False True"
    assert report_forms(copy, **{compiled.PURE_VARIABLE: "1"}) == "False True True"
    # A file that is not compiled itself, but may have constants that the compiled modules copied.
    (copy / "journal" / "records.py").write_text((copy / "journal" / "records.py").read_text() + "\n# changed\n")
    assert report_forms(copy) == "False True False"


def test_compiled_modules_are_used_unless_switched_off() -> None:
    assert compiled.in_use() == (compiled.is_compiled() and not os.environ.get(compiled.PURE_VARIABLE))


def test_compiled_modules_have_source_files() -> None:
    assert [module for module in compiled.MODULES if not compiled.path_of(module).is_file()] == []
    assert list(compiled.MODULES) == sorted(compiled.MODULES)


_COMPILER = """#!/bin/sh
if [ "$1" != setup.py ]; then exec {python} "$@"; fi
echo once >>times
mkdir -p "$5/trackyard" && echo module >"$5/trackyard/click_path.so"
exec {python} -c 'import sys, runpy
from hashlib import sha256
from pathlib import Path
runpy.run_path("trackyard/runtime/compiled.py")["write_manifest"](Path(sys.argv[1]), modules=True)' "$5/trackyard"
"""
"""Compiles nothing in no time."""


def test_return_to_earlier_files_compiles_nothing(copy: Path) -> None:
    if compiled.missing_requirement():
        pytest.skip(f"nothing can be compiled here: {compiled.missing_requirement()}")
    root = copy.parent
    (copy / compiled.MANIFEST).unlink(missing_ok=True)
    shutil.copytree(ROOT / "script", root / "script")
    (root / ".venv" / "bin").mkdir(parents=True)
    python = root / ".venv" / "bin" / "python"
    python.write_text(_COMPILER.format(python=sys.executable))
    python.chmod(0o755)
    changed = copy / "journal" / "records.py"
    first = changed.read_text()

    def compile_now(text: str) -> int:
        """Return how often a compiler ran until the modules of this text were there."""
        changed.write_text(text)
        done = subprocess.run(["script/compile"], cwd=root, capture_output=True, text=True, check=True)
        assert (copy / "click_path.so").read_text() == "module\n", done.stderr
        manifest = json.loads((copy / compiled.MANIFEST).read_text())
        assert manifest["sources"]["journal/records.py"] == sha256(text.encode()).hexdigest()
        return len((root / "times").read_text().splitlines())

    assert [compile_now(first), compile_now(first), compile_now(f"{first}# changed\n")] == [1, 1, 2]
    (copy / "click_path.so").write_text("of another text")
    assert compile_now(first) == 2, "the result of the first text is kept"
    for number in range(6):
        compile_now(f"{first}# {number}\n")
    assert len(list((root / ".venv" / "compiled").iterdir())) == 5
    assert compile_now(first) == 9, "only the last five are kept"
