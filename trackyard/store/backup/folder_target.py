"""Backups in a folder."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from trackyard.store.backup.target import TargetUnusable

_PARTIAL: Final = ".partial"
_UNFINISHED_S: Final = 3600
"""Age from which an object that is not whole is no longer written."""


class FolderTarget:
    """A folder, for its owner only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes) -> None:
        """Implement `BackupTarget.__init__`."""
        path = self._folder / name
        with _as_unusable(self._folder):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_PARTIAL}")
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with open(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(descriptor)
                partial.rename(path)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise
            _sync_folder(path.parent)

    def find(self, name: str) -> bytes | None:
        """Implement `BackupTarget.find`."""
        with _as_unusable(self._folder):
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def names(self, prefix: str) -> Iterator[str]:
        """Implement `BackupTarget.names`."""
        with _as_unusable(self._folder):
            for path in sorted((self._folder / prefix).rglob("*")):
                if path.is_file() and path.suffix != _PARTIAL:
                    yield str(path.relative_to(self._folder))

    def remove(self, name: str) -> None:
        """Implement `BackupTarget.remove`."""
        with _as_unusable(self._folder):
            (self._folder / name).unlink(missing_ok=True)

    def remove_unfinished(self) -> None:
        """Implement `BackupTarget.remove_unfinished`."""
        before = time.time() - _UNFINISHED_S
        with _as_unusable(self._folder):
            for path in self._folder.rglob(f"*{_PARTIAL}"):
                with suppress(FileNotFoundError):
                    if path.stat().st_mtime < before:
                        path.unlink()

    def place(self, name: str) -> str:
        """Implement `BackupTarget.place`."""
        return str(self._folder / name)


@contextmanager
def _as_unusable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise TargetUnusable(f"the folder {folder} cannot be used: {fault.strerror or fault}.") from fault


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
