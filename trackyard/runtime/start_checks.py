"""What a start checks before it makes anything, and its wait for databases.

See docs/operating.md#as-a-service.
"""

import logging
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trackyard.base.logs.outages import first_line
from trackyard.runtime.exit_codes import PeerRefuses
from trackyard.runtime.machines.program import own_program
from trackyard.runtime.settings import CannotStart, Config, DatabaseAway

if TYPE_CHECKING:
    from trackyard.decision.visitor.databases import AddressDatabases
    from trackyard.store.engine.database import Connection, Database

log = logging.getLogger("trackyard.runtime.start_checks")

_PAUSE_S = 0.5
_SECOND_PERSONS = 2
"""Administrators, at least, so that each can have a change confirmed."""
RESTORE: Final = "Restore it from a backup of the data directory."
MAX_CLOCK_DIFFERENCE_MS = 5_000
"""The most by which the clocks of this machine and of the database may differ."""


def wait_for_databases(config: Config, stop: threading.Event) -> None:
    """Return when the databases of the configuration answer.

    Raises DatabaseAway when one does not in the time of TRACKYARD_DATABASE_WAIT, or when `stop` is set; SQLAlchemyError
    when the database answers that it cannot be used.
    """
    from trackyard.store.engine.availability import DatabaseNotUp, check_database_is_up, place_of

    deadline = time.monotonic() + config.database_wait

    def is_database_up() -> str:
        try:
            check_database_is_up(config.database_url)
        except DatabaseNotUp as fault:
            return str(fault)
        return ""

    _wait(f"TRACKYARD_DATABASE_URL {place_of(config.database_url)}", is_database_up, config, deadline, stop)
    if {"api", "projector"} & set(config.roles):
        _wait_for_store(config, deadline, stop)


def _wait_for_store(config: Config, deadline: float, stop: threading.Event) -> None:
    from trackyard.analytics.engine.availability import StoreNotUp, check_store_is_up, server_of

    def is_store_up() -> str:
        try:
            check_store_is_up(config.analytics_url)
        except StoreNotUp as fault:
            return str(fault)
        return ""

    host, port = server_of(config.analytics_url) or ("", 0)
    _wait(f"TRACKYARD_ANALYTICS_URL {host}:{port}", is_store_up, config, deadline, stop)


def _wait(place: str, missing: Callable[[], str], config: Config, deadline: float, stop: threading.Event) -> None:
    """Ask until nothing is missing. missing: returns why the database does not answer, "" = it does."""
    waited = False
    while reason := missing():
        if time.monotonic() >= deadline or stop.is_set():
            raise DatabaseAway(f"{place} does not answer after {config.database_wait} s: {reason}.")
        if not waited:
            log.warning(
                "waiting for a database", extra={"database": place, "seconds": config.database_wait, "reason": reason}
            )
        waited = True
        stop.wait(_PAUSE_S)
    if waited:
        log.info("database answers", extra={"database": place})


def check_database_file(config: Config) -> None:
    """Raise CannotStart when the file of a SQLite database was cut.

    An empty one is what a first start leaves that was killed; one of a data directory with journals was not empty.
    """
    from trackyard.store.engine.availability import find_cut, sqlite_file

    path = sqlite_file(config.database_url)
    if path is None or not path.exists():
        return
    cut = find_cut(path)
    if cut and (path.stat().st_size or any((config.data_dir / "journal").glob("*.log"))):
        raise CannotStart(f"{path} cannot be used: {cut}. {RESTORE}")


def refused_database(config: Config, fault: Exception) -> CannotStart:
    """Return the error of a SQL database that cannot be used, with its exit code."""
    from trackyard.store.engine.availability import is_own_fault, sqlite_file

    kind = CannotStart if is_own_fault(config.database_url, fault) else PeerRefuses
    path = sqlite_file(config.database_url)
    place = "TRACKYARD_DATABASE_URL" if path is None else f"TRACKYARD_DATABASE_URL {path}"
    return kind(f"{place} cannot be used: {first_line(fault)}.")


