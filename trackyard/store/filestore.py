"""The bytes of stored files: one file each in a directory, under an id that cannot be guessed (behaviour.md §9).

A file is there whole or not at all, and never changes. Which of them are in use is told by the table `file`.
"""

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_ID: Final = re.compile(r"[0-9a-f]{32}\Z")
CHUNK: Final = 256 * 1024


class FileStore:
    """Files of one directory, which is made when the first one is put."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, pieces: Iterable[bytes]) -> str:
        """Keeps the bytes durably; their new id of 32 hex digits. Raises OSError, with nothing kept."""
        self._directory.mkdir(parents=True, exist_ok=True)
        file_id = secrets.token_hex(16)
        temporary = self._directory / f"{file_id}.tmp"
        try:
            with temporary.open("xb") as handle:
                for piece in pieces:
                    handle.write(piece)
                handle.flush()
                os.fsync(handle.fileno())
            temporary.rename(self._directory / file_id)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        self._sync()
        return file_id

    def find_path(self, file_id: str) -> Path | None:
        """Where the bytes of an id lie; None when there are none."""
        path = self._directory / file_id
        return path if _ID.match(file_id) and path.is_file() else None

    def remove(self, file_ids: Iterable[str]) -> None:
        """Removes the bytes of ids; those that are gone already are no fault."""
        for file_id in file_ids:
            if _ID.match(file_id):
                (self._directory / file_id).unlink(missing_ok=True)

    def each_before(self, moment_ms: int) -> Iterator[str]:
        """Ids whose bytes were put before a moment (UTC ms). What a crash left half written then is removed."""
        if not self._directory.is_dir():
            return
        with os.scandir(self._directory) as entries:
            for entry in entries:
                if entry.stat().st_mtime * 1000 >= moment_ms:
                    continue
                if entry.name.endswith(".tmp"):
                    Path(entry.path).unlink(missing_ok=True)
                elif _ID.match(entry.name):
                    yield entry.name

    def _sync(self) -> None:
        """Makes the new name survive a power cut."""
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
