"""Checks of this machine: the user, the data directory and its disk."""

import os
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trackyard.base.disks import disk_space
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.status import find_low_disk
from trackyard.runtime.data_directory import open_mode
from trackyard.runtime.server_file import is_server_running
from trackyard.runtime.settings import Config

_SHOWN_NAMES: Final = 5


@dataclass(frozen=True, slots=True)
class CheckedMachine:
    """The machine as checks see it.

    environment: the environment variables of the process.
    user: the effective user id.
    server_runs: whether a server has the data directory.
    tls: how certificates are verified.
    resolve: resolves a host and port; raises socket.gaierror when the name does not resolve.
    """

    config: Config
    environment: Mapping[str, str]
    user: int = field(default_factory=os.geteuid)
    server_runs: bool = False
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    resolve: Callable[[str, int], object] = socket.getaddrinfo

    @classmethod
    def here(cls, config: Config, environment: Mapping[str, str]) -> "CheckedMachine":
        """Return this machine."""
        return cls(config, environment, server_runs=is_server_running(config.data_dir))


def check_user(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when the program runs as root."""
    if machine.user == 0:
        yield Finding(FindingKind.USER_IS_ROOT, "root")


def check_data_directory(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield what is wrong with the rights of the data directory.

    Where it is not there yet, the directory that it will be made in is checked.
    """
    directory = machine.config.data_dir
    existing = _nearest(directory)
    if reason := _unusable(existing):
        shown = reason if existing == directory else f"{existing}: {reason}"
        yield Finding(FindingKind.DIRECTORY_UNUSABLE, str(directory), {"reason": shown})
    elif existing == directory:
        yield from _check_inside(directory)


def _check_inside(directory: Path) -> Iterator[Finding]:
    mode = open_mode(directory)
    if mode is not None:
        yield Finding(FindingKind.DIRECTORY_OPEN, str(directory), {"mode": f"{mode:o}"})
    foreign = sorted(each.name for each in directory.iterdir() if not os.access(each, os.R_OK | os.W_OK))
    if foreign:
        more = ["…"] if len(foreign) > _SHOWN_NAMES else []
        names = ", ".join(foreign[:_SHOWN_NAMES] + more)
        yield Finding(FindingKind.FILES_UNUSABLE, str(directory), {"names": names})


def _unusable(directory: Path) -> str:
    """Return why a directory cannot be used, "" when it can."""
    if not directory.is_dir():
        return "it is not a directory"
    if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
        return "this user may not read and write it"
    return ""


def check_disk(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when too little of the disk of the data directory is free."""
    disk = disk_space(_nearest(machine.config.data_dir))
    yield from find_low_disk(str(machine.config.data_dir), disk.free, disk.total)


def _nearest(directory: Path) -> Path:
    """Return the directory, or the nearest one above it that exists."""
    return next(path for path in (directory, *directory.parents) if path.exists())
