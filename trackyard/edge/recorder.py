"""Writing to the journal, and rolling back the click state when that fails."""

from typing import Protocol

from trackyard.decision.click.state import ReservingClickState
from trackyard.journal.records import RecordKind
from trackyard.journal.writer import JournalUnwritable


class Journal(Protocol):
    """The part of a journal writer that a recorder needs."""

    def append(self, kind: RecordKind, payload: bytes) -> int: ...

    def put(self, kind: RecordKind, payload: bytes) -> None: ...

    def flush(self) -> None: ...


class Recorder:
    """Collects records of clicks until `commit`, and writes postbacks at once.

    fault: why the journal takes no records; "" while it does
    """

    def __init__(self, journal: Journal, state: ReservingClickState) -> None:
        self.fault = ""
        self.put = journal.put
        self._journal = journal
        self._state = state
        self._flush_failed = False

    def commit(self) -> bool:
        """Write the collected records; False = they could not be written, and no click counts."""
        committed = self._flush() and not self._flush_failed
        self._flush_failed = False
        return committed

    def append(self, kind: RecordKind, payload: bytes) -> bool:
        """Write a record at once, behind the collected ones; False = it could not be written."""
        # The clicks before it on their own, so that each kind has its own fault.
        if not self._flush():
            self._flush_failed = True
        try:
            self._journal.append(kind, payload)
        except JournalUnwritable as fault:
            self.fault = str(fault)
            return False
        return True

    def _flush(self) -> bool:
        try:
            self._journal.flush()
        except JournalUnwritable as fault:
            self._state.roll_back()
            self.fault = str(fault)
            return False
        self._state.commit()
        return True