def refused_store(config: Config, fault: Exception) -> CannotStart:
    """Return the error of an analytic store that cannot be used; chDB is a directory of this machine."""
    from trackyard.analytics.engine.availability import server_of

    kind = CannotStart if server_of(config.analytics_url) is None else PeerRefuses
    return kind(f"TRACKYARD_ANALYTICS_URL cannot be used: {first_line(fault)}.")


def check_certificate(config: Config) -> None:
    """Raise CannotStart unless the tracking listener's certificate and key can be used; OSError."""
    certificate, key = config.tracking_tls_cert, config.tracking_tls_key
    if certificate is None or key is None:
        return
    if b"-----BEGIN CERTIFICATE-----" not in certificate.read_bytes():
        raise CannotStart(f"TRACKYARD_TRACKING_TLS_CERT {certificate} is not a PEM certificate.")
    if b"PRIVATE KEY-----" not in key.read_bytes():
        raise CannotStart(f"TRACKYARD_TRACKING_TLS_KEY {key} is not a PEM private key.")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError as fault:
        reason = "it is not the key of that certificate" if fault.reason == "KEY_VALUES_MISMATCH" else fault.reason
        raise CannotStart(
            f"TRACKYARD_TRACKING_TLS_CERT {certificate} and TRACKYARD_TRACKING_TLS_KEY {key} cannot be used: "
            f"{reason or fault}."
        ) from None


def find_lone_administrator(config: Config, database: "Database") -> int | None:
    """Return how many administrators can confirm payments; None when they are enough."""
    from trackyard.store.people.staff import count_second_persons

    if not config.require_second_person:
        return None
    with database.read() as connection:
        administrators = count_second_persons(connection)
    return administrators if administrators < _SECOND_PERSONS else None


def warn_of_lone_administrator(config: Config, database: "Database") -> None:
    """Log when payments need a second person, and fewer than two administrators can decide."""
    administrators = find_lone_administrator(config, database)
    if administrators is not None:
        advice = "add an administrator, or give one a password"
        log.warning("second person missing", extra={"administrators": administrators, "advice": advice})


def check_other_versions(connection: "Connection", directory_id: str, now_ms: int) -> None:
    """Raise PeerRefuses while a machine of the installation runs another version of the program.

    It reads the table of machines of any schema, since it is asked before the schema is brought up to date. One that
    does not say its version is of another one. directory_id: of this machine, "" before its first start.
    """
    from trackyard.store.tracking.edges import ALIVE_MS, list_foreign_edges_of_any_schema
    from trackyard.store.tracking.machines import each_machine_of_any_schema, has_machines

    own = own_program()
    mending = (
        "stop the server on every machine, install one version on all of them, and start again. A machine that was "
        f"killed counts as running for {ALIVE_MS // 60_000} minutes."
    )
    if not has_machines(connection):  # a version up to 0.2.0: its edges are known, and no machines
        edges = list_foreign_edges_of_any_schema(connection, directory_id, now_ms - ALIVE_MS)
        if edges:
            raise PeerRefuses(
                f"Another data directory (edge {_listed(edges)}) is in use by an older version, and this program is "
                f"version {own[0]} (schema {own[1]}): {mending}"
            )
    for each in each_machine_of_any_schema(connection):
        found = each.machine
        program = (found.version, found.schema, found.analytic_step, found.wire_form)
        if found.directory_id == directory_id or program == own or not each.is_alive(now_ms - ALIVE_MS):
            continue
        version = f"version {found.version}" if found.version else "an older version"
        schema = f" (schema {found.schema})" if found.schema else ""
        raise PeerRefuses(
            f"The machine {found.host} ({found.directory}) runs {version}{schema} and was seen "
            f"{max(0, now_ms - each.seen_at) // 1000} s ago, and this program is version {own[0]} (schema {own[1]}): "
            f"{mending}"
        )


