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
    "print(compiled.in_use(), module.__file__.endswith('.py'), compiled.is_settled())"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package in which things may be changed."""
    shutil.copytree(compiled.PACKAGE, tmp_path / "trackyard", ignore=shutil.ignore_patterns("__pycache__", "data"))
    return tmp_path / "trackyard"


def tell(package: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != compiled.SWITCH}
    done = subprocess.run(
        [sys.executable, "-c", _TELL],
        cwd=package.parent,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_without_a_manifest_the_files_run_as_they_are(copy: Path) -> None:
    (copy / compiled.MANIFEST).unlink(missing_ok=True)
    assert tell(copy) == "False True False"


def test_what_did_not_compile_is_not_tried_again_until_it_changes(copy: Path) -> None:
    compiled.write_manifest(copy, modules=False)
    assert tell(copy) == "False True True"
    (copy / "edge" / "endpoints" / "hits.py").write_text(
        (copy / "edge" / "endpoints" / "hits.py").read_text() + "\n# changed\n"
    )
    assert tell(copy) == "False True False"


def test_what_was_compiled_for_another_python_is_not_used(copy: Path) -> None:
    compiled.write_manifest(copy, modules=True)
    manifest = json.loads((copy / compiled.MANIFEST).read_text())
    manifest["suffix"] = ".cpython-27.so"
    (copy / compiled.MANIFEST).write_text(json.dumps(manifest))
    assert tell(copy) == "False True False"


def test_what_was_compiled_runs_until_a_file_that_it_was_made_from_changes(copy: Path) -> None:
    if not compiled.is_compiled():
        pytest.skip("nothing is compiled here: " + (compiled.why_not() or "run script/compile"))
    assert tell(copy) == "True False True"
    assert tell(copy, **{compiled.SWITCH: "1"}) == "False True True"
    # A file that is not compiled itself, but whose constants what is compiled may have taken over.
    (copy / "journal" / "records.py").write_text((copy / "journal" / "records.py").read_text() + "\n# changed\n")
    assert tell(copy) == "False True False"


def test_this_process_runs_what_was_compiled_unless_told_otherwise() -> None:
    assert compiled.in_use() == (compiled.is_compiled() and not os.environ.get(compiled.SWITCH))


def test_every_module_has_its_file() -> None:
    assert [module for module in compiled.MODULES if not compiled.path_of(module).is_file()] == []
    assert list(compiled.MODULES) == sorted(compiled.MODULES)
