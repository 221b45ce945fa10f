"""Which form of the modules of a click's way a process runs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trackyard.runtime import compiled

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
