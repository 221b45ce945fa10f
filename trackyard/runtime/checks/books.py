"""Checks of what the SQL database knows: queues, deliveries, exchange rates, machines."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final

from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.waiting import UNSENT_MINUTES, find_late, find_unsent
from trackyard.runtime.checks.machine import CheckedMachine

if TYPE_CHECKING:
    from trackyard.store.engine.database import Connection

RATES_DAYS: Final = 5
"""Age from which exchange rates are old: banks publish none on holidays and at the end of a week."""
SHOWN_HOSTS: Final = 10
_WAITS_FOR_OTHERS: Final = frozenset({"waiting"})
"""Postbacks that wait for their click, for as long as the session of its offer."""


@contextmanager
def reading(machine: CheckedMachine) -> "Iterator[Connection | None]":
    """Yield a connection to the SQL database; None when it is away or empty, which check_sql reports."""
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.store.engine.availability import DatabaseNotUp, check_database_is_up, is_file_missing
    from trackyard.store.engine.database import Database
    from trackyard.store.engine.schema import stored_revision

    url = machine.config.database_url
    try:
        if is_file_missing(url):
            yield None
            return
        check_database_is_up(url)
        with Database(url, pool_size=1) as database, database.read() as connection:
            yield connection if stored_revision(connection) else None
    except (DatabaseNotUp, SQLAlchemyError):
        yield None


def check_queues(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding for each queue that is late, does not move, or has entries in quarantine."""
    from trackyard.store.engine.queue_depths import get_queue_states

    with reading(machine) as connection:
        states = [] if connection is None else get_queue_states(connection, _now_ms())
    for state in states:
        if state.queue.endswith("_quarantined"):
            if state.depth:
                name = state.queue.removesuffix("_quarantined")
                yield Finding(FindingKind.QUEUE_QUARANTINED, name, {"depth": state.depth})
        elif state.queue not in _WAITS_FOR_OTHERS:
            yield from find_late(state.queue, state.lag_ms / 1000)


def check_deliveries(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding for each host with postbacks that wait after failed attempts, longest first."""
    from trackyard.store.tracking.deliveries import list_failing_hosts

    now = _now_ms()
    with reading(machine) as connection:
        hosts = [] if connection is None else list_failing_hosts(connection, SHOWN_HOSTS)
    for each in hosts:
        minutes = max(0, now - each.since) // 60_000
        yield Finding(FindingKind.DELIVERIES_FAIL, each.host, {"waiting": each.waiting, "minutes": minutes})


def check_waiting_mail(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when mails wait for their server, with its last answer."""
    from trackyard.store.platform.mail import list_unsent

    now = _now_ms()
    with reading(machine) as connection:
        waiting = [] if connection is None else list_unsent(connection, now - UNSENT_MINUTES * 60_000)
    yield from find_unsent(waiting, now)


def check_rates(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when exchange rates are old, or could not be read. Nothing where staff enter them."""
    from trackyard.store.money.reference_rates import get_refresh_state

    url = machine.config.quotes_url
    if not url:
        return
    with reading(machine) as connection:
        state = None if connection is None else get_refresh_state(connection)
    if state is None:
        return
    if state.fault:
        yield Finding(FindingKind.RATES_FAIL, url, {"reason": state.fault.rstrip(".")})
    if state.day:
        days = (datetime.now(UTC).date() - date.fromisoformat(state.day)).days
        if days > RATES_DAYS:
            yield Finding(FindingKind.RATES_OLD, state.day, {"days": days})


def check_machines(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding for each other machine that ended without saying so."""
    from trackyard.store.tracking.edges import ALIVE_MS
    from trackyard.store.tracking.machines import each_machine

    now, own = _now_ms(), directory_id(machine)
    with reading(machine) as connection:
        machines = [] if connection is None else each_machine(connection)
    for each in machines:
        if each.stopped_at is None and each.seen_at < now - ALIVE_MS and each.machine.directory_id != own:
            minutes = (now - each.seen_at) // 60_000
            subject = f"{each.machine.host} ({each.machine.directory})"
            yield Finding(FindingKind.MACHINE_SILENT, subject, {"minutes": minutes})


def directory_id(machine: CheckedMachine) -> str:
    """Return the id of the data directory, "" before its first start."""
    path = machine.config.data_dir / "directory.id"
    return path.read_text().strip() if path.exists() else ""


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