def find_split_statistics(config: Config, connection: "Connection", directory_id: str, now_ms: int) -> str | None:
    """Return why statistics here would miss clicks, None when they do not.

    chDB is part of a data directory, so what another one loads that is in use on the same SQL database is not in it.
    """
    from trackyard.analytics.engine.availability import server_of
    from trackyard.store.tracking.edges import ALIVE_MS, list_foreign_edges
    from trackyard.store.tracking.machines import each_machine

    if not {"api", "projector"} & set(config.roles):
        return None
    since = now_ms - ALIVE_MS
    others = [each.machine for each in each_machine(connection) if each.is_alive(since) and each.machine.has_core()]
    others = [each for each in others if each.directory_id != directory_id]
    mending = "set TRACKYARD_ANALYTICS_URL to one ClickHouse server on all machines"
    if server_of(config.analytics_url) is not None:
        own = next((each for each in others if each.has_own_statistics), None)
        if own is None:
            return None
        return (
            f"the machine {own.host} ({own.directory}) has its statistics in its own data directory (chDB): {mending}"
        )
    foreign = list_foreign_edges(connection, directory_id, since)
    if not foreign and not others:
        return None
    named = f"edge {_listed(foreign)}" if foreign else f"{others[0].directory} on {others[0].host}"
    return (
        f"another data directory is in use on this SQL database ({named}), and its clicks are missing in the "
        f"statistics of this machine, which are in its own data directory (chDB): {mending}"
    )


def find_split_click_state(config: Config, connection: "Connection", directory_id: str, now_ms: int) -> str | None:
    """Return why click caps would hold on each machine by itself, None when they do not.

    An edge here, and one of another data directory in use on the same SQL database, agree through Redis alone.
    """
    from trackyard.store.platform.settings import SHARED_CLICK_STATE, find_setting
    from trackyard.store.tracking.edges import ALIVE_MS, list_foreign_edges

    if "edge" not in config.roles:
        return None
    foreign = list_foreign_edges(connection, directory_id, now_ms - ALIVE_MS)
    if not foreign:
        return None
    sentence = (
        f"another data directory takes clicks on this SQL database (edge {_listed(foreign)}), and click caps and "
        "unique visitors would hold on each machine by itself"
    )
    if not config.redis_url:
        return f"{sentence}: set TRACKYARD_REDIS_URL to one Redis or Valkey on all machines"
    if not find_setting(connection, SHARED_CLICK_STATE):
        return f"{sentence}, because the other one has no TRACKYARD_REDIS_URL: set it there as here, and start it again"
    return None


def check_clock(connection: "Connection", now_ms: int) -> None:
    """Raise PeerRefuses when the clocks of this machine and the database differ. now_ms: UTC ms."""
    from trackyard.store.engine.availability import find_clock_ms

    database_ms = find_clock_ms(connection)
    if database_ms is not None and abs(now_ms - database_ms) > MAX_CLOCK_DIFFERENCE_MS:
        seconds, way = abs(now_ms - database_ms) // 1000, "ahead of" if now_ms > database_ms else "behind"
        raise PeerRefuses(
            f"The clock of this machine is {seconds} s {way} the clock of the SQL database, and "
            f"{MAX_CLOCK_DIFFERENCE_MS // 1000} s is the most: set both by a time server (chrony or "
            "systemd-timesyncd), and start again."
        )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def databases_of(config: Config) -> "AddressDatabases":
    """Return the configured address databases."""
    from trackyard.decision.visitor.databases import COUNTRY_DATABASE, AddressDatabases
    from trackyard.decision.visitor.origins import ORIGIN_FILE

    return AddressDatabases(
        country=config.country_database or COUNTRY_DATABASE,
        city=config.city_database,
        isp=config.isp_database,
        connection=config.connection_database,
        proxy=config.proxy_database,
        origins=(config.origin_database,) if config.origin_database else (origin_file_of(config), ORIGIN_FILE),
    )


def origin_file_of(config: Config) -> Path:
    """Return the file of origins that `trackyard origins` writes."""
    return config.origin_database or config.data_dir / "origins.bin"


def check_address_databases(config: Config) -> None:
    """Raise CannotStart unless the configured address databases can be used."""
    from trackyard.decision.visitor.databases import InvalidDatabase

    try:
        databases_of(config).check()
    except InvalidDatabase as fault:
        raise CannotStart(f"TRACKYARD_{fault.kind.upper()}_DATABASE {fault.path} cannot be used: {fault}.") from None
