"""Exit codes, and the errors of a start that lead to them (docs/commands.md#exit-codes)."""

import socket
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from trackyard.base.disks import disk_space, is_full_disk

if TYPE_CHECKING:
    from trackyard.runtime.setting_types import Address


class ExitCode(IntEnum):
    """An exit code of `trackyard`. text: what it means."""

    text: str

    def __new__(cls, number: int, text: str) -> "ExitCode":
        code = int.__new__(cls, number)
        code._value_ = number
        code.text = text
        return code

    OK = 0, "Done; nothing differs."
    FAILED = 1, "Something differs, was not found or could not be done; the output shows what."
    USAGE = 2, "The command line is wrong, or the server rejects what was asked."
    AWAY = 3, "No server was found, or it does not answer."
    CONFIGURATION = 78, "A setting, or a file of this machine that it names, cannot be used; a restart would not help."
    INTERRUPTED = 130, "Ctrl-C stopped the command."
    READER_LEFT = 141, "The reader of the output closed it, as `head` does."


class CannotStart(Exception):
    """The program or a role cannot start.

    The message is one sentence, or "" when a child process has logged the reason. Subclasses have other exit codes.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.CONFIGURATION


class NotInstalled(CannotStart):
    """The data directory does not contain an installation yet."""

    exit_code = ExitCode.AWAY


class DatabaseAway(CannotStart):
    """A database did not answer in time; a later start may find it."""

    exit_code = ExitCode.FAILED


class PeerRefuses(CannotStart):
    """A database, or another machine, answered that this one cannot start; it may answer otherwise later."""

    exit_code = ExitCode.FAILED


class DiskFull(CannotStart):
    """The disk of the data directory is full; a later start may find space."""

    exit_code = ExitCode.FAILED


def disk_full(directory: Path) -> CannotStart:
    """Return the error of a data directory on a full disk."""
    existing = next(path for path in (directory, *directory.parents) if path.exists())
    return DiskFull(
        f"The disk of TRACKYARD_DATA_DIR {directory} is full: {disk_space(existing).free // 1_000_000} MB are free. "
        "Free some of it (docs/operating.md#a-full-disk), and start again."
    )


def unusable_directory(directory: Path, reason: object) -> CannotStart:
    """Return the error of a data directory that cannot be used. reason: the OSError, or a text."""
    if isinstance(reason, OSError):
        if is_full_disk(reason):
            return disk_full(directory)
        reason = reason.strerror
    return CannotStart(f"TRACKYARD_DATA_DIR {directory} cannot be used: {reason}.")


def bind(address: "Address", variable: str) -> socket.socket:
    """Return a socket that is bound to an address. Raises CannotStart with the name of the variable."""
    listener = socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
    except OSError as fault:
        listener.close()
        raise CannotStart(f"{variable} {address.host}:{address.port} cannot be used: {fault.strerror}.") from None
    return listener


CANNOT_START: Final = ExitCode.CONFIGURATION
"""Exit code of a role that cannot start (EX_CONFIG)."""
