"""The server of each data directory, and its last heartbeat (docs/spec/engine.md#several-machines)."""

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import machine


@dataclass(frozen=True, slots=True)
class Machine:
    """A server at its last start.

    directory: path of its data directory; directory_id: the id in it, which a copy has too.
    has_own_statistics: whether it loads into chDB.
    place: the device and the number of the directory: two containers of one host name may have the same path.
    """

    directory_id: str
    host: str
    boot_id: str
    directory: str
    roles: str
    has_own_statistics: bool
    place: str = ""

    def has_core(self) -> bool:
        """Return whether it loads or serves the analytic store."""
        return bool({"api", "projector"} & set(self.roles.split(",")))


@dataclass(frozen=True, slots=True)
class SeenMachine:
    """A machine and when it was last seen, UTC ms.

    stopped_at: when it ended in order; None = it runs, or was killed.
    """

    machine: Machine
    seen_at: int
    stopped_at: int | None

    def is_alive(self, since_ms: int) -> bool:
        """Return whether it was seen since then, and has not ended."""
        return self.stopped_at is None and self.seen_at >= since_ms


def register_machine(conn: Connection, found: Machine, now_ms: int) -> None:
    """Store that a machine starts."""
    values = {name: getattr(found, name) for name in Machine.__slots__}
    values |= {"seen_at": now_ms, "stopped_at": None}
    row = upsert(conn, machine).values(values)
    conn.execute(row.on_conflict_do_update(index_elements=[machine.c.directory_id], set_=values))


def see_machine(conn: Connection, found: Machine, now_ms: int, *, stopped: bool = False) -> bool:
    """Store that a machine runs, or ends; return False when another one has its data directory's id."""
    own = update(machine).where(
        machine.c.directory_id == found.directory_id,
        machine.c.host == found.host,
        machine.c.boot_id == found.boot_id,
        machine.c.directory == found.directory,
        machine.c.place == found.place,
    )
    values = {"seen_at": now_ms, "stopped_at": now_ms if stopped else None}
    return conn.execute(own.values(values)).rowcount == 1


def find_machine(conn: Connection, directory_id: str) -> SeenMachine | None:
    """Return the machine of a data directory; None when it never started."""
    return next((each for each in each_machine(conn) if each.machine.directory_id == directory_id), None)


def each_machine(conn: Connection) -> list[SeenMachine]:
    """Return every machine, ordered by the id of its data directory."""
    names = Machine.__slots__
    rows = conn.execute(select(*(machine.c[name] for name in names), machine.c.seen_at, machine.c.stopped_at))
    found = [SeenMachine(Machine(*row[: len(names)]), *row[len(names) :]) for row in rows]
    return sorted(found, key=lambda each: each.machine.directory_id)
