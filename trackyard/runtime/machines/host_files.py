"""`trackyard.host`: which host uses a data directory, or a SQLite file, that may be on a shared disk.

A lock of a file holds on one host; not every shared disk passes it on to others. So a server writes its host into the
directory and touches the file every few seconds. Another host that finds it being touched does not start.
"""

import json
import logging
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from socket import gethostname
from typing import Final

from trackyard.runtime.exit_codes import CannotStart
from trackyard.runtime.settings import Config, write_private

log = logging.getLogger("trackyard.runtime.machines")

TOUCH_S: Final = 5.0
WATCH_S: Final = 12.0
"""A file that is not touched for so long belongs to a server that was killed."""
_OLD_S: Final = 600.0
"""A file that was touched this long ago is not watched at all."""
_PAUSE_S: Final = 0.2
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Host:
    """A running operating system.

    name: its host name. boot_id: of its kernel since its start; "" = unknown.
    """

    name: str
    boot_id: str

    @classmethod
    def here(cls) -> "Host":
        """Return the host of this process."""
        boot_id = _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else ""
        return cls(gethostname(), boot_id)


class HostFiles:
    """The host files of a server."""

    def __init__(self, config: Config, host: Host, touch_s: float = TOUCH_S) -> None:
        self._config = config
        self._host = host
        self._touch_s = touch_s
        self._touched_at = 0.0
        self._paths = _paths(config)

    def claim(self, stop: threading.Event, watch_s: float = WATCH_S) -> None:
        """Write the files. Raises CannotStart while a server of another host touches one; OSError."""
        watched = {path: seen for path in self._paths if (seen := self._seen_of_other(path)) is not None}
        deadline = time.monotonic() + watch_s
        while watched and time.monotonic() < deadline and not stop.wait(_PAUSE_S):
            for path, seen in watched.items():
                if (now := self._seen_of_other(path)) is not None and now != seen:
                    raise CannotStart(self._refusal(path))
        self._write()

    def touch(self) -> None:
        """Record that the server runs, at most every few seconds. A full disk does not end the server."""
        if time.monotonic() - self._touched_at < self._touch_s:
            return
        self._touched_at = time.monotonic()
        try:
            for path in self._paths:
                os.utime(path)
                if _host_in(path.read_text()) != self._host:  # a full disk cut it
                    self._write_or_warn()
        except FileNotFoundError:
            self._write_or_warn()
        except OSError as fault:
            log.warning("host file not touched", extra={"error": fault.strerror})

    def remove(self) -> None:
        """Remove the files at the end of the server."""
        for path in self._paths:
            with suppress(OSError):
                path.unlink()

    def _write(self) -> None:
        for path in self._paths:
            write_private(path, json.dumps(asdict(self._host)) + "\n")

    def _write_or_warn(self) -> None:
        try:
            self._write()
        except OSError as fault:
            log.warning("host file not written", extra={"error": fault.strerror})

    def _seen_of_other(self, path: Path) -> int | None:
        """Return when another host touched a file last, in ns; None = no other host uses the place."""
        try:
            with path.open() as file:  # opened, since a network file system may remember the time of a closed file
                other, seen = _host_in(file.read()), os.fstat(file.fileno()).st_mtime_ns
        except FileNotFoundError:
            return None
        is_old = abs(time.time_ns() - seen) > _OLD_S * 1e9
        return None if other in (None, self._host) or is_old else seen

    def _refusal(self, path: Path) -> str:
        try:
            other = _host_in(path.read_text())
        except OSError:
            other = None
        name = other.name if other is not None else "another host"
        if self._config.sqlite_file is None or path.parent != self._config.sqlite_file.parent:
            mending = "give each machine a data directory on its own disk"
            return f"TRACKYARD_DATA_DIR {self._config.data_dir} is in use on host {name}: {mending}."
        return (
            f"TRACKYARD_DATABASE_URL {self._config.sqlite_file} is in use on host {name}, and SQLite is for one host: "
            "set it to one PostgreSQL on all machines, each with a data directory on its own disk."
        )


def _paths(config: Config) -> Sequence[Path]:
    directories = [config.data_dir]
    if config.sqlite_file is not None and config.sqlite_file.parent != config.data_dir:
        directories.append(config.sqlite_file.parent)
    return [directory / "trackyard.host" for directory in directories]


def _host_in(text: str) -> Host | None:
    try:
        return Host(**json.loads(text))
    except (ValueError, TypeError):
        return None
