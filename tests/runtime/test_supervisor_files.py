"""Files that the supervisor writes for monitoring."""

import json
import logging
from pathlib import Path

import pytest

from trackyard.runtime.state_files import StateFiles


def test_state_file_is_written_when_the_disk_has_space_and_logged_once_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory = tmp_path / "run"
    directory.write_text("")  # no file can be made in it
    files, file = StateFiles(), directory / "processes.json"
    with caplog.at_level(logging.INFO):
        files.set(file, json.dumps({"core": 1}))
        files.set(file, json.dumps({"core": 2}))
        files.write()
        assert [line.message for line in caplog.records] == ["state for monitoring not written"]
        directory.unlink()
        files.write()
        files.write()
    assert [line.message for line in caplog.records][1:] == ["state for monitoring written again"]
    assert json.loads(file.read_text()) == {"core": 2}
    assert [path.name for path in directory.iterdir()] == ["processes.json"]


@pytest.mark.parametrize("size", [0, 5])
def test_state_file_that_was_cut_is_written_again(tmp_path: Path, size: int) -> None:
    files, file = StateFiles(), tmp_path / "server.json"
    files.set(file, json.dumps({"pid": 1}))
    with file.open("r+") as cut:
        cut.truncate(size)
    files.write()
    assert json.loads(file.read_text()) == {"pid": 1}
