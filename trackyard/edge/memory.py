"""Large pages for the memory of an edge.

Rules are walked at random; with small pages the processor looks for a page as long as for its content. This needs Linux
6.1; elsewhere nothing happens.
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
"""MADV_COLLAPSE acts at once and whatever the default of the machine is; later memory stays in small pages."""
_MAPS: Final = Path("/proc/self/maps")
_UNSUPPORTED_ERRORS: Final = (errno.EINVAL, errno.ENOSYS)
"""Errors of a kernel that does not know the advice, or has no large pages."""

_log = logging.getLogger("trackyard.edge")


def use_large_pages() -> int:
    """Put the memory of this process into large pages; return the bytes that are in large pages.

    It takes a second for 500 MB, without the lock of the interpreter: another thread may decide clicks meanwhile.
    """
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
            # Spans with little memory fail like this too, so that the others are still tried.
            continue
        _log.info("small pages kept", extra={"bytes": end - start, "error": errno.errorcode.get(fault, fault)})
    return large


def _page_ranges(maps: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of whole large pages in private memory without a file, by /proc/self/maps."""
    for line in maps.splitlines():
        span, rights, _offset, _device, _inode, *name = line.split()
        if rights == "rw-p" and (not name or name[0] == "[heap]"):
            first, last = (int(text, 16) for text in span.split("-"))
            start, end = -(-first // _LARGE_PAGE) * _LARGE_PAGE, last // _LARGE_PAGE * _LARGE_PAGE
            if start < end:
                yield start, end
