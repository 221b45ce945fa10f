"""What an edge writes into its journal, and what it takes back when nothing could be written."""

from typing import Protocol

from trackyard.journal.records import Kind
from trackyard.journal.writer import JournalUnwritable


class Journal(Protocol):
    """What is needed of a journal's writer."""

    def append(self, kind: Kind, payload: bytes) -> int: ...

    def put(self, kind: Kind, payload: bytes) -> None: ...

    def flush(self) -> None: ...


class State(Protocol):
    """What the gathered clicks claimed of the shared state."""

    def kept(self) -> None:
        """Their records are in the journal."""
        ...

    def lost(self) -> None:
        """Their records could not be written."""
        ...


class Recorder:
    """Records of clicks gather until `commit`; a call is written at once.

    fault: "" while the journal takes records.
    """

    __slots__ = ("_journal", "_lost", "_state", "fault", "put")

    def __init__(self, journal: Journal, state: State) -> None:
        self.fault = ""
        self.put = journal.put
        self._journal = journal
        self._state = state
        self._lost = False

    def commit(self) -> bool:
        """Writes what was gathered since the last time; False when it could not be written: then none of it counts."""
        kept = self._flush() and not self._lost
        self._lost = False
        return kept

    def append(self, kind: Kind, payload: bytes) -> bool:
        """Writes a record at once, what was gathered before it; False when it could not be written."""
        # The clicks before it on their own, so that each kind is told its own fault.
        self.flush()
        try:
            self._journal.append(kind, payload)
        except JournalUnwritable as fault:
            self.fault = str(fault)
            return False
        return True

    def flush(self) -> None:
        """Writes what was gathered before its time; `commit` tells whether that could be."""
        if not self._flush():
            self._lost = True

    def _flush(self) -> bool:
        try:
            self._journal.flush()
        except JournalUnwritable as fault:
            self._state.lost()
            self.fault = str(fault)
            return False
        self._state.kept()
        return True
