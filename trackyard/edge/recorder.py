"""What an edge writes into its journal, and what it takes back when nothing could be written."""

from typing import Protocol

from trackyard.decision.click.state import ReservingClickState
from trackyard.journal.records import RecordKind
from trackyard.journal.writer import JournalUnwritable


class Journal(Protocol):
    """What is needed of a journal's writer."""

    def append(self, kind: RecordKind, payload: bytes) -> int: ...

    def put(self, kind: RecordKind, payload: bytes) -> None: ...

    def flush(self) -> None: ...


class Recorder:
    """Records of clicks gather until `commit`; a call is written at once.

    fault: "" while the journal takes records.
    """

    __slots__ = ("_flush_failed", "_journal", "_state", "fault", "put")

    def __init__(self, journal: Journal, state: ReservingClickState) -> None:
        self.fault = ""
        self.put = journal.put
        self._journal = journal
        self._state = state
        self._flush_failed = False

    def commit(self) -> bool:
        """Write the gathered records; False when they could not be written and none counts."""
        committed = self._flush() and not self._flush_failed
        self._flush_failed = False
        return committed

    def append(self, kind: RecordKind, payload: bytes) -> bool:
        """Writes a record at once, what was gathered before it; False when it could not be written."""
        # The clicks before it on their own, so that each kind gets its own fault.
        self.flush()
        try:
            self._journal.append(kind, payload)
        except JournalUnwritable as fault:
            self.fault = str(fault)
            return False
        return True

    def flush(self) -> None:
        """Write the gathered records early; `commit` returns whether that worked."""
        if not self._flush():
            self._flush_failed = True

    def _flush(self) -> bool:
        try:
            self._journal.flush()
        except JournalUnwritable as fault:
            self._state.roll_back()
            self.fault = str(fault)
            return False
        self._state.commit()
        return True
