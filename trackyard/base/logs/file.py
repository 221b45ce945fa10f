"""The copy of the log in a file, which all processes of a server write (docs/decisions/0046).

A line is written at once and whole, and the file is closed after it, so processes share the file without a process
between them, and rotate it without messages. A disk that is full costs lines of the copy, nothing else.
"""

import fcntl
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from trackyard.base.logs.formats import JsonLines
from trackyard.base.logs.output import FieldFilter

MAX_BYTES: Final = 8_000_000
"""Size at which a file is rotated; one older file is kept."""

_log = logging.getLogger("trackyard.log")


class LogFile(logging.Handler):
    """Appends records as JSON lines to a file for its owner only.

    path: its directory is made. The file before it is `rotated_path(path)`.
    """

    def __init__(self, role: str, path: Path, max_bytes: int = MAX_BYTES) -> None:
        super().__init__()
        self.setFormatter(JsonLines(role))
        self.addFilter(FieldFilter())
        self._path = path
        self._max_bytes = max_bytes
        self._dropped = 0
        self._is_torn = False

    def emit(self, record: logging.LogRecord) -> None:
        """Append a record, or count it when that fails."""
        try:
            line = self.format(record)
        except Exception:
            self.handleError(record)
            return
        try:
            self._append(line.encode(errors="replace") + b"\n")
        except OSError:
            self._dropped += 1
            return
        if self._dropped:
            count, self._dropped = self._dropped, 0
            _log.warning("lines missing in log file", extra={"file": str(self._path), "count": count})

    def _append(self, line: bytes) -> None:
        """Write a line; the next one begins on a line of its own after a torn one. Raises OSError."""
        line = b"\n" + line if self._is_torn else line
        try:
            is_kept = self._write(line)
        except FileNotFoundError:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_kept = self._write(line)
        if not is_kept:
            self._write(line)

    def _write(self, line: bytes) -> bool:
        """Write to the end of the file; return whether it is kept. Raises OSError.

        It is not kept when other processes rotated it twice meanwhile.
        """
        handle = self._open()
        try:
            written = os.write(handle, line)
            self._is_torn = written < len(line)
            if self._is_torn:
                raise OSError("the disk is full")
            state = os.fstat(handle)
            if state.st_size >= self._max_bytes:
                self._rotate(handle)
            return state.st_nlink > 0
        finally:
            os.close(handle)

    def _open(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _rotate(self, handle: int) -> None:
        """Rename a full file, unless another process does or did it. The lock belongs to the file itself."""
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), self._path.stat()):
                self._path.replace(rotated_path(self._path))


def rotated_path(path: Path) -> Path:
    """Return where the file before this one is kept."""
    return path.with_name(f"{path.name}.1")


def log_to_file(role: str, path: Path | None) -> None:
    """Copy the log of this process to a file too. path: None = no file."""
    if path is not None:
        logging.getLogger().addHandler(LogFile(role, path))
