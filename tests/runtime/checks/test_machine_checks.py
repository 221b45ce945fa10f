"""Checks of settings, user, data directory and disk."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from trackyard.domain.platform.findings import Finding
from trackyard.runtime.checks.machine import CheckedMachine, check_data_directory, check_disk, check_user
from trackyard.runtime.checks.start import check_settings
from trackyard.runtime.settings import load


def machine(directory: Path, user: int = 1000, **settings: str) -> CheckedMachine:
    environment = {f"TRACKYARD_{name.upper()}": value for name, value in settings.items()}
    environment["TRACKYARD_DATA_DIR"] = str(directory)
    return CheckedMachine(load(environment), environment, user=user)


def kinds(found: Iterable[Finding]) -> list[str]:
    return [finding.kind.value for finding in found]


def test_machine_that_is_in_order_has_no_findings(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    checks: tuple[Callable[[CheckedMachine], Iterable[Finding]], ...] = (
        check_settings, check_user, check_data_directory,
    )  # fmt: skip
    assert [list(check(machine(tmp_path))) for check in checks] == [[], [], []]


def test_unknown_variable_is_found_with_its_name(tmp_path: Path) -> None:
    (found,) = check_settings(machine(tmp_path, port="8000"))
    assert (found.kind.value, found.subject) == ("setting_doubtful", "TRACKYARD_PORT")
    assert found.sentence == "TRACKYARD_PORT is not a setting and is ignored (did you mean TRACKYARD_API_LISTEN?)."


def test_files_that_settings_name_are_checked_as_at_a_start(tmp_path: Path) -> None:
    text = tmp_path / "passwd"
    text.write_text("root:x:0:0")
    found = list(
        check_settings(
            machine(tmp_path, tracking_tls_cert=str(text), tracking_tls_key=str(text), city_database=str(text))
        )
    )
    assert kinds(found) == ["setting_refused", "setting_refused"]
    assert [finding.sentence.split()[0] for finding in found] == [
        "TRACKYARD_CITY_DATABASE", "TRACKYARD_TRACKING_TLS_CERT",
    ]  # fmt: skip


@pytest.mark.parametrize(("user", "found"), [(0, ["user_is_root"]), (1000, [])])
def test_user_root_is_found_by_the_check(tmp_path: Path, user: int, found: list[str]) -> None:
    assert kinds(check_user(machine(tmp_path, user))) == found


def test_directory_of_data_open_to_others_is_found(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (found,) = check_data_directory(machine(tmp_path))
    assert found.kind.value == "directory_open" and f"chmod 700 {tmp_path}" in found.advice


def test_directory_of_data_that_is_not_there_yet_is_no_finding(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert list(check_data_directory(machine(tmp_path / "new" / "data"))) == []
    assert not (tmp_path / "new").exists()


def test_directory_of_data_below_a_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (found,) = check_data_directory(machine(tmp_path / "file"))
    assert found.sentence == f"The data directory {tmp_path / 'file'} cannot be used: it is not a directory."


def test_data_of_another_user_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    for name in ("secret.key", "trackyard.db"):
        (tmp_path / name).touch()
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path).name != "secret.key")
    (found,) = check_data_directory(machine(tmp_path))
    assert found.sentence == f"This user cannot read and write secret.key in the data directory {tmp_path}."
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    assert kinds(check_data_directory(machine(tmp_path))) == ["directory_unusable"]


def disk_of(blocks: int, unused: int, available: int) -> os.statvfs_result:
    return os.statvfs_result((1, 1, blocks, unused, available, 0, 0, 0, 0, 255))


@pytest.mark.parametrize(("free", "found"), [(200, []), (199, ["disk_low"]), (100, ["disk_low"]), (99, ["disk_full"])])
def test_disk_with_little_room_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, found: list[str]
) -> None:
    # 4000 blocks are reserved for root, as `df` shows them: neither used nor free
    monkeypatch.setattr(os, "statvfs", lambda _path: disk_of(5000, 4000 + free, free))
    assert kinds(check_disk(machine(tmp_path / "new"))) == found
