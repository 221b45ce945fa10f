"""Notes of reservations that are not recorded yet, for the rollback after a fault or a death.

A claim is noted here before it is made. When its record is in the journal the note is forgotten; when the journal
takes no records, or its writer died and the sealed journal does not hold the record, the claim is undone.
"""

import mmap
import os
import struct
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from trackyard.edge.state.mapped_file import open_reserved

FLUSH_AT = 4096
"""So many claims should not wait for one write."""

_WORD: Final = 8
_HEADER_WORDS: Final = 8
_ENTRY_WORDS: Final = 8
_ENTRY: Final = struct.Struct("@24s5Q")
_pack: Final = _ENTRY.pack_into
_FINGERPRINT_BITS: Final = 32
"""Bits of a word that a fingerprint takes; those before it hold a place, which ends at 16 GB of visitors."""
_FINGERPRINT_MASK: Final = 0xFFFFFFFF
_FIRST_SIZE: Final = 64 * 1024


class ClaimKind(IntEnum):
    """What was claimed."""

    VISITOR = 1
    COUNT = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """One noted claim. click: the id of its click · place: where in its map · value: of a visitor the second, of a
    count what it was before · mark: what must be there still (the fingerprint of a visitor; 0 of a count) ·
    other_cell_index, other_fingerprint: where else a visitor is known by, 0 = nowhere."""

    click: str
    kind: ClaimKind
    cell_index: int
    value: int
    fingerprint: int
    other_cell_index: int = 0
    other_fingerprint: int = 0


class Claims:
    """The notes of one edge, in the file `path`, which this process alone writes.

    Every step is in the file before the next begins: a process that dies leaves all or nothing of a note.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = open_reserved(path, _FIRST_SIZE, grow_only=True)
        # The count is that of the file: this process alone writes it.
        self._count = self._capacity = 0
        self._open()
        self.click = ""

    def __len__(self) -> int:
        return self._count

    @property
    def journal(self) -> tuple[int, int]:
        """Start of the journal (UTC ms) and offset behind which the records of all notes are."""
        return self._words[1], self._words[2]

    def begin(self, click_id: str) -> None:
        """The claims that follow are made for this click."""
        self.click = click_id

    def add_claim(
        self,
        kind: ClaimKind,
        cell_index: int,
        value: int,
        fingerprint: int,
        other_cell_index: int = 0,
        other_fingerprint: int = 0,
    ) -> None:
        """Note a claim before it is made. Raises OSError when there is no room; then do not make it."""
        words = self._words
        count = self._count
        at = _HEADER_WORDS + count * _ENTRY_WORDS
        if count >= self._capacity:
            self._grow()
            words = self._words
        other = other_cell_index << _FINGERPRINT_BITS | other_fingerprint
        _pack(self._map, at * _WORD, self.click.encode("ascii"), kind, cell_index, value, fingerprint, other)
        # The count last, in one store: a death before it leaves no note, and no claim was made.
        words[0] = count + 1
        self._count = count + 1

    def clear(self, journal_start: int, position: int) -> None:
        """Forget every note: the records are in the journal.

        They are before `position` of the journal begun at `journal_start`.

        A death in between leaves an earlier position, and never one behind a note.
        """
        words = self._words
        words[0] = self._count = 0
        if words[1] != journal_start:
            words[2] = 0
            words[1] = journal_start
        words[2] = position

    def last(self) -> Claim | None:
        """The claim noted last; None = there is none."""
        count = self._count
        if count == 0:
            return None
        at = _HEADER_WORDS + (count - 1) * _ENTRY_WORDS
        click, kind, cell_index, value, fingerprint, other = _ENTRY.unpack_from(self._map, at * _WORD)
        return Claim(
            click.decode("ascii"),
            ClaimKind(kind),
            cell_index,
            value,
            fingerprint,
            other >> _FINGERPRINT_BITS,
            other & _FINGERPRINT_MASK,
        )

    def remove_last(self) -> None:
        """Forgets the claim noted last."""
        self._words[0] = self._count - 1
        self._count -= 1

    def close(self) -> None:
        """Gives the file back."""
        self._words.release()
        self._map.close()
        os.close(self._descriptor)

    def _open(self) -> None:
        self._map = mmap.mmap(self._descriptor, os.fstat(self._descriptor).st_size)
        self._words = memoryview(self._map).cast("Q")
        self._capacity = (len(self._words) - _HEADER_WORDS) // _ENTRY_WORDS
        self._count = self._words[0]

    def _grow(self) -> None:
        size = len(self._map)
        os.posix_fallocate(self._descriptor, size, size)
        self._words.release()
        self._map.close()
        self._open()
