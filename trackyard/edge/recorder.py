"""What an edge writes into its journal, and what it takes back when nothing could be written."""

from collections.abc import Callable
from typing import Protocol

from trackyard.journal.records import Kind
from trackyard.journal.writer import JournalUnwritable


class Journal(Protocol):
    """What is needed of a journal's writer."""

    def append(self, kind: Kind, payload: bytes) -> int: ...

    def put(self, kind: Kind, payload: bytes) -> None: ...

    def flush(self) -> None: ...


class Recorder:
    """Records of clicks gather until `commit`; a call is written at once. `release` takes a claim back.

    fault: "" while the journal takes records · claims: places in the shared state that the gathered clicks took.
    """

    __slots__ = ("_journal", "_lost", "_release", "claims", "fault", "put")

    def __init__(self, journal: Journal, release: Callable[[int], None]) -> None:
        self.fault = ""
        self.claims: list[int] = []
        self.put = journal.put
        self._journal = journal
        self._release = release
        self._lost = False

    def commit(self) -> bool:
        """Writes what was gathered since the last time; False when it could not be written: then none of it counts."""
        kept = self._flush() and not self._lost
        self._lost = False
        return kept

    def append(self, kind: Kind, payload: bytes) -> bool:
        """Writes a record at once, what was gathered before it; False when it could not be written."""
        # The clicks before it on their own, so that each kind is told its own fault.
        if not self._flush():
            self._lost = True
        try:
            self._journal.append(kind, payload)
        except JournalUnwritable as fault:
            self.fault = str(fault)
            return False
        return True

    def _flush(self) -> bool:
        claims, self.claims = self.claims, []
        try:
            self._journal.flush()
        except JournalUnwritable as fault:
            for place in claims:
                self._release(place)
            self.fault = str(fault)
            return False
        return True
