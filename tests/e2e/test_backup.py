"""A copy of the data directory is an installation (docs/operating.md)."""

import shutil
from dataclasses import replace
from pathlib import Path

from tests.support.program import KEY, Program, until
from tests.support.story import begin, click_id_of


def test_a_copy_of_the_data_directory_goes_on_where_it_was_made(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    first = Program(tmp_path / "first")
    first.start()
    story = begin(first)
    story.await_rules()
    click = click_id_of(story.click())
    assert story.call(click).status == 200
    assert first.stop() == 0

    (tmp_path / "elsewhere").mkdir()
    shutil.copytree(tmp_path / "first" / "data", tmp_path / "elsewhere" / "data", symlinks=True)
    copy = Program(tmp_path / "elsewhere")
    copy.start()
    replace(story, program=copy).await_rules()
    assert copy.command("key").stdout.strip() == KEY
    found = until(lambda: copy.command("explain", click).stdout, seconds=10, what="the click of the first, in the copy")
    assert f"Click {click} of" in found
    audit = copy.command("audit")
    assert audit.returncode == 0 and "1 conversions" in audit.stdout, audit.stdout + audit.stderr
    assert copy.stop() == 0
