"""Files that the supervisor writes for monitoring."""

import json
import logging
from pathlib import Path

import pytest

from trackyard.runtime.supervisor import _write_json


def test_supervisor_file_that_cannot_be_written_is_logged_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "processes.json"
    assert _write_json(file, {"core": 1})
    full = Path("/dev/full") / "processes.json"
    with caplog.at_level(logging.WARNING):
        assert not _write_json(full, {"core": 2})
    assert [line.message for line in caplog.records] == ["state for monitoring not written"]
    assert json.loads(file.read_text()) == {"core": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["processes.json"]
