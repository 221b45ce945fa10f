"""The scripts of the repository, and the files that name its versions of Python and its scripts."""

import ast
import os
import pty
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, PackagePath, distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.supply.pins import DEVELOPMENT, RUNTIME, pins_of
from trackyard.runtime import compiled

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path.name for path in (ROOT / "script").iterdir() if os.access(path, os.X_OK))
UV = """#!/bin/sh
echo "$*" >>"$(dirname "$0")/called"
[ "$1" = venv ] && mkdir -p .venv/bin && cp "$4" .venv/bin/python
exit 0
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository as it is checked out: its scripts, with nothing installed."""
    for name in ("script", "bench"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.txt", "requirements-dev.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(directory: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=directory, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def files(directory: Path) -> set[Path]:
    return set(directory.rglob("*"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_help_is_printed_without_side_effects(copy: Path, name: str) -> None:
    before = files(copy)
    done = run(copy, f"script/{name}", "--help")
    lines = (copy / "script" / name).read_text().splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] in lines[1]
    assert files(copy) == before


def stub(path: Path, *lines: str) -> None:
    """Put a shell script in a place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)


@pytest.mark.parametrize(("lint", "tests", "plain"), [(0, 0, 0), (3, 0, 0), (0, 4, 0), (0, 0, 5)])
def test_script_test_fails_with_lint_with_the_tests_and_with_the_plain_form(
    copy: Path, lint: int, tests: int, plain: int
) -> None:
    for name in ("setup", "compile"):
        stub(copy / "script" / name)
    stub(copy / "script" / "lint", "echo of lint", f"exit {lint}")
    form = '[ -n "${TRACKYARD_PURE:-}" ] && echo of plain "$@" && exit'
    stub(copy / ".venv" / "bin" / "python", '[ "$1" = -c ] && echo 3 && exit', f"{form} {plain}", f"exit {tests}")
    done = run(copy, "script/test", "--ci", TRACKYARD_PURE="", TMPDIR=str(copy))
    assert (done.returncode != 0) == bool(lint or tests or plain)
    assert (done.stderr if lint else done.stdout).splitlines()[0] == "of lint"
    assert ("of plain" in done.stdout) == (not lint)
    assert not list(copy.glob("tmp.*")), "its files were removed"


def test_script_bench_help_names_every_measurement(copy: Path) -> None:
    named = run(copy, "script/bench", "--help").stdout.rpartition("NAME: ")[2].split()
    assert {"edge", "stats", "steps"} <= set(named) <= {path.stem for path in (ROOT / "bench").glob("*.py")}
    assert not {"__init__", "traffic"} & set(named)
    unknown = run(copy, "script/bench", "nothing")
    assert (unknown.returncode, unknown.stderr.rpartition("NAME: ")[2].split()) == (2, named)


def test_script_bench_help_of_measurement_measures_nothing(copy: Path) -> None:
    before = files(copy)
    done = run(copy, "script/bench", "steps", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The microseconds of each step of a click") and '"""' not in done.stdout
    assert files(copy) == before


def make_python(path: Path, version: str) -> str:
    """A command that answers as a Python of a version does; "" = it is not a Python."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{version}'\n" if version else "#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return str(path)


def set_up(
    copy: Path, uv: str = UV, kind: str = "dev", **environment: str
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """What script/setup says, and how it called uv."""
    program = copy / "bin" / "uv"
    program.parent.mkdir(exist_ok=True)
    program.write_text(uv)
    program.chmod(0o755)
    called = program.parent / "called"
    called.unlink(missing_ok=True)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    done = run(copy, "script/setup", *kind.split(), **{"PATH": path} | environment)
    return done, called.read_text().splitlines() if called.exists() else []


def test_setup_recreates_environment_for_another_python(copy: Path) -> None:
    older, newer = make_python(copy / "older", "3.12"), make_python(copy / "newer", "3.13")
    done, called = set_up(copy, PYTHON=older)
    assert (done.returncode, called[0]) == (0, f"venv --quiet --python {older} .venv")
    (copy / ".venv" / "of-older").touch()
    assert set_up(copy, PYTHON=older)[1] == []
    assert set_up(copy, PYTHON="")[1] == []
    done, called = set_up(copy, PYTHON=newer)
    assert (done.returncode, called[0]) == (0, f"venv --quiet --python {newer} .venv")
    assert not (copy / ".venv" / "of-older").exists()
    assert "Removing .venv" in done.stderr


@pytest.mark.parametrize("version", ["", None])
def test_setup_rejects_unusable_python(copy: Path, version: str | None) -> None:
    wanted = str(copy / "python")
    if version is not None:
        make_python(Path(wanted), version)
    done, called = set_up(copy, PYTHON=wanted)
    assert (done.returncode, called) == (1, [])
    assert f"PYTHON={wanted} is not a Python of version 3.11 or newer" in done.stderr


def test_setup_shows_one_line_and_keeps_the_output(copy: Path) -> None:
    done, _ = set_up(copy, PYTHON=make_python(copy / "python", "3.12"))
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(r"Installing \d+ packages for 3\.12 into \.venv \(once; [\d.]+ GB, 1 to 5 minutes\)", line)
    assert done.stdout == "" and (copy / ".venv" / "setup.log").exists()


def compiler_of_setup() -> set[str]:
    """The packages that script/setup installs before it compiles."""
    lists = re.findall(r"^compiler\+?=\(([^)]*)\)$", (ROOT / "script/setup").read_text(), re.MULTILINE)
    return set(" ".join(lists).split())


def pins_in(text: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))


@pytest.mark.parametrize("kind", ["", "dev"])
def test_setup_compiles_once_its_compiler_is_installed(copy: Path, kind: str) -> None:
    """While the others are installed, those for development by a process of their own, but for pip itself."""
    keep = UV.replace("exit 0", 'for each; do case "$each" in .venv/pins-*) cat "$each" >pins-$$ ;; esac; done; exit 0')
    stub(copy / "script" / "compile", "ls >>seen")
    done, called = set_up(copy, uv=keep, kind=kind, PYTHON=make_python(copy / "python", "3.12"))
    runtime, development = ((copy / name).read_text() for name in ("requirements.txt", "requirements-dev.txt"))
    assert done.returncode == 0
    assert called[-2].endswith(f"-r requirements{kind and '-'}{kind}.txt"), "the last call installs what is missing"
    parts = [path.read_text() for path in copy.glob("pins-*")]
    assert all(part.count("--hash=") > part.count("==") for part in parts)
    expected = [compiler_of_setup()] + [pins_in(development) - pins_in(runtime) - {"pip"}] * bool(kind)
    assert sorted(map(sorted, map(pins_in, parts))) == sorted(map(sorted, expected))
    assert "pins-" in (copy / "seen").read_text()


def test_pins_of_development_are_those_that_the_program_lacks() -> None:
    runtime, development = pins_of(RUNTIME), pins_of(DEVELOPMENT)
    assert len(runtime) > 60 and len(development) > 100
    assert not {name for name, _ in runtime} & {name for name, _ in development}
    first, *others = DEVELOPMENT.read_text().splitlines()
    assert first == f"-r {RUNTIME.name}" and not [line for line in others if line.startswith("-")]


def test_pins_are_generated_files_without_shown_differences() -> None:
    names = [RUNTIME.name, DEVELOPMENT.name]
    said = run(ROOT, "git", "check-attr", "diff", "linguist-generated", "--", *names).stdout.splitlines()
    values = {"diff": "unset", "linguist-generated": "set"}
    assert said == [f"{name}: {attribute}: {value}" for name in names for attribute, value in values.items()]


def test_pin_writes_what_development_adds_and_keeps_pins(copy: Path) -> None:
    """The stub answers as uv does: it keeps the pins of the file that it writes."""
    runtime, development = ((copy / name).read_text() for name in ("requirements.txt", "requirements-dev.txt"))
    stub(
        copy / "bin" / "uv",
        'for each; do [ "$before" = -o ] && out=$each; [ "$before" = --extra ] && extra=$each; before=$each; done',
        'cp "$out" "kept-${extra:-none}"',
        'cp "$out" was',
        '{ echo "new==1 \\\\"; echo "    --hash=sha256:0"; cat was; } >"$out"',
    )
    stub(copy / "script" / "setup")
    stub(copy / ".venv" / "bin" / "python")
    done = run(copy, "script/pin", PATH=f"{copy / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert (done.returncode, done.stderr) == (0, "")
    assert (copy / "kept-dev").read_text() == runtime + development.partition("\n")[2]
    assert (copy / "kept-none").read_text() == runtime
    assert (copy / "requirements.txt").read_text() == f"new==1 \\\n    --hash=sha256:0\n{runtime}"
    assert (copy / "requirements-dev.txt").read_text() == development


PYTHON_SCRIPTS = [name for name in SCRIPTS if "use_environment" in (ROOT / "script" / name).read_text()]
ARGUMENTS = {"fonts": ["folder"], "origins": ["wheel"], "places": ["folder"], "robots": ["--people", "folder"]}


@pytest.mark.parametrize("name", PYTHON_SCRIPTS)
def test_script_in_python_runs_with_the_environment_of_the_project(copy: Path, name: str) -> None:
    """Whichever Python started it; the environment is set up before."""
    stub(copy / "script" / "setup", 'echo "set up $*"')
    stub(copy / ".venv" / "bin" / "python", 'echo "ran $*"')
    done = run(copy, sys.executable, f"script/{name}", *ARGUMENTS.get(name, []), PYTHONDONTWRITEBYTECODE="1")
    expected = ["set up dev", " ".join(["ran", f"script/{name}", *ARGUMENTS.get(name, [])])]
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, expected, "")


def test_every_script_in_python_finds_the_environment() -> None:
    """The script of regions alone needs no package."""
    in_python = {name for name in SCRIPTS if "python3" in (ROOT / "script" / name).read_text().splitlines()[0]}
    assert {"agents", "origins", "robots"} < set(PYTHON_SCRIPTS) == in_python - {"regions"}


def test_setup_compiles_with_each_package_of_which_modules_read_types() -> None:
    """Another order of installation must not change what is compiled."""
    packages = packages_distributions()
    imported = {name for path in compiled._sources() for name in roots_of_imports(path.read_text())}
    needed = {package for name in imported for package in packages.get(name, ())} | {"mypy", "setuptools"}
    texts = [text for package in needed for text in distribution(package).requires or () if package == "mypy"]
    found = [Requirement(text) for text in texts]
    needed |= {each.name for each in found if each.marker is None or each.marker.evaluate()}
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in needed} - {"trackyard"} <= compiler_of_setup()


def roots_of_imports(text: str) -> set[str]:
    """The first parts of the names of modules that a file imports."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in names}


def files_of(package: str) -> Sequence[PackagePath]:
    """The files of an installed package; none where its pin is for another Python."""
    try:
        return distribution(package).files or ()
    except PackageNotFoundError:
        return ()


def test_setup_says_how_much_disk_its_packages_take() -> None:
    """Of the runtime packages in this environment, which has the same pins; byte code and pip come on top."""
    [said] = re.findall(r'^size="([\d.]+) GB"$', (ROOT / "script/setup").read_text(), re.MULTILINE)
    files = [file for name, _ in pins_of(RUNTIME) for file in files_of(name)]
    taken = sum(Path(file.locate()).stat().st_size for file in files if file.suffix != ".pyc") / 1e9
    assert taken < float(said) < taken + 0.3, taken


def test_setup_that_fails_shows_the_end_of_the_output(copy: Path) -> None:
    """And is not complete: the next run tries again."""
    failing = UV.replace("exit 0", '[ "$1" = venv ] || { echo "no space left"; exit 3; }')
    python = make_python(copy / "python", "3.12")
    for _ in range(2):
        done, called = set_up(copy, uv=failing, PYTHON=python)
        assert done.returncode == 3 and called[-1].startswith("pip install")
        reason, summary = done.stderr.splitlines()[1:]
        assert reason == "no space left"
        assert re.fullmatch(
            r"That failed with status 3 after \d+ s\. The whole output is in \.venv/setup\.log\.", summary
        )


def test_progress_at_a_terminal_is_one_line(tmp_path: Path) -> None:
    program = f'. {ROOT}/script/progress.bash; quietly "Working" {tmp_path}/log sh -c "echo noise; sleep 1.2"'
    terminal, end = pty.openpty()
    with open(terminal, "rb", buffering=0) as screen:
        done = subprocess.run(["bash", "-euc", program], stderr=end, check=True, stdout=subprocess.PIPE)
        os.close(end)
        shown = ""
        while "\n" not in shown:
            shown += screen.read(65536).decode()
    assert done.stdout == b"" and (tmp_path / "log").read_text() == "noise\n"
    assert shown.count("\n") == 1 and re.match(r"\rWorking \.\.\. \d+ s\r", shown)
    assert re.search(r"\rWorking \.\.\. [1-9]\d* s\r\n$", shown)


def test_compiling_says_how_long_it_takes_and_how_to_skip_it() -> None:
    text = (ROOT / "script/compile").read_text()
    assert re.search(r"Compiling .*; 1 to 3 minutes, skip with TRACKYARD_PURE=1", text)


def of_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def test_workflow_runs_check_on_every_python_of_setup() -> None:
    [job] = of_yaml(".github/workflows/ci.yml")["jobs"].values()
    versions = job["strategy"]["matrix"]["python"]
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert required == f">={versions[0]}"
    assert set(re.findall(r"python(3\.\d+)", (ROOT / "script/setup").read_text())) == set(versions)
    assert {"run": ".ci/run", "env": {"PYTHON": "python${{ matrix.python }}"}} in job["steps"]


def test_pre_commit_hook_runs_script_lint() -> None:
    [repository] = of_yaml(".pre-commit-config.yaml")["repos"]
    [hook] = repository["hooks"]
    assert (repository["repo"], hook["entry"], hook["pass_filenames"]) == ("local", "script/lint --changed", False)
    assert os.access(ROOT / hook["entry"].split()[0], os.X_OK)


@pytest.mark.parametrize("name", ["bug", "feature"])
def test_issue_template_has_unique_and_required_fields(name: str) -> None:
    template = of_yaml(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert template["name"] and template["description"]
    ids = [field["id"] for field in template["body"]]
    assert len(set(ids)) == len(ids)
    assert any(field.get("validations", {}).get("required") for field in template["body"])
