"""Addresses of Unix sockets in the data directory, for paths of any length."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LONGEST: Final = 100
"""Bytes of a path that every system accepts as the address of a socket."""


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Yield an address of the socket at `path`, valid while the block runs."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
