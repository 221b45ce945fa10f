"""Sockets: addresses of local ones, and limits of the connections of a listener."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

DEFAULT_MAX: Final = 1_000_000
DEFAULT_MAX_OF_NETWORK: Final = 1000
_SHARE_OF_NETWORK: Final = 4
"""One network has at most one of so many parts of all connections."""
_SHARE_OF_PROXIES: Final = 8
"""One of so many parts is left to trusted proxies."""
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


class ConnectionLimits:
    """Counts open connections. `network` is "" for trusted proxies, which have no limit of their own.

    refused: since it was last set to 0.
    """

    def __init__(self, most: int = DEFAULT_MAX, most_of_network: int = DEFAULT_MAX_OF_NETWORK) -> None:
        self.most = most
        self.most_of_network = max(1, min(most_of_network, most // _SHARE_OF_NETWORK))
        self.refused = 0
        self._most_of_strangers = most - most // _SHARE_OF_PROXIES
        self._count = 0
        self._by_network: dict[str, int] = {}

    def admit(self, network: str) -> bool:
        """Count a connection; False = it is over a limit, is not counted and must be closed."""
        of_network = self._by_network.get(network, 0)
        most = self._most_of_strangers if network else self.most
        if self._count >= most or (network and of_network >= self.most_of_network):
            self.refused += 1
            return False
        self._count += 1
        if network:
            self._by_network[network] = of_network + 1
        return True

    def release(self, network: str) -> None:
        """Count an admitted connection no more."""
        self._count -= 1
        if network:
            left = self._by_network[network] - 1
            if left:
                self._by_network[network] = left
            else:
                del self._by_network[network]

    def is_crowded(self, network: str) -> bool:
        """Return whether a network, or all strangers together, have more than half of their connections.

        Idle ones are then closed early.
        """
        if not network:
            return False
        return self._by_network.get(network, 0) * 2 > self.most_of_network or self._count * 2 > self._most_of_strangers


def raise_file_limit() -> None:
    """Raise the limit of open files to the maximum that the system grants."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def max_connections(reserved_files: int) -> int:
    """Return how many connections leave enough files for everything else."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return DEFAULT_MAX
    return max(files - reserved_files, files // 2)
