"""The commands of README.md and of signed postbacks work as they are written, on a new installation."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.processes.program import KEY, RunningProgram, poll_until, request

ROOT = Path(__file__).parents[2]
README, SIGNATURES = ROOT / "README.md", ROOT / "docs" / "spec" / "conversions.md"
TUTORIAL = ROOT / "docs" / "tutorial.md"
NAMES = ("advertiser", "code", "offer", "affiliate", "click")
"""Variables that the block of README sets."""


@dataclass(frozen=True)
class Story:
    """What the block of README printed, and what its variables are at the end."""

    printed: str
    known: dict[str, str]


def shell_block(page: Path, title: str) -> str:
    """Return the first block of shell commands below a title."""
    return re.findall(r"```sh\n(.*?)```", page.read_text().partition(title)[2], re.S)[0]


def printed_by(script: str, directory: Path, variables: dict[str, str]) -> str:
    """Return what a script prints, which must succeed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=directory, env=variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def at_ports_of(program: RunningProgram, script: str) -> str:
    """Return a script for the ports of a program in place of the usual ones."""
    for port, own in ((8000, program.api_port), (8001, program.tracking_port)):
        assert f"127.0.0.1:{port}" in script
        script = script.replace(f"127.0.0.1:{port}", f"127.0.0.1:{own}")
    return script


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path_factory.mktemp("program"), postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `.venv`, where a reader types."""
    made = tmp_path_factory.mktemp("folder")
    (made / ".venv").symlink_to(ROOT / ".venv")
    return made


@pytest.fixture(scope="module")
def story(program: RunningProgram, folder: Path) -> Story:
    """The block of README as a reader pastes it, while a new installation runs."""
    block = at_ports_of(program, shell_block(README, "## From a click to a report"))
    shown = "".join(f"echo {name}=${name}\n" for name in NAMES)
    printed, _, known = printed_by(f"{block}\necho ===\n{shown}", folder, program.environment).partition("===\n")
    return Story(printed, dict(line.split("=", 1) for line in known.splitlines()))


@pytest.mark.skipif(shutil.which("curl") is None, reason="a reader of these commands has curl")
def test_readme_block_leads_from_a_click_to_a_report(story: Story) -> None:
    answer, *report = story.printed.splitlines()
    assert json.loads(answer) == {"status": 1}
    assert re.fullmatch("[0-9a-f]{24}", story.known["click"])
    row = next(line for line in report if "Running shoes" in line)
    assert "10.00" in row and "7.00" in row
    assert story.printed.count(story.known["click"]) >= 1, "the decision on the click is explained"


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("openssl")), reason="the example calls both")
def test_signed_postback_example_of_the_documents_is_accepted(
    story: Story, program: RunningProgram, tmp_path: Path
) -> None:
    known = story.known
    headers = {"API-Key": KEY}
    secret_path = f"/3.1/admin/advertiser/{known['advertiser']}/signing-secret"
    secret = request(program.api_port, "POST", secret_path, headers=headers).json["signing_secret"]
    example = shell_block(SIGNATURES, "## Signatures")
    assert "https://track.example/" in example
    script = example.replace("https://track.example/", f"http://127.0.0.1:{program.tracking_port}/")
    variables = {"PATH": os.environ["PATH"], "click": known["click"], "CODE": known["code"]}
    for wrong_or_right in ("0" * 40, secret):
        assert json.loads(printed_by(script, tmp_path, variables | {"SECRET": wrong_or_right})) == {"status": 1}

    days = urlencode({"date_from": "2020-01-01", "date_to": "2099-12-31"})

    def faults() -> set[str]:
        answer = request(program.api_port, "GET", f"/3.1/stats/serverpostbacks?{days}", headers=headers).json
        return {each["response"] for each in answer["postbacks"] if "signature" in each["get"]}

    poll_until(lambda: len(faults()) == 2, seconds=10, what="both postbacks in the log")
    assert faults() == {"Wrong signature", ""}
    request(program.api_port, "DELETE", secret_path, headers=headers)


@pytest.mark.skipif(shutil.which("curl") is None, reason="a reader of these commands has curl")
def test_tutorial_leads_from_an_advertiser_to_an_explained_conversion(program: RunningProgram, folder: Path) -> None:
    script = "\n".join(re.findall(r"```sh\n(.*?)```", TUTORIAL.read_text(), re.S))
    printed = printed_by(at_ports_of(program, script), folder, program.environment)
    assert '"url":"https://shop.example/boots?click=' in printed
    assert printed.count('{"status":1}') == 3
    assert "order-1" in printed and "order-2" in printed
    assert '"hold":{"USD":15},"available":{"USD":0}' in printed
    assert "everything adds up" in printed
