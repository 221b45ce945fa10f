"""A copy of the data directory is an installation (docs/operating.md)."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.offer_scenario import click_id_of, create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram, poll_until

pytestmark = pytest.mark.slow


def test_backup_copy_of_data_directory_continues(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    first = RunningProgram(tmp_path / "first")
    first.start()
    story = create_offer_scenario(first)
    story.await_rules()
    click = click_id_of(story.click())
    assert story.call(click).status == 200
    assert first.stop() == 0

    (tmp_path / "elsewhere").mkdir()
    shutil.copytree(tmp_path / "first" / "data", tmp_path / "elsewhere" / "data", symlinks=True)
    copy = RunningProgram(tmp_path / "elsewhere")
    copy.start()
    replace(story, program=copy).await_rules()
    assert copy.command("key").stdout.strip() == KEY
    found = poll_until(
        lambda: copy.command("explain", click).stdout, seconds=10, what="the click of the first, in the copy"
    )
    assert f"Click {click} of" in found
    audit = copy.command("audit")
    assert audit.returncode == 0 and "1 conversions" in audit.stdout, audit.stdout + audit.stderr
    assert copy.stop() == 0
