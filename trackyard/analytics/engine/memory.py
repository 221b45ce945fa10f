"""Memory of the embedded analytic store."""

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_MADV_DONTNEED: Final = 4
_MAPS: Final = Path("/proc/self/maps")
_CODE: Final = "r-xp"
"""Rights of mapped code. It is never written, so that its pages can be read from the file again."""


def release_start_code() -> int:
    """Release the code of chDB that only its start ran; return the bytes that were looked at.

    Its start runs through most of its functions once to register them, and keeps some 200 MB of the file in memory.
    What is needed again comes back from the file cache, 64 KB at a time.
    """
    if sys.platform != "linux":
        return 0
    advise = ctypes.CDLL(None, use_errno=True).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    spans = list(code_spans(_MAPS.read_text()))
    return sum(end - start for start, end in spans if advise(start, end - start, _MADV_DONTNEED) == 0)


def code_spans(maps: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the code of chDB, by /proc/self/maps."""
    for line in maps.splitlines():
        span, rights, _offset, _device, _inode, *name = line.split()
        if rights == _CODE and name and Path(name[-1]).name.startswith("_chdb."):
            first, last = span.split("-")
            yield int(first, 16), int(last, 16)
