"""Large pages under what an edge keeps: rules are walked at random, and with small pages the processor looks for a page
as long as for what is on it. Linux from 6.1 on; elsewhere nothing happens.
"""

import ctypes
import errno
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LARGE_PAGE: Final = 2 * 1024 * 1024
_MADV_COLLAPSE: Final = 25
"""MADV_COLLAPSE: now, and whatever the machine's default is; what comes later stays in small pages."""
_MAPS: Final = Path("/proc/self/maps")
_UNSUPPORTED_ERRORS: Final = (errno.EINVAL, errno.ENOSYS)
"""What a kernel answers that does not know the advice, or has no large pages."""

_log = logging.getLogger("trackyard.edge")


def use_large_pages() -> int:
    """Puts the memory of this process into large pages; the bytes of which all are. Takes a second for 500 MB, without
    the interpreter's lock: another thread may go on deciding."""
    if sys.platform != "linux":
        return 0
    advise = ctypes.CDLL(None, use_errno=True).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    large = 0
    for start, end in _page_ranges(_MAPS.read_text()):
        if advise(start, end - start, _MADV_COLLAPSE) == 0:
            large += end - start
            continue
        fault = ctypes.get_errno()
        if fault in _UNSUPPORTED_ERRORS:
            # Also of a span that holds next to nothing; the others are asked all the same.
            continue
        _log.info(
            "memory stays in small pages", extra={"bytes": end - start, "error": errno.errorcode.get(fault, fault)}
        )
    return large


def _page_ranges(maps: str) -> Iterator[tuple[int, int]]:
    """The spans of whole large pages in what /proc/self/maps says of private memory that is no file's."""
    for line in maps.splitlines():
        span, rights, _offset, _device, _inode, *name = line.split()
        if rights == "rw-p" and (not name or name[0] == "[heap]"):
            first, last = (int(text, 16) for text in span.split("-"))
            start, end = -(-first // _LARGE_PAGE) * _LARGE_PAGE, last // _LARGE_PAGE * _LARGE_PAGE
            if start < end:
                yield start, end
