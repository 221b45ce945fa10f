"""`trackyard journals` shows copies of journals and makes a data directory of them."""

import json
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.stores.bucket import bucket  # noqa: F401
from trackyard.runtime.exit_codes import ExitCode
from trackyard.store.tracking.journal_bucket import CopiedPart, JournalBucket

MACHINE, LOADED = "ab" * 12, "cd" * 12
JOURNAL = "007-1700049600000"


def test_journals_are_listed_and_restored_from_the_bucket(
    bucket: str,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(data))
    missing = run_command("journals", "list")
    assert missing.exit_code == ExitCode.FAILED and "TRACKYARD_JOURNAL_COPY_URL" in missing.stderr
    monkeypatch.setenv("TRACKYARD_JOURNAL_COPY_URL", bucket)
    copies = JournalBucket(bucket)
    for start, content in ((0, b"abc"), (3, b"de"), (3, b"defg"), (9, b"behind a hole")):
        copies.put(CopiedPart(MACHINE, JOURNAL, start, start + len(content)), content)
    copies.put(CopiedPart(LOADED, JOURNAL, 5, 8), b"its beginning was removed")
    listed = run_command("journals", "list", "--json")
    found = [each for each in json.loads(listed.stdout) if each["machine"] in (MACHINE, LOADED)]
    assert found == [{"machine": MACHINE, "journal": JOURNAL, "bytes": 7}]
    assert MACHINE in run_command("journals", "list").stdout
    unknown = run_command("journals", "restore", "0" * 24)
    assert unknown.exit_code == ExitCode.FAILED and "has no journals" in unknown.stderr
    restored = run_command("journals", "restore", MACHINE)
    assert (restored.exit_code, restored.stdout.partition(".")[0]) == (0, "1 journals restored, 7 bytes")
    assert (data / "journal" / f"{JOURNAL}.log").read_bytes() == b"abcdefg"
    assert (data / "directory.id").read_text() == MACHINE
    again = run_command("journals", "restore", MACHINE)
    assert again.exit_code == ExitCode.FAILED and "name an empty directory" in again.stderr
