"""The bytes of stored files, each under an id that cannot be guessed (docs/spec/platform.md#files).

They are in a directory of this machine, or in a bucket that many machines share (store/platform/bucket.py). A file
exists completely or not at all, and never changes. The table `file` has the files in use.
"""

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

CHUNK: Final = 256 * 1024

is_file_id = re.compile(r"[0-9a-f]{32}\Z").match


class FilesUnavailable(OSError):
    """The storage of files does not answer, or refuses a request; the message is its own."""


class FileStore(Protocol):
    """A storage of files. Every method raises OSError; after FilesUnavailable the caller can try again."""

    def put(self, pieces: Iterable[bytes]) -> str:
        """Store the bytes durably, or none of them; return their new id of 32 hex digits."""

    def find(self, file_id: str) -> Path | Iterator[bytes] | None:
        """Return the path of a file on this machine, or its bytes in pieces, or None."""

    def remove(self, file_ids: Iterable[str]) -> None:
        """Remove the bytes of ids that exist."""

    def each_before(self, moment_ms: int) -> Iterator[str]:
        """Yield the ids of bytes that were stored before a moment (UTC milliseconds)."""


def new_file_id() -> str:
    """Return an id that cannot be guessed."""
    return secrets.token_hex(16)


def read_file(store: FileStore, file_id: str) -> bytes | None:
    """Return the bytes of a stored file; None where it does not exist. Raises OSError."""
    found = store.find(file_id) if file_id else None
    if found is None:
        return None
    return found.read_bytes() if isinstance(found, Path) else b"".join(found)


class DirectoryStore:
    """A FileStore in one directory, which the first file creates."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, pieces: Iterable[bytes]) -> str:
        """Implement `FileStore.__init__`."""
        self._directory.mkdir(parents=True, exist_ok=True)
        file_id = new_file_id()
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

    def find(self, file_id: str) -> Path | None:
        """Implement `FileStore.find`."""
        path = self._directory / file_id
        return path if is_file_id(file_id) and path.is_file() else None

    def remove(self, file_ids: Iterable[str]) -> None:
        """Implement `FileStore.remove`."""
        for file_id in file_ids:
            if is_file_id(file_id):
                (self._directory / file_id).unlink(missing_ok=True)

    def each_before(self, moment_ms: int) -> Iterator[str]:
        """Implement `FileStore.each_before`. Partial files that a crash left earlier are removed too."""
        if not self._directory.is_dir():
            return
        with os.scandir(self._directory) as entries:
            for entry in entries:
                if entry.stat().st_mtime * 1000 >= moment_ms:
                    continue
                if entry.name.endswith(".tmp"):
                    Path(entry.path).unlink(missing_ok=True)
                elif is_file_id(entry.name):
                    yield entry.name

    def _sync(self) -> None:
        """Make the new name survive a power cut."""
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
