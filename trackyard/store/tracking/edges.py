"""Edge numbers, leased to process slots of data directories (docs/spec/engine.md#edge-numbers)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, Row, insert, inspect, or_, select, update

from trackyard.base.ids import EDGE_NUMBERS
from trackyard.store.engine.dialect import AdvisoryLock, lock
from trackyard.store.tables import edge, edge_progress, machine, past_edge

REST_MS: Final = 72 * 3_600_000
"""A number rests so long after its last use: postbacks wait so long for its clicks."""
ALIVE_MS: Final = 300_000
"""A machine that was seen no longer ago than this is in use."""


class EdgeNumbersExhausted(Exception):
    """No edge number is free."""


class EdgeNotReleasable(Exception):
    """An edge number cannot be released now. until: UTC ms; None = until its server stops."""

    def __init__(self, state: "LeaseState", until: int | None) -> None:
        super().__init__(state.value)
        self.state = state
        self.until = until


class LeaseState(StrEnum):
    """What became of an edge number.

    in use: its machine was seen a moment ago, or began a moment ago.
    silent: its machine is away and may have records that are not loaded.
    resting: everything is loaded; it is free 72 hours after its last use.
    free: the next machine may get it.
    """

    IN_USE = "in use"
    SILENT = "silent"
    RESTING = "resting"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class EdgeSlot:
    """An edge number and the slot of the data directory that has it."""

    number: int
    directory_id: str
    slot: int


@dataclass(frozen=True, slots=True)
class EdgeLease:
    """The lease of an edge number. Times are UTC ms.

    host, directory: the machine's; "" = unknown.
    ended_at: when all its journals were closed and loaded; None = there may be more.
    seen_at: when its machine was last seen, or had loaded.
    journal: the last one of which something is loaded; "" = none.
    loaded_until: until when its journals are loaded. used_until: until when they had records. 0 = none.
    """

    number: int
    directory_id: str
    slot: int
    host: str
    directory: str
    claimed_at: int
    ended_at: int | None
    seen_at: int
    journal: str
    loaded_until: int
    used_until: int

    @property
    def free_at(self) -> int | None:
        """Return from when on another machine may get the number; None while there may be unloaded records."""
        if self.ended_at is None:
            return None
        return self.used_until + REST_MS if self.used_until else self.ended_at

    @property
    def releasable_at(self) -> int:
        """Return from when on an operator may give up what is not loaded."""
        return max(self.seen_at, self.used_until) + REST_MS

    def state(self, now_ms: int) -> LeaseState:
        """Return the current state of the number."""
        if self.free_at is not None:
            return LeaseState.FREE if self.free_at <= now_ms else LeaseState.RESTING
        return LeaseState.IN_USE if self.seen_at >= now_ms - ALIVE_MS else LeaseState.SILENT


_LEASES: Final = (
    select(
        edge,
        machine.c.host,
        machine.c.directory,
        machine.c.seen_at,
        edge_progress.c.journal,
        edge_progress.c.loaded_until,
        edge_progress.c.used_until,
    )
    .outerjoin(machine, machine.c.directory_id == edge.c.directory_id)
    .outerjoin(edge_progress, edge_progress.c.edge == edge.c.number)
    .order_by(edge.c.number)
)


def claim_edge(conn: Connection, directory_id: str, slot: int, now_ms: int) -> int:
    """Return the number (1..250) of an edge slot.

    That is the one it has, else one never given, else one that is free again. Raises EdgeNumbersExhausted.
    """
    lock(conn, AdvisoryLock.EDGES)
    leases = list_leases(conn)
    held = next((each for each in leases if (each.directory_id, each.slot) == (directory_id, slot)), None)
    if held is not None:
        if held.ended_at is not None:
            conn.execute(update(edge).where(edge.c.number == held.number).values(ended_at=None))
        return held.number
    values: dict[str, str | int] = {"directory_id": directory_id, "slot": slot, "claimed_at": now_ms}
    number = max((each.number for each in leases), default=0) + 1
    if number in EDGE_NUMBERS:
        conn.execute(insert(edge).values(number=number, **values))
        return number
    free = [each for each in leases if each.free_at is not None and each.free_at <= now_ms]
    if not free:
        raise EdgeNumbersExhausted(_exhausted(leases, now_ms))
    return _take_over(conn, min(free, key=lambda each: (each.free_at, each.number)), values)


def check_edge_numbers(conn: Connection, directory_id: str, slots: int, now_ms: int) -> None:
    """Raise EdgeNumbersExhausted when an edge slot of a data directory could have no number."""
    leases = list_leases(conn)
    wanted = slots - sum(each.directory_id == directory_id and each.slot < slots for each in leases)
    unused = EDGE_NUMBERS.stop - 1 - max((each.number for each in leases), default=0)
    free = sum(each.free_at is not None and each.free_at <= now_ms for each in leases)
    if wanted > unused + free:
        raise EdgeNumbersExhausted(_exhausted(leases, now_ms))


def _take_over(conn: Connection, free: EdgeLease, values: dict[str, str | int]) -> int:
    """Lease a free number again, and keep its earlier lease."""
    conn.execute(
        insert(past_edge).values(
            number=free.number,
            claimed_at=free.claimed_at,
            ended_at=free.ended_at,
            directory_id=free.directory_id,
            slot=free.slot,
            journal=free.journal,
        )
    )
    # What an operator gave up of a begun range is not loaded any more.
    conn.execute(update(edge_progress).where(edge_progress.c.edge == free.number).values(begun_until=0))
    conn.execute(update(edge).where(edge.c.number == free.number).values(ended_at=None, **values))
    return free.number


def _exhausted(leases: Iterable[EdgeLease], now_ms: int) -> str:
    leases = list(leases)
    states = [each.state(now_ms) for each in leases]
    counted = ", ".join(f"{states.count(state)} {state}" for state in LeaseState if state in states)
    return (
        f"all {len(EDGE_NUMBERS)} edge numbers are leased ({counted}): `trackyard edges list` shows them, and "
        "`trackyard edges release NUMBER` frees the number of a machine that never comes back"
    )


def end_leases(conn: Connection, directory_id: str, numbers: Iterable[int], now_ms: int) -> None:
    """Mark the leases of these edge numbers as ended: all their journals are closed and loaded."""
    for number in numbers:
        conn.execute(
            update(edge)
            .where(edge.c.number == number, edge.c.directory_id == directory_id, edge.c.ended_at.is_(None))
            .values(ended_at=now_ms)
        )


def release_edge(conn: Connection, number: int, now_ms: int) -> EdgeLease | None:
    """Free the edge number of a machine that never comes back. Records that it did not load are lost.

    Returns the lease before, None without one. Raises EdgeNotReleasable.
    """
    lock(conn, AdvisoryLock.EDGES)
    lease = next((each for each in list_leases(conn) if each.number == number), None)
    if lease is None or lease.state(now_ms) is LeaseState.FREE:
        return lease
    state = lease.state(now_ms)
    if state is LeaseState.IN_USE:
        raise EdgeNotReleasable(state, None)
    until = lease.free_at or lease.releasable_at
    if until > now_ms:
        raise EdgeNotReleasable(state, until)
    conn.execute(update(edge).where(edge.c.number == number).values(ended_at=now_ms))
    return lease


def list_foreign_edges(conn: Connection, directory_id: str, since_ms: int) -> list[int]:
    """Return the numbers of other data directories that were claimed, or loaded up to a time, since then.

    Numbers that were given back are not among them.
    """
    rows = conn.execute(
        select(edge.c.number)
        .outerjoin(edge_progress, edge_progress.c.edge == edge.c.number)
        .where(edge.c.directory_id != directory_id, edge.c.ended_at.is_(None))
        .where(or_(edge.c.claimed_at >= since_ms, edge_progress.c.loaded_until >= since_ms))
        .order_by(edge.c.number)
    )
    return list(rows.scalars())


def list_foreign_edges_of_any_schema(conn: Connection, directory_id: str, since_ms: int) -> list[int]:
    """As `list_foreign_edges`, of a schema that may be too old for ends of leases."""
    there = inspect(conn)
    if not (there.has_table(edge.name) and there.has_table(edge_progress.name)):
        return []
    rows = conn.execute(
        select(edge.c.number)
        .outerjoin(edge_progress, edge_progress.c.edge == edge.c.number)
        .where(edge.c.directory_id != directory_id)
        .where(or_(edge.c.claimed_at >= since_ms, edge_progress.c.loaded_until >= since_ms))
        .order_by(edge.c.number)
    )
    return list(rows.scalars())


def list_own_edges(conn: Connection, directory_id: str) -> list[int]:
    """Return the numbers that are leased to a data directory, ascending."""
    rows = conn.execute(select(edge.c.number).where(edge.c.directory_id == directory_id).order_by(edge.c.number))
    return list(rows.scalars())


def list_leases(conn: Connection) -> list[EdgeLease]:
    """Return the lease of every number that was ever given, in ascending order."""
    return [_lease(row) for row in conn.execute(_LEASES)]


def _lease(row: Row[tuple[int, ...]]) -> EdgeLease:
    fields = row._mapping
    return EdgeLease(
        number=fields["number"],
        directory_id=fields["directory_id"],
        slot=fields["slot"],
        host=fields["host"] or "",
        directory=fields["directory"] or "",
        claimed_at=fields["claimed_at"],
        ended_at=fields["ended_at"],
        seen_at=max(fields["seen_at"] or 0, fields["claimed_at"], fields["loaded_until"] or 0),
        journal=fields["journal"] or "",
        loaded_until=fields["loaded_until"] or 0,
        used_until=fields["used_until"] or 0,
    )


def each_edge(conn: Connection) -> list[EdgeSlot]:
    """Return every number that was ever given, in ascending order."""
    rows = conn.execute(select(edge.c.number, edge.c.directory_id, edge.c.slot).order_by(edge.c.number))
    return [EdgeSlot(*row) for row in rows]
