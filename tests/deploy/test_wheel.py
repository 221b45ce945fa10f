"""The wheel: its files, and the program that it installs outside of the repository."""

import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.supply.pins import ROOT, RUNTIME, pins_of
from tests.support.offer_scenario import click_id_of, create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram, poll_until, request

pytestmark = pytest.mark.slow

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that script/wheel builds, from the sdist."""
    place = tmp_path_factory.mktemp("dist")
    done = subprocess.run([ROOT / "script" / "wheel", place], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    name = f"trackyard-{PROJECT['version']}"
    assert done.stdout.splitlines() == [str(place / f"{name}.tar.gz"), str(place / f"{name}-py3-none-any.whl")]
    constraints = {
        tuple(line.split(" ;")[0].split("==")) for line in (place / "constraints.txt").read_text().splitlines()
    }
    assert constraints == pins_of(RUNTIME)
    return place / f"{name}-py3-none-any.whl"


def test_wheel_has_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "trackyard"], cwd=ROOT, capture_output=True, text=True, check=True)
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = f"trackyard-{PROJECT['version']}.dist-info/"
        written = Parser().parsestr(archive.read(metadata + "METADATA").decode())
        entry_points = archive.read(metadata + "entry_points.txt").decode()
    assert {name for name in names if not name.startswith(metadata)} == set(tracked.stdout.split())
    assert {name for name in names if "/licenses/" in name} == {
        f"{metadata}licenses/LICENSE",
        f"{metadata}licenses/NOTICE",
    }
    assert (written["Name"], written["Requires-Python"], written["License-Expression"]) == (
        "trackyard",
        ">=3.11",
        "MIT",
    )
    required = {each for each in written.get_all("Requires-Dist", []) if "extra ==" not in each}
    assert len(required) == len(PROJECT["dependencies"])
    assert "trackyard = trackyard.commands.main:main" in entry_points


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """The folder of commands of an environment with the wheel; it sees the packages of this one."""
    place = tmp_path / "environment"
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "--no-compile",
        wheel,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    packages = next(place.glob("lib/python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin"


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside of the repository, as the current one; nothing leads Python to the repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def check_installed(commands: Path, *, compiled: bool) -> None:
    """The version is that of the project, and the program is that of the environment."""
    version = subprocess.run([commands / "trackyard", "--version"], capture_output=True, text=True, check=True)
    assert PROJECT["version"] in version.stdout
    where = "import trackyard; from trackyard.runtime import compiled; print(trackyard.__file__, compiled.in_use())"
    found = subprocess.run([commands / "python", "-c", where], capture_output=True, text=True, check=True)
    file, in_use = found.stdout.split()
    assert Path(file).is_relative_to(commands.parent) and in_use == str(compiled)


def play_story(commands: Path, directory: Path) -> None:
    """Serve; a click and its postback are in a report, and pages have their styles."""
    program = RunningProgram(directory, python=str(commands / "python"))
    program.start()
    story = create_offer_scenario(program)
    story.await_rules()
    story.call(click_id_of(story.click()), action_id="order-1")
    poll_until(lambda: story.figures(KEY).get("traffic"), seconds=20, what="the click in a report")
    assert "Shoes & more" in program.command("report", "offers", "--last", "today").stdout
    page = request(program.api_port, "GET", "/sign-in")
    assert page.status == 200
    [style, *_] = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page.body.decode())
    assert request(program.api_port, "GET", style).status == 200
    assert program.stop() == 0


def test_wheel_outside_of_the_repository_runs_from_a_click_to_a_report(installed: Path, outside: Path) -> None:
    check_installed(installed, compiled=False)
    play_story(installed, outside)


@pytest.fixture(scope="module")
def compiled_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist and the wheel of this Python and machine."""
    place = tmp_path_factory.mktemp("compiled")
    done = subprocess.run([ROOT / "script" / "wheel", "--compiled", place], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    sdist, built = map(Path, done.stdout.split())
    assert not built.name.endswith("-any.whl"), "it is of one platform"
    return {"sdist": sdist, "wheel": built}


@pytest.mark.long
@pytest.mark.parametrize("form", ["wheel", "sdist"])
def test_package_in_a_fresh_environment_gets_its_dependencies_and_serves_a_click(
    compiled_files: dict[str, Path], form: str, outside: Path
) -> None:
    """Needs a package index: pip gets every dependency from it, and what the sdist needs for its build."""
    place = outside / "environment"
    venv.create(place, symlinks=True, with_pip=True)
    file = compiled_files[form]
    command = [place / "bin" / "python", "-m", "pip", "install", "--constraint", file.parent / "constraints.txt", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    check_installed(place / "bin", compiled=True)
    play_story(place / "bin", outside)
