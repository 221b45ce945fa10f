"""What a start claims among the machines of an installation: its place, and its edge numbers."""

import json
import threading
from typing import TYPE_CHECKING, Final

from trackyard.base.clock import Clock
from trackyard.runtime.exit_codes import PeerRefuses
from trackyard.runtime.machines.host_files import WATCH_S, Host
from trackyard.runtime.machines.program import own_program
from trackyard.runtime.settings import Config
from trackyard.runtime.start_checks import check_other_versions, find_split_click_state, find_split_statistics

if TYPE_CHECKING:
    from trackyard.store.engine.database import Connection, Database
    from trackyard.store.tracking.machines import Machine, SeenMachine

_REPLACED: Final = "A data directory that was killed and replaced counts as in use for 5 minutes."
_PAUSE_S: Final = 0.2


def this_machine(config: Config, directory_id: str) -> "Machine":
    """Return this machine as others see it."""
    from trackyard.analytics.engine.availability import server_of
    from trackyard.store.tracking.machines import Machine

    host, found = Host.here(), config.data_dir.stat()
    version, schema, analytic_step, wire_form = own_program()
    return Machine(
        directory_id=directory_id,
        host=host.name,
        boot_id=host.boot_id,
        directory=str(config.data_dir),
        roles=",".join(config.roles),
        has_own_statistics=server_of(config.analytics_url) is None,
        place=f"{found.st_dev}:{found.st_ino}",
        version=version,
        schema=schema,
        analytic_step=analytic_step,
        wire_form=wire_form,
    )


def join_machines(
    config: Config,
    database: "Database",
    here: "Machine",
    clock: Clock,
    stop: threading.Event,
    watch_s: float = WATCH_S,
) -> None:
    """Store this machine among the machines of the installation.

    Raises PeerRefuses when it does not fit the others, or while another one has the same data directory id.
    """
    from trackyard.store.engine.dialect import AdvisoryLock, lock
    from trackyard.store.tracking.machines import register_machine

    wait_for_copy(database, here, clock, stop, watch_s)
    with database.write() as connection:
        lock(connection, AdvisoryLock.EDGES)  # of two that start at once, the second sees the first
        now_ms = clock.now_ms()
        check_machines(config, connection, here.directory_id, now_ms)
        register_machine(connection, here, now_ms)


def check_machines(config: Config, connection: "Connection", directory_id: str, now_ms: int) -> None:
    """Raise PeerRefuses when this machine does not fit to the others that run. now_ms: UTC ms."""
    check_other_versions(connection, directory_id, now_ms)
    split = find_split_statistics(config, connection, directory_id, now_ms)
    if split is not None:
        raise PeerRefuses(f"TRACKYARD_ANALYTICS_URL cannot be used: {split}. {_REPLACED}")
    split = find_split_click_state(config, connection, directory_id, now_ms)
    if split is not None:
        raise PeerRefuses(f"TRACKYARD_ROLES cannot have edge: {split}. {_REPLACED}")


def wait_for_copy(
    database: "Database", here: "Machine", clock: Clock, stop: threading.Event, watch_s: float = WATCH_S
) -> None:
    """Return when no other server has the id of this data directory.

    One that was killed is seen no more; a moved directory starts after that wait. Raises PeerRefuses.
    """
    found = _find_copy(database, here, clock)
    waited = 0.0
    while found is not None and waited < watch_s and not stop.wait(_PAUSE_S):
        waited += _PAUSE_S
        now = _find_copy(database, here, clock)
        if now is not None and now.seen_at != found.seen_at:
            numbers = _numbers(database, here.directory_id)
            copied = f"the same edge number ({numbers}) and make the same click ids" if numbers else "the same id"
            raise PeerRefuses(
                f"TRACKYARD_DATA_DIR {here.directory} cannot be used: it is a copy of {now.machine.directory} on host "
                f"{now.machine.host}, which runs, and both would have {copied}: stop that server, or remove "
                "directory.id and journal/ from this copy."
            )


def _find_copy(database: "Database", here: "Machine", clock: Clock) -> "SeenMachine | None":
    """Return the other server that had this data directory's id a moment ago."""
    from trackyard.store.tracking.edges import ALIVE_MS
    from trackyard.store.tracking.machines import find_machine

    with database.read() as connection:
        found = find_machine(connection, here.directory_id)
    if found is None or not found.is_alive(clock.now_ms() - ALIVE_MS):
        return None
    return None if _place_of(found.machine) == _place_of(here) else found


def _place_of(machine: "Machine") -> tuple[str, ...]:
    return machine.host, machine.boot_id, machine.directory, machine.place


def _numbers(database: "Database", directory_id: str) -> str:
    from trackyard.store.tracking.edges import list_own_edges

    with database.read() as connection:
        return ", ".join(map(str, list_own_edges(connection, directory_id)))


def refused_edges(config: Config, fault: Exception) -> PeerRefuses:
    """Return the error of edge numbers that are all in use: they become free by time."""
    return PeerRefuses(f"TRACKYARD_EDGES cannot be {config.edges}: {fault}.")


def claim_edge_numbers(config: Config, database: "Database", directory_id: str, clock: Clock) -> None:
    """Lease the number of each edge slot, and write them to the data directory for the edges.

    Raises PeerRefuses.
    """
    from trackyard.journal.durable import write_durably
    from trackyard.journal.segments import begin_after, close_predecessors, list_edges
    from trackyard.store.statistics.checkpoints import get_checkpoints
    from trackyard.store.tracking.edges import EdgeNumbersExhausted, claim_edge

    journals = config.data_dir / "journal"
    try:
        with database.write() as connection:
            numbers = [claim_edge(connection, directory_id, slot, clock.now_ms()) for slot in range(config.edges)]
            loaded = {each.edge: each.journal for each in get_checkpoints(connection)}
    except EdgeNumbersExhausted as fault:
        raise refused_edges(config, fault) from None
    for number in numbers:
        if number in loaded:  # its earlier machine may have a journal of a later name
            begin_after(journals, number, loaded[number])
    write_durably(config.data_dir / "edges.json", json.dumps(numbers).encode())
    # An edge that is no longer started has no next writer that would close its last journal.
    for number in set(list_edges(journals)) - set(numbers):
        close_predecessors(journals, number, clock)
