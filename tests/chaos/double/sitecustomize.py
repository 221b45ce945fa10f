"""Python imports this first in each process of a program under chaos (tests/chaos/control.py).

The clock of the program (trackyard/base/clock.py) reads `time.time_ns`, which this shifts. Writes of files fail while
the control file says that the disk is full, and disks say that they have no space.
"""

import errno
import mmap
import os
import stat
import struct
import sys
import time

SLOTS = 16
FULL = SLOTS - 1
VALUE = struct.Struct("<q")


def own_slot(arguments: list[str]) -> int:
    """Return the slot of this process by its command line: `python -m trackyard role edge --slot 0`."""
    words = arguments[arguments.index("trackyard") + 1 :] if "trackyard" in arguments else []
    if words[:2] == ["role", "edge"]:
        return 3 + int(words[words.index("--slot") + 1]) % (FULL - 3)
    return {"core": 1, "worker": 2}.get(words[1], 0) if words[:1] == ["role"] else 0


def install(path: str) -> None:
    """Replace the clock and the writes of this process."""
    with open(path, "rb") as file:
        shared = mmap.mmap(file.fileno(), SLOTS * VALUE.size, prot=mmap.PROT_READ)
    machine_ns, write, pwrite, statvfs = time.time_ns, os.write, os.pwrite, os.statvfs
    place, last = own_slot(sys.orig_argv) * VALUE.size, FULL * VALUE.size
    read = VALUE.unpack_from

    def check(descriptor: int) -> None:
        if read(shared, last)[0] and stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def shifted_ns() -> int:
        return machine_ns() + int(read(shared, place)[0])

    def checked_write(descriptor: int, content: bytes) -> int:
        check(descriptor)
        return write(descriptor, content)

    def checked_pwrite(descriptor: int, content: bytes, offset: int) -> int:
        check(descriptor)
        return pwrite(descriptor, content, offset)

    def checked_statvfs(place: "str | int") -> os.statvfs_result:
        found = statvfs(place)
        if not read(shared, last)[0]:
            return found
        fields = list(found)
        fields[3] = fields[4] = 0  # f_bfree, f_bavail
        return os.statvfs_result(fields)

    for module, name, double in (
        (time, "time_ns", shifted_ns),
        (os, "write", checked_write),
        (os, "pwrite", checked_pwrite),
        (os, "statvfs", checked_statvfs),
    ):
        setattr(module, name, double)


if "CHAOS_CONTROL" in os.environ:
    install(os.environ["CHAOS_CONTROL"])
