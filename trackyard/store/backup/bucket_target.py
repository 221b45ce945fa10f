"""Backups in an S3 bucket."""

from collections.abc import Iterator
from contextlib import contextmanager

import obstore
from obstore.exceptions import BaseError

from trackyard.store.backup.target import TargetUnusable
from trackyard.store.platform.bucket import fault_text, open_bucket


class BucketTarget:
    """A bucket, or a folder of one. url: as TRACKYARD_FILES_URL."""

    def __init__(self, url: str) -> None:
        self._store = open_bucket(url)

    def put(self, name: str, content: bytes) -> None:
        """Implement `BackupTarget.__init__`."""
        with _as_unusable():
            obstore.put(self._store, name, content)

    def find(self, name: str) -> bytes | None:
        """Implement `BackupTarget.find`."""
        with _as_unusable():
            try:
                return bytes(obstore.get(self._store, name).bytes())
            except FileNotFoundError:
                return None

    def names(self, prefix: str) -> Iterator[str]:
        """Implement `BackupTarget.names`."""
        with _as_unusable():
            for page in obstore.list(self._store, prefix):
                for each in page:
                    yield each["path"]

    def remove(self, name: str) -> None:
        """Implement `BackupTarget.remove`."""
        with _as_unusable():
            obstore.delete(self._store, name)

    def remove_unfinished(self) -> None:
        """Implement `BackupTarget.remove_unfinished`. A bucket has whole objects only."""

    def place(self, name: str) -> str:
        """Implement `BackupTarget.place`."""
        return f"{name} of the bucket"


@contextmanager
def _as_unusable() -> Iterator[None]:
    try:
        yield
    except (BaseError, FileNotFoundError) as fault:  # FileNotFoundError: the bucket does not exist
        raise TargetUnusable(f"the bucket of backups cannot be used: {fault_text(fault)}.") from fault
