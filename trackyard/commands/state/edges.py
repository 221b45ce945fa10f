"""`trackyard edges`: the leases of edge numbers (docs/spec/engine.md#edge-numbers)."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from trackyard.base.clock import Clock
from trackyard.base.ids import EDGE_NUMBERS
from trackyard.commands.failures import CommandFailed
from trackyard.commands.frame.output import TableColumn, table
from trackyard.commands.state.databases import opened
from trackyard.runtime.settings import Config
from trackyard.store.tracking import edges
from trackyard.store.tracking.edges import EdgeLease, EdgeNotReleasable, LeaseState

_COLUMNS: Final = (
    TableColumn("edge", right=True),
    TableColumn("state"),
    TableColumn("host"),
    TableColumn("data directory"),
    TableColumn("since"),
    TableColumn("last seen"),
    TableColumn("free from"),
)


@dataclass(frozen=True, slots=True)
class ReleasedEdge:
    """An edge number that is free.

    loaded_until: what was recorded after it is given up, RFC 3339; "" = nothing was.
    """

    edge: int
    loaded_until: str

    def sentence(self) -> str:
        """Return the result for people."""
        lost = f", and what it recorded after {self.loaded_until} is given up" if self.loaded_until else ""
        return f"edge {self.edge} is free{lost}."


def list_edges(config: Config, clock: Clock) -> list[dict[str, Any]]:
    """Return the lease of each number as JSON. Raises CannotStart."""
    with opened(config) as database, database.read() as conn:
        return [_answer(lease, clock.now_ms()) for lease in edges.list_leases(conn)]


def release_edge(config: Config, number: int, clock: Clock) -> ReleasedEdge:
    """Free the number of a machine that never comes back.

    Raises CommandFailed with the reason, and the time until which the number stays in use.
    """
    now_ms = clock.now_ms()
    with opened(config) as database:
        try:
            with database.write() as conn:
                lease = edges.release_edge(conn, number, now_ms)
        except EdgeNotReleasable as fault:
            raise CommandFailed(_refusal(number, fault)) from None
    if lease is None:
        raise CommandFailed(f"no edge has the number {number}: `trackyard edges list` shows the edges that have one.")
    gives_up = lease.ended_at is None
    return ReleasedEdge(number, _moment(lease.loaded_until or lease.claimed_at) if gives_up else "")


def edge_lines(answers: list[dict[str, Any]]) -> list[str]:
    """Return the leases for people."""
    names = ("edge", "state", "host", "directory", "from", "seen_at", "free_at")
    rows = [[str(answer[name] if answer[name] is not None else "") for name in names] for answer in answers]
    unused = len(EDGE_NUMBERS) - len(answers)
    return [*table(_COLUMNS, rows), f"{unused} of {len(EDGE_NUMBERS)} numbers were never given."]


def _answer(lease: EdgeLease, now_ms: int) -> dict[str, Any]:
    return {
        "edge": lease.number,
        "state": lease.state(now_ms).value,
        "host": lease.host,
        "directory": lease.directory,
        "directory_id": lease.directory_id,
        "slot": lease.slot,
        "from": _moment(lease.claimed_at),
        "to": None if lease.ended_at is None else _moment(lease.ended_at),
        "journal": lease.journal,
        "seen_at": _moment(lease.seen_at),
        "loaded_until": _moment(lease.loaded_until) if lease.loaded_until else None,
        "used_until": _moment(lease.used_until) if lease.used_until else None,
        "free_at": None if lease.free_at is None else _moment(lease.free_at),
    }


def _refusal(number: int, fault: EdgeNotReleasable) -> str:
    if fault.until is None:
        return f"edge {number} is in use: stop its server first; one that was killed counts as in use for 5 minutes."
    until = _moment(fault.until)
    if fault.state is LeaseState.RESTING:
        return f"edge {number} rests until {until} and is free then: postbacks may wait 72 hours for its clicks."
    return (
        f"edge {number} cannot be released until {until}: its machine may come back with records that are not loaded, "
        "and postbacks may wait 72 hours for its clicks."
    )


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms // 1000, UTC).isoformat().replace("+00:00", "Z")
