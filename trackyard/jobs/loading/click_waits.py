"""Whether a postback still waits for its click (docs/spec/conversions.md#the-click-of-a-postback)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from trackyard.base.ids import find_click_id
from trackyard.domain.conversions.sessions import CLICK_LATENESS_MS, is_click_wait_over
from trackyard.journal import segments
from trackyard.journal.frames import Frame
from trackyard.store.engine.database import Connection
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking import edges

_MOST_UNLOADED: Final = 4 * 1024 * 1024
"""Bytes of a journal that are searched for records of an earlier time."""

_End = tuple[str, int]
"""A journal and a byte offset in it."""


class LoadedJournals:
    """How far journals were loaded at one moment.

    edges: every number that any edge ever had. until: by edge, the time of the last loaded mark. ends: by edge, the
    end of what is loaded.
    """

    def __init__(self, connection: Connection) -> None:
        found = checkpoints.get_checkpoints(connection)
        self.until = {each.edge: each.loaded_until for each in found}
        self.ends: dict[int, _End] = {each.edge: (each.journal, each.position) for each in found}
        self.edges = {each.number for each in edges.each_edge(connection)}


class ClickWaits:
    """Decides whether clicks may still be loaded.

    For edges of other machines the times of marks decide. For edges of this machine these times are not used, since
    clocks may have been set back. A click is in its journal before its postback comes, so its journal must be loaded up
    to its end at that time.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._needed: dict[str, _End] = {}
        """By id of a click, where the journal of its edge ended when its postback was seen first."""

    def is_over(
        self,
        click_id: str,
        received_at: int,
        now_ms: int,
        loaded: LoadedJournals,
        caught_up_at: int = 0,
        *,
        of_edge: int | None = None,
    ) -> bool:
        """Return whether a click that is not found yet is never loaded.

        of_edge: the edge of the postback's journal, which has the click before the postback if it is of this edge.
        """
        if not is_click_wait_over(click_id, received_at, now_ms, loaded.edges, loaded.until, caught_up_at):
            return False
        parts = find_click_id(click_id)
        if parts is None or parts.edge not in loaded.edges or parts.edge == of_edge:
            return True
        needed = self._needed.pop(click_id, None) or self._end_of(parts.edge)
        if needed is None or loaded.ends.get(parts.edge, ("", 0)) >= needed:
            return True
        self._needed[click_id] = needed
        return False

    def forget(self, click_ids: Iterable[str]) -> None:
        """Forget clicks that are found or given up."""
        for click_id in click_ids:
            self._needed.pop(click_id, None)

    def _end_of(self, edge: int) -> _End | None:
        """Return where the journals of an edge of this machine end now; None = it has none here."""
        names = segments.list_journals(self._directory, edge)
        try:
            return (names[-1], segments.end_of(self._directory, names[-1])) if names else None
        except FileNotFoundError:
            return None  # removed just now, since it is loaded


def has_earlier_records(directory: Path, loaded: LoadedJournals, edge: int) -> bool:
    """Return whether an edge of this machine has older records than its last mark that are not loaded.

    Then its clock was set back, and its mark does not say that a click is unknown. Also true where there is too much to
    look at.
    """
    if edge not in loaded.ends:
        return False
    journal, position = loaded.ends[edge]
    earliest = loaded.until[edge] - CLICK_LATENESS_MS
    try:
        for name in segments.list_journals(directory, edge):
            if name < journal:
                continue
            start = position if name == journal else 0
            with segments.open_content(directory, name) as content:
                data = content.read(start, _MOST_UNLOADED)
            if len(data) == _MOST_UNLOADED:
                return True
            frames = (each for each in segments.each_frame(data, 0) if isinstance(each, Frame))
            if any(_time_of(frame.payload) < earliest for frame in frames):
                return True
    except OSError:  # archived or removed just now: the next question finds it
        return True
    return False


def _time_of(payload: bytes) -> int:
    """Return the time of a record, UTC ms; every payload begins with it."""
    digits = payload[1 : payload.find(b",")]
    return int(digits) if digits.isdigit() else 0
