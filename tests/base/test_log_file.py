"""The copy of the log in a file: shared by processes, bounded, and never in the way."""

import errno
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trackyard.base.logs.file import LogFile, rotated_path

LOG_MANY = """
import logging, sys
from pathlib import Path
from trackyard.base.logs.file import LogFile
log = logging.getLogger("many")
log.addHandler(LogFile(sys.argv[2], Path(sys.argv[1]), max_bytes=200_000))
log.propagate = False
for number in range(1000):
    log.warning("line", extra={"number": number, "filling": "x" * 20})
"""


def record(message: str, **fields: Any) -> logging.LogRecord:
    return logging.makeLogRecord({"levelname": "INFO", "levelno": logging.INFO, "msg": message} | fields)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def test_log_file_has_lines_for_its_owner_only_and_cuts_paths(tmp_path: Path) -> None:
    path = tmp_path / "log" / "trackyard.log"
    handler = LogFile("core", path)
    handler.handle(record("request", path="/" + "x" * 900))
    [line] = lines(path)
    assert (line["role"], line["message"], len(line["path"])) == ("core", "request", 301)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_log_file_is_rotated_at_its_size_and_keeps_one_older_file(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    handler = LogFile("core", path, max_bytes=1000)
    for number in range(60):
        handler.handle(record(f"line {number}"))
    kept = [each["message"] for each in [*lines(rotated_path(path)), *(lines(path) if path.exists() else [])]]
    assert kept == [f"line {number}" for number in range(60 - len(kept), 60)] and kept
    assert sorted(file.name for file in tmp_path.iterdir() if file.name != "a.log") == ["a.log.1"]
    assert rotated_path(path).stat().st_size < 1400


def test_processes_share_a_log_file_and_lose_no_line_while_it_rotates(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    roles = ("edge 0", "core", "worker")
    started = [subprocess.Popen([sys.executable, "-c", LOG_MANY, str(path), role]) for role in roles]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    kept = [*lines(rotated_path(path)), *(lines(path) if path.exists() else [])]
    assert kept, "every line that is kept is whole"
    for role in roles:
        numbers = [each["number"] for each in kept if each["role"] == role]
        assert numbers == [*range(1000 - len(numbers), 1000)], "the newest ones, in their order, without a gap"


def test_log_file_on_a_full_disk_counts_lines_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.log"
    handler = LogFile("core", path)
    handler.handle(record("before"))
    real = os.write

    def full(_handle: int, _line: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        handler.handle(record("lost"))
        patched.setattr(os, "write", lambda handle, line: real(handle, line[:9]))
        handler.handle(record("torn"))
    with caplog.at_level(logging.WARNING):
        handler.handle(record("after"))
    [said] = [each for each in caplog.records if each.message == "lines missing in log file"]
    assert vars(said)["count"] == 2
    whole = [line for line in path.read_text().splitlines() if line.endswith("}")]
    assert [json.loads(line)["message"] for line in whole] == ["before", "after"]


def test_log_file_that_cannot_be_made_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    LogFile("core", tmp_path / "file" / "a.log").handle(record("lost"))
    assert (tmp_path / "file").read_text() == ""
