"""What a place of backups can do. Objects are written whole or not at all."""

from collections.abc import Iterator
from typing import Protocol


class TargetUnusable(Exception):
    """The place of backups cannot be read or written. The message is a sentence."""


class BackupTarget(Protocol):
    """A place of objects by name, such as `chunks/ab/ab12…`. Every method raises TargetUnusable."""

    def put(self, name: str, content: bytes) -> None:
        """Store an object; it is safe when this returns."""

    def find(self, name: str) -> bytes | None:
        """Return an object, None without one."""

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the names of the objects in a folder such as `chunks`."""

    def remove(self, name: str) -> None:
        """Remove an object."""

    def remove_unfinished(self) -> None:
        """Remove what writes that were killed long ago left."""

    def place(self, name: str) -> str:
        """Return where an object is, for a person."""
