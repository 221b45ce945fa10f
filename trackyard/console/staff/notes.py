"""Notes of staff on affiliates and advertisers: one text, each note with its author and time on top."""

from datetime import UTC, datetime
from typing import Final

from trackyard.console.frame.request import PageRequest

LONGEST: Final = 2_000
"""Characters of one note."""
_AT: Final = "%Y-%m-%d %H:%M"


def signed_note(request: PageRequest) -> str:
    """Return the note of a form with its author and time on top; "" without a text.

    Times are in the zone of the platform, because everyone reads the same text.
    """
    note = request.field("note").strip()[:LONGEST]
    if not note:
        return ""
    zone = request.deps.zone
    now = datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC).astimezone(zone)
    return f"{now.strftime(_AT)} {zone.key} · {request.person.name}\n{note}"
