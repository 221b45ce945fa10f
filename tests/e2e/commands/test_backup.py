"""A copy of the data directory is an installation (docs/operating.md)."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

from tests.support.offer_scenario import click_id_of, create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram, poll_until


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


def test_backup_of_running_program_restored_elsewhere_counts_everything_once(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "key").write_text("a long key of backups")
    first = RunningProgram(tmp_path / "first")
    first.start()
    story = create_offer_scenario(first)
    story.await_rules()
    earlier = click_id_of(story.click())
    assert story.call(earlier).status == 200
    target = ("backup", str(tmp_path / "kept"), "--key-file", str(tmp_path / "key"))
    made = first.command(*target, "--verify", "--json")
    assert made.returncode == 0, made.stdout + made.stderr
    whole = json.loads(made.stdout)
    assert whole["differences"] == 0 and whole["checked"] > 0

    later = click_id_of(story.click())
    assert story.call(later).status == 200
    second = json.loads(first.command(*target, "--json").stdout)
    assert second["written_bytes"] < whole["written_bytes"], "what is there is not copied again"
    assert first.stop() == 0

    (tmp_path / "elsewhere").mkdir()
    copy = RunningProgram(tmp_path / "elsewhere")
    restored = copy.command("restore", *target[1:])
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert copy.command("restore", *target[1:]).returncode == 1, "the directory is not empty any more"
    copy.start()
    replace(story, program=copy).await_rules()
    poll_until(lambda: "2 conversions" in copy.command("audit").stdout, seconds=20, what="both conversions")
    audit = copy.command("audit")
    assert audit.returncode == 0 and "everything adds up" in audit.stdout, audit.stdout + audit.stderr
    assert copy.stop() == 0
