"""The server of each data directory, and its last heartbeat (docs/spec/engine.md#several-machines)."""

from dataclasses import dataclass

from sqlalchemy import Connection, inspect, select, update

from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import machine


@dataclass(frozen=True, slots=True)
class Machine:
    """A server at its last start.

    directory: path of its data directory; directory_id: the id in it, which a copy has too.
    has_own_statistics: whether it loads into chDB.
    place: the device and the number of the directory: two containers of one host name may have the same path.
    version: the program's; schema, analytic_step: the newest that it knows; wire_form: the form of the data that
    machines send each other. "" and 0 = the program did not report it.
    """

    directory_id: str
    host: str
    boot_id: str
    directory: str
    roles: str
    has_own_statistics: bool
    place: str = ""
    version: str = ""
    schema: str = ""
    analytic_step: int = 0
    wire_form: int = 0

    def has_core(self) -> bool:
        """Return whether it loads or serves the analytic store."""
        return bool({"api", "projector"} & set(self.roles.split(",")))


_PROGRAM = ("version", "schema", "analytic_step", "wire_form")
"""The columns of what a machine runs."""


@dataclass(frozen=True, slots=True)
class MachineState:
    """The state that a machine reports while it runs; None = unknown.

    disk_free, disk_total: bytes of the disk of its data directory. lag_ms: how late it loads journals.
    """

    disk_free: int | None = None
    disk_total: int | None = None
    lag_ms: int | None = None


@dataclass(frozen=True, slots=True)
class SeenMachine:
    """A machine and when it was last seen, UTC ms.

    stopped_at: when it ended in order; None = it runs, or was killed. state: as it said then.
    """

    machine: Machine
    seen_at: int
    stopped_at: int | None
    state: MachineState = MachineState()

    def is_alive(self, since_ms: int) -> bool:
        """Return whether it was seen since then, and has not ended."""
        return self.stopped_at is None and self.seen_at >= since_ms


def register_machine(conn: Connection, found: Machine, now_ms: int) -> None:
    """Record the start of a machine."""
    values = {name: getattr(found, name) for name in Machine.__slots__}
    values |= {"seen_at": now_ms, "stopped_at": None}
    row = upsert(conn, machine).values(values)
    conn.execute(row.on_conflict_do_update(index_elements=[machine.c.directory_id], set_=values))


def see_machine(
    conn: Connection, found: Machine, now_ms: int, *, stopped: bool = False, state: MachineState | None = None
) -> bool:
    """Record that a machine runs or ends; return False when another one has its data directory's id.

    state: None = what it said before stays.
    """
    own = update(machine).where(
        machine.c.directory_id == found.directory_id,
        machine.c.host == found.host,
        machine.c.boot_id == found.boot_id,
        machine.c.directory == found.directory,
        machine.c.place == found.place,
    )
    values: dict[str, str | int | None] = {"seen_at": now_ms, "stopped_at": now_ms if stopped else None}
    values |= {name: getattr(found, name) for name in _PROGRAM}
    values |= {} if state is None else {name: getattr(state, name) for name in MachineState.__slots__}
    return conn.execute(own.values(values)).rowcount == 1


def find_machine(conn: Connection, directory_id: str) -> SeenMachine | None:
    """Return the machine of a data directory; None when it never started."""
    return next((each for each in each_machine(conn) if each.machine.directory_id == directory_id), None)


def each_machine(conn: Connection) -> list[SeenMachine]:
    """Return every machine, ordered by the id of its data directory."""
    return _read(conn, {column.name for column in machine.columns})


def each_machine_of_any_schema(conn: Connection) -> list[SeenMachine]:
    """Return every machine, also from an older schema, in which columns have their defaults."""
    if not has_machines(conn):
        return []
    return _read(conn, {column["name"] for column in inspect(conn).get_columns(machine.name)})


def has_machines(conn: Connection) -> bool:
    """Return whether the schema has the table of machines."""
    return inspect(conn).has_table(machine.name)


def _read(conn: Connection, there: set[str]) -> list[SeenMachine]:
    own = [name for name in Machine.__slots__ if name in there]
    states = [name for name in MachineState.__slots__ if name in there]
    columns = (*own, *states, *(name for name in ("seen_at", "stopped_at") if name in there))
    rows = conn.execute(select(*(machine.c[name] for name in columns))).mappings()
    found = [
        SeenMachine(
            Machine(**{name: row[name] for name in own}),
            row["seen_at"],
            row.get("stopped_at"),
            MachineState(**{name: row[name] for name in states}),
        )
        for row in rows
    ]
    return sorted(found, key=lambda each: each.machine.directory_id)
