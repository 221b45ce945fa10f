"""The files through which processes of a machine share the values of metrics.

A process writes its own files and reads the files of all. A full disk neither ends a process nor leaves a file that
stops the readers: a file has all of its space, or the process keeps its values in memory until it can write them.
"""

import json
import logging
import mmap
import os
import struct
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from prometheus_client import values
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

DIRECTORY_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
FILE_BYTES: Final = 1 << 16
"""The size of a file of shared values; the values of a process take less than a quarter of it."""
RETRY_S: Final = 5.0
"""Time after which a process tries again to write a file for which the disk had no space."""
_USED: Final = struct.Struct("i")
_FIRST: Final = 8
"""Where the first value begins; before it is the number of bytes in use."""
_VALUE_BYTES: Final = 16

_log = logging.getLogger("trackyard.metrics")


class SharedValues(MmapedDict):
    """The values of this process: in a file of full size, or in memory while the disk is full.

    A value that is counted in a file without space on the disk would end the process (SIGBUS). An empty or broken
    file of an earlier process with the same id is begun again.
    """

    _m: Any
    _used: int

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        assert not read_mode, "files are read by read_shared_values"
        self._path = Path(filename)
        self._m = None
        self._positions: dict[str, int] = {}
        content = self._path.read_bytes() if is_whole(self._path) else b""
        self._place(content.ljust(FILE_BYTES, b"\0"))
        self._used = max(_FIRST, _USED.unpack_from(self._m)[0])
        self._m[: _USED.size] = _USED.pack(self._used)
        for key, _, _, position in self._read_all_values():  # type: ignore[no-untyped-call]
            self._positions[key] = position

    def _init_value(self, key: str) -> None:
        """Add a value. The lock of all values is held."""
        needed = self._used + len(key.encode()) + 3 * _VALUE_BYTES
        if needed > len(self._m):
            self._place(bytes(self._m).ljust(2 * len(self._m), b"\0"))
        self._capacity = len(self._m)
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def _place(self, content: bytes) -> None:
        """Move the values into a file with this content; where that fails, into memory."""
        partial = self._path.with_suffix(".partial")
        try:
            with partial.open("w+b", buffering=0) as file:
                written = 0
                while written < len(content):
                    written += os.write(file.fileno(), content[written:])
                mapped = mmap.mmap(file.fileno(), len(content))
            partial.rename(self._path)
        except OSError as fault:
            for path in (partial, self._path):
                path.unlink(missing_ok=True)
            self._keep_in_memory(content, fault)
        else:
            if "write_value" in self.__dict__:
                del self.write_value  # the method of the class takes over
                _log.debug("metrics written to their file again", extra={"file": self._path.name})
            self._replace(mapped)

    def _keep_in_memory(self, content: bytes, fault: OSError) -> None:
        self._retry_at = time.monotonic() + RETRY_S
        if "write_value" not in self.__dict__:
            _log.debug("metrics kept in memory", extra={"file": self._path.name, "error": fault.strerror})
            # on the object: values in a file, such as counts of each click, cost nothing more
            self.write_value = self._write_in_memory  # type: ignore[method-assign]
        mapped = mmap.mmap(-1, len(content))
        mapped[:] = content
        self._replace(mapped)

    def _replace(self, mapped: mmap.mmap) -> None:
        self.close()
        self._m = mapped

    def _write_in_memory(self, key: str, value: float, timestamp: float) -> None:
        """Write a value, and from time to time try to write the file. The lock of all values is held."""
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
        if time.monotonic() >= self._retry_at:
            self._place(bytes(self._m))

    def close(self) -> None:
        """Release the memory."""
        if self._m is not None:
            self._m.close()
            self._m = None


class SharedReading(NamedTuple):
    """What the files of all processes say. skipped: the number of files that are empty or broken."""

    families: Iterable[Family]
    skipped: int


def read_shared_values(directory: Path) -> SharedReading:
    """Return the values of all processes. Files that are empty or broken are skipped."""
    files = sorted(directory.glob("*.db"))
    whole = [str(file) for file in files if is_whole(file)]
    families = MultiProcessCollector.merge(whole)  # type: ignore[no-untyped-call]
    return SharedReading(families, len(files) - len(whole))


def is_whole(file: Path) -> bool:
    """Return whether a file of shared values is there and can be read to its end."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    if len(content) < _FIRST:
        return False
    used, place = _USED.unpack_from(content)[0], _FIRST
    if used > len(content):
        return False
    while place < used:
        length = _USED.unpack_from(content, place)[0] if place + _USED.size <= used else -1
        key_at = place + _USED.size
        place = key_at + length + 8 - (length + _USED.size) % 8 + _VALUE_BYTES
        if length <= 0 or place > used or not _is_key(content[key_at : key_at + length]):
            return False
    return True


@lru_cache(maxsize=8192)
def _is_key(key: bytes) -> bool:
    """Return whether bytes name a value: metric, name, labels and help."""
    try:
        read = json.loads(key)
    except ValueError:
        return False
    return isinstance(read, list) and len(read) == 4 and isinstance(read[2], dict)


def share_values() -> None:
    """Let the metrics of this process be values of this module. Called before the first one is declared."""
    values.__dict__["MmapedDict"] = SharedValues
