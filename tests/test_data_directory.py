"""What is asked of a data directory before anything of it is used."""

import os
from pathlib import Path

import pytest

from trackyard.runtime import settings as config
from trackyard.runtime.data_directory import check_disk_space, make_data_directory, warn_if_open
from trackyard.runtime.settings import CannotStart
from trackyard.runtime.supervisor import warn_of_root


@pytest.mark.parametrize(("size_mb", "fits"), [(100, True), (300, True), (301, False)])
def test_data_directory_must_have_room_for_visitor_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_mb: int, fits: bool
) -> None:
    """What the file has already counts as room."""
    visitors = tmp_path / "state" / "visitors.map"
    visitors.parent.mkdir()
    visitors.write_bytes(b"x" * 2**20)
    blocks = visitors.stat().st_blocks * 512
    free = 300 * 2**20 - blocks
    disk = os.statvfs_result((1, 1, 2 * free, free, free, 0, 0, 0, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _path: disk)
    settings = config.load({"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_UNIQUE_MB": str(size_mb)})
    if fits:
        check_disk_space(settings)
        return
    with pytest.raises(CannotStart, match=r"TRACKYARD_UNIQUE_MB cannot be 301: .* has room for 300 MB"):
        check_disk_space(settings)


@pytest.mark.parametrize("sign", ["secret.key", "trackyard.db", "directory.id", "trackyard.lock"])
def test_data_directory_with_known_file_is_accepted(tmp_path: Path, sign: str) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(CannotStart, match="has run, which would be emptied"):
        make_data_directory(tmp_path)
    (tmp_path / sign).touch()
    make_data_directory(tmp_path)


@pytest.mark.parametrize(("mode", "warned"), [(0o700, False), (0o710, True), (0o704, True), (0o755, True)])
def test_data_directory_open_to_others_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int, warned: bool
) -> None:
    tmp_path.chmod(mode)
    warn_if_open(tmp_path)
    assert [record.getMessage() for record in caplog.records] == ["data directory open to others"] * warned


def test_data_directory_existing_keeps_permissions(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    make_data_directory(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize(("user", "lines"), [(0, ["running as root"]), (1000, [])])
def test_start_as_root_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, user: int, lines: list[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    warn_of_root()
    assert [record.message for record in caplog.records] == lines
