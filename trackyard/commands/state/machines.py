"""`trackyard machines`: the servers of an installation (docs/several-machines.md)."""

from datetime import UTC, datetime
from typing import Any, Final

from trackyard.base.clock import Clock
from trackyard.commands.frame.output import TableColumn, table
from trackyard.commands.state.databases import opened
from trackyard.runtime.settings import Config
from trackyard.store.tracking.edges import ALIVE_MS, list_leases
from trackyard.store.tracking.machines import SeenMachine, each_machine

_COLUMNS: Final = ("state", "host", "directory", "roles", "version", "edges", "seen_at", "id")


def list_machines(config: Config, clock: Clock) -> list[dict[str, Any]]:
    """Return each machine as JSON. Raises CannotStart."""
    with opened(config) as database, database.read() as conn:
        numbers: dict[str, list[int]] = {}
        for lease in list_leases(conn):
            numbers.setdefault(lease.directory_id, []).append(lease.number)
        return [
            _answer(each, numbers.get(each.machine.directory_id, []), clock.now_ms()) for each in each_machine(conn)
        ]


def machine_lines(answers: list[dict[str, Any]]) -> list[str]:
    """Return the machines for people."""
    rows = [[str(answer[name]) for name in _COLUMNS if name != "edges"] for answer in answers]
    for row, answer in zip(rows, answers, strict=True):
        row.insert(_COLUMNS.index("edges"), ", ".join(map(str, answer["edges"])))
    titles = {"directory": "data directory", "seen_at": "last seen"}
    return table([TableColumn(titles.get(name, name)) for name in _COLUMNS], rows)


def _answer(found: SeenMachine, numbers: list[int], now_ms: int) -> dict[str, Any]:
    runs = found.is_alive(now_ms - ALIVE_MS)
    seen_at = datetime.fromtimestamp(found.seen_at // 1000, UTC).isoformat().replace("+00:00", "Z")
    return {
        "state": "runs" if runs else "silent" if found.stopped_at is None else "stopped",
        "host": found.machine.host,
        "directory": found.machine.directory,
        "roles": found.machine.roles,
        "version": found.machine.version,
        "schema": found.machine.schema,
        "edges": sorted(numbers),
        "seen_at": seen_at,
        "id": found.machine.directory_id,
    }
