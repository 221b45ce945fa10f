"""`trackyard rotate-key`: another secret key, the same API keys, whatever happens in between."""

import fcntl
import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from trackyard.commands import rotate_key as command
from trackyard.commands.rotate_key import rotate_key
from trackyard.runtime import settings as config
from trackyard.runtime.preparation import administrator_key, prepare
from trackyard.runtime.settings import CannotStart, Config

OLD, NEW = "o" * 32, "n" * 32


def settings(directory: Path, **given: str) -> Config:
    asked = {"DATA_DIR": str(directory), "ROLES": "api", **given}
    return config.load({f"TRACKYARD_{name}": value for name, value in asked.items()})


def secrets(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("secret*"))


def test_rotate_key_replaces_key_file_of_data_directory(tmp_path: Path) -> None:
    yard = settings(tmp_path)
    key, before = prepare(yard)["admin_api_key"], (tmp_path / "secret.key").read_text()
    for _ in range(2):
        done = rotate_key(yard)
        assert done.sentence() == "1 stored value is encrypted with the new secret key; API keys stay as they are."
        assert secrets(tmp_path) == ["secret.key"]
        assert (tmp_path / "secret.key").stat().st_mode & 0o077 == 0
        assert administrator_key(yard) == key
    (tmp_path / "secret.key").write_text(before)
    with pytest.raises(CannotStart, match="does not decrypt"):
        administrator_key(yard)


@pytest.mark.parametrize("dies_at", [1, 2, 3])
def test_rotate_key_interrupted_is_completed_by_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    yard = settings(tmp_path)
    key = prepare(yard)["admin_api_key"]
    steps = 0

    def died(*_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == dies_at:
            raise KeyboardInterrupt

    for name in ("write_private", "reencrypt_secrets"):
        real = getattr(command, name)
        monkeypatch.setattr(command, name, lambda *given, real=real: (died(), real(*given))[1])
    with pytest.raises(KeyboardInterrupt):
        rotate_key(yard)
    assert administrator_key(yard) == prepare(yard)["admin_api_key"] == key
    made = (tmp_path / "secret.key").read_text() if dies_at == 3 else None
    rotate_key(yard)
    assert secrets(tmp_path) == ["secret.key"]
    assert administrator_key(yard) == key
    if made is not None:
        assert (tmp_path / "secret.key").read_text() == made, "it went on with the key it had begun"


def test_rotate_key_with_running_server_is_an_error(tmp_path: Path) -> None:
    yard = settings(tmp_path)
    prepare(yard)
    before = (tmp_path / "secret.key").read_text()
    handle = os.open(tmp_path / "trackyard.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(CannotStart, match="stop the server first"):
        rotate_key(yard)
    os.close(handle)
    assert (secrets(tmp_path), (tmp_path / "secret.key").read_text()) == (["secret.key"], before)


def test_rotate_key_with_key_in_environment_reencrypts_secrets(tmp_path: Path) -> None:
    key = prepare(settings(tmp_path, SECRET_KEY=OLD))["admin_api_key"]
    with pytest.raises(CannotStart, match="TRACKYARD_OLD_SECRET_KEY must be set"):
        rotate_key(settings(tmp_path, SECRET_KEY=OLD))
    with pytest.raises(CannotStart, match="does not decrypt"):
        administrator_key(settings(tmp_path, SECRET_KEY=NEW))
    both = settings(tmp_path, SECRET_KEY=NEW, OLD_SECRET_KEY=OLD)
    assert administrator_key(both) == key
    assert "TRACKYARD_OLD_SECRET_KEY is no longer needed" in rotate_key(both).sentence()
    assert administrator_key(settings(tmp_path, SECRET_KEY=NEW)) == key
    assert secrets(tmp_path) == []


def test_rotate_key_without_installation_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="no installation"):
        rotate_key(settings(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("work", [prepare, administrator_key, rotate_key])
def test_command_closes_its_database_when_done(tmp_path: Path, work: Callable[[Config], object]) -> None:
    yard = settings(tmp_path)
    prepare(yard)
    gc.collect()
    gc.disable()  # what is closed by chance is not closed
    try:
        work(yard)
        opened = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    finally:
        gc.enable()
    assert not [name for name in opened if name.startswith(str(tmp_path))]
