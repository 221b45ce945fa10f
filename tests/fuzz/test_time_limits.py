"""Runs of `script/fuzz` end by themselves, and one that tested nothing has failed."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import __main__ as fuzz_command
from tests.fuzz import api
from tests.support.processes.program import KEY, RunningProgram


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The limits of the runs that are begun, none of which ends by itself."""
    limits = []

    def run(command: list[str], **options: Any) -> None:
        limits.append(options["timeout"])
        raise subprocess.TimeoutExpired(command, options["timeout"], output=b"Examples")

    monkeypatch.setattr(subprocess, "run", run)
    return limits


def test_fuzz_of_server_beyond_its_time_is_ended_and_failed(endless: list[float], tmp_path: Path) -> None:
    done = api.fuzz(RunningProgram(tmp_path), KEY, seconds=300, seed=None, directory=tmp_path)
    assert endless == [420]
    assert (api.has_failed(done), done.stdout, done.stderr) == (True, "Examples", "not over after 420 s")


def test_fuzz_of_target_beyond_its_time_is_ended_and_failed(endless: list[float]) -> None:
    assert fuzz_command.fuzz_target("journal", 600, 0)
    assert endless == [660]


def test_fuzz_that_tested_nothing_has_failed() -> None:
    def ended(text: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess([], 0, text, "")

    assert api.has_failed(ended(f"Test cases:\n  {api.NOTHING}\n"))
    assert not api.has_failed(ended("220 generated, 220 passed"))
