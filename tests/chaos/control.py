"""The file by which a run of chaos shifts the clocks of a machine's processes, and fills its disk.

tests/chaos/double/sitecustomize.py reads it in each process of the program.
"""

import mmap
import os
import re
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "CHAOS_CONTROL"
DOUBLE: Final = Path(__file__).parent / "double"
SLOTS: Final = 16
FULL: Final = SLOTS - 1
"""The slot that is not 0 while writes of files fail as on a full disk."""
_VALUE: Final = struct.Struct("<q")
_FIXED: Final = {"core": 1, "worker": 2}


def slot_of(process: str) -> int:
    """Return the slot of a process, such as "edge 0"; 0 = the supervisor and what else runs."""
    if found := re.fullmatch(r"edge (\d+)", process):
        return 3 + int(found[1]) % (FULL - 3)
    return _FIXED.get(process, 0)


class Control:
    """The file of one machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(SLOTS * _VALUE.size))
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), 0)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of a process that reads this file."""
        others = os.environ.get("PYTHONPATH", "")
        return {VARIABLE: str(self.path), "PYTHONPATH": f"{DOUBLE}{os.pathsep}{others}" if others else str(DOUBLE)}

    def shift(self, seconds: int, processes: Iterable[str] | None = None) -> None:
        """Let clocks differ from the machine's; processes: None = all of them."""
        slots = range(FULL) if processes is None else map(slot_of, processes)
        for slot in slots:
            self._set(slot, seconds * 1_000_000_000)

    def fill_disk(self, full: bool) -> None:
        """Let writes fail as on a full disk, or not."""
        self._set(FULL, int(full))

    def _set(self, slot: int, value: int) -> None:
        _VALUE.pack_into(self._shared, slot * _VALUE.size, value)
