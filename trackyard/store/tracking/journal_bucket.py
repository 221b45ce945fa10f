"""Copies of journals in a bucket (docs/spec/engine.md#copies-of-journals).

A copy is many parts: one object for the bytes of a journal from one offset to another. Parts are never written again,
so no copy gets shorter.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import obstore

from trackyard.store.platform.bucket import open_bucket, translated_errors

_ROOT: Final = "journals/"
_TIMEOUT_S: Final = 5
"""A stop waits for a request, and a copy is late after 10 seconds."""
_match_path: Final = re.compile(r"journals/([0-9a-f]{24})/([0-9]{3}-[0-9]{13})/([0-9]{12})-([0-9]{12})").fullmatch


@dataclass(frozen=True, slots=True, order=True)
class CopiedPart:
    """Bytes of a journal. machine: the id of its data directory; start, end: byte offsets, end exclusive."""

    machine: str
    journal: str
    start: int
    end: int

    @property
    def path(self) -> str:
        """Return the name of its object."""
        return f"{_ROOT}{self.machine}/{self.journal}/{self.start:012d}-{self.end:012d}"


class JournalBucket:
    """The bucket of copies. url: as `open_bucket`. Every method raises FilesUnavailable."""

    def __init__(self, url: str) -> None:
        self._store = open_bucket(url, _TIMEOUT_S, _TIMEOUT_S)

    def put(self, part: CopiedPart, content: bytes) -> None:
        """Store a part. A repeat has the same content."""
        with translated_errors():
            obstore.put(self._store, part.path, content)

    def read(self, part: CopiedPart) -> bytes:
        """Return the content of a part."""
        with translated_errors():
            return bytes(obstore.get(self._store, part.path).bytes())

    def list_parts(self, machine: str = "") -> list[CopiedPart]:
        """Return the parts of a machine, or of all, in the order of journals and offsets."""
        found = []
        with translated_errors():
            for page in obstore.list(self._store, prefix=f"{_ROOT}{machine}/" if machine else _ROOT):
                for each in page:
                    match = _match_path(each["path"])
                    if match is not None:
                        found.append(CopiedPart(match[1], match[2], int(match[3]), int(match[4])))
        return sorted(found)

    def remove(self, parts: Iterable[CopiedPart]) -> None:
        """Remove parts in their order, so that a journal of which some are left lacks its beginning."""
        with translated_errors():
            for part in parts:
                obstore.delete(self._store, part.path)


def contiguous_parts(parts: Iterable[CopiedPart]) -> list[tuple[CopiedPart, int]]:
    """Return the parts of one journal from its beginning, each with the offset from which it is new."""
    found: list[tuple[CopiedPart, int]] = []
    end = 0
    for part in sorted(parts):
        if part.start <= end < part.end:
            found.append((part, end))
            end = part.end
    return found
