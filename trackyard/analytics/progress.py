"""How much of its statements a request has read so far."""

from dataclasses import dataclass

from trackyard.analytics.cancellation import current_cancellation
from trackyard.analytics.engine.connection import Analytics


@dataclass(frozen=True, slots=True)
class RowsRead:
    """The rows that running statements read. total: as the engine estimates it, 0 where it does not know."""

    read: int = 0
    total: int = 0


def find_rows_read(analytics: Analytics) -> RowsRead:
    """Return the rows that statements of this context's request have read so far. It waits for no slot."""
    token = current_cancellation.get()
    running = [] if token is None else analytics.running_of(token)
    if not running:
        return RowsRead()
    before = current_cancellation.set(None)
    try:
        [(read, total)] = analytics.rows(
            "SELECT sum(read_rows), sum(total_rows_approx) FROM system.processes "
            "WHERE is_initial_query AND Settings['log_comment'] IN {running:Array(String)}",
            {"running": running},
            tuple[int, int],
        )
    finally:
        current_cancellation.reset(before)
    return RowsRead(read, max(read, total) if total else 0)
