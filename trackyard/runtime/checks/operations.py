"""Checks of the clock, versions of databases, files that grow old, and backups."""

import ctypes
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.runtime.checks.addresses import CERTIFICATE_DAYS
from trackyard.runtime.checks.machine import CheckedMachine

CLOCK_S: Final = 5
"""Seconds by which the clocks of this machine and of the database may differ."""
GEO_DAYS: Final = 90
"""Age from which an address database of the operator is old: they appear each week or month."""
BACKUP_HOURS: Final = 36
LEAST_POSTGRESQL: Final = 13
_DAY_S: Final = 86_400
_TIME_ERROR: Final = 5
"""What adjtimex(2) returns for a clock that nothing sets."""


def _clock_state() -> int:
    """Return the state of the clock from the kernel; -1 = it is not known."""
    with suppress(OSError, AttributeError):
        return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512)))
    return -1


def check_clock(machine: CheckedMachine, clock_state: Callable[[], int] = _clock_state) -> Iterator[Finding]:
    """Yield a finding when nothing sets the clock, or when the SQL database's clock differs."""
    if clock_state() == _TIME_ERROR:
        yield Finding(FindingKind.CLOCK_UNSYNCED, "clock")
    from trackyard.runtime.checks.books import reading
    from trackyard.store.engine.availability import find_clock_ms, place_of

    with reading(machine) as connection:
        theirs = None if connection is None else find_clock_ms(connection)
    if theirs is not None:
        seconds = abs(time.time_ns() // 1_000_000 - theirs) // 1000
        if seconds > CLOCK_S:
            yield Finding(FindingKind.CLOCK_DIFFERS, place_of(machine.config.database_url), {"seconds": seconds})


def check_versions(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when a database is older than what this program is tested with."""
    from trackyard.runtime.checks.books import reading
    from trackyard.store.engine.availability import server_version

    with reading(machine) as connection:
        found = None if connection is None else server_version(connection)
    if found is not None and found[0] == "PostgreSQL" and int(found[1].partition(".")[0]) < LEAST_POSTGRESQL:
        evidence: dict[str, str | int] = {"version": found[1], "least": LEAST_POSTGRESQL}
        yield Finding(FindingKind.DATABASE_OLD, found[0], evidence)


def seen_versions(machine: CheckedMachine) -> str:
    """Return the databases with their versions."""
    from trackyard.analytics.engine.availability import server_of
    from trackyard.runtime.checks.books import reading
    from trackyard.store.engine.availability import server_version
    from trackyard.store.engine.schema import stored_revision

    with reading(machine) as connection:
        sql = (
            ""
            if connection is None
            else f"{' '.join(server_version(connection))}, schema {stored_revision(connection)}"
        )
    store = "ClickHouse" if server_of(machine.config.analytics_url) is not None else f"chDB {_package('chdb-core')}"
    return ", ".join(each for each in (sql, store) if each)


def _package(name: str) -> str:
    with suppress(PackageNotFoundError):
        return version(name)
    return ""


def check_geo(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding for each address database of the operator that is old."""
    import maxminddb

    for kind in ("country", "city", "isp", "connection", "proxy"):
        path: Path | None = getattr(machine.config, f"{kind}_database")
        if path is None:
            continue  # the one of countries that is shipped follows releases
        with suppress(OSError, maxminddb.InvalidDatabaseError), maxminddb.open_database(path) as database:
            days = int((time.time() - database.metadata().build_epoch) // _DAY_S)
            if days > GEO_DAYS:
                yield Finding(FindingKind.GEO_OLD, str(path), {"kind": kind, "days": days})


def check_tracking_certificate(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when the certificate of the tracking listener ends soon."""
    path = machine.config.tracking_tls_cert
    if path is None:
        return
    with suppress(OSError, ssl.SSLError, ValueError):  # check_settings says that it cannot be used
        ends_at = _end_of(path)
        days = int((ends_at - time.time()) // _DAY_S)
        if days < CERTIFICATE_DAYS:
            end = datetime.fromtimestamp(ends_at, UTC).date().isoformat()
            yield Finding(FindingKind.TRACKING_CERTIFICATE_ENDS, str(path), {"days": days, "end": end})


def seen_certificate(machine: CheckedMachine) -> str:
    """Return the day on which the certificate of the tracking listener ends; "" without one."""
    path = machine.config.tracking_tls_cert
    with suppress(OSError, ssl.SSLError, ValueError):
        return "" if path is None else datetime.fromtimestamp(_end_of(path), UTC).date().isoformat()
    return ""


def _end_of(path: Path) -> int:
    """Return when a certificate ends, Unix seconds. Raises OSError, ssl.SSLError, ValueError."""
    from cryptography import x509

    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    return int(certificate.not_valid_after_utc.timestamp())


def check_backup(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when the data directory was not backed up, or long ago.

    Nothing before the first start.
    """
    from trackyard.actions.backup.last import last_backup_of
    from trackyard.runtime.checks.books import directory_id, reading

    directory, owner = machine.config.data_dir, directory_id(machine)
    if not owner:
        return
    with reading(machine) as connection:
        if connection is None:  # check_sql says why
            return
        last = last_backup_of(connection, owner)
    if last is None:
        yield Finding(FindingKind.BACKUP_MISSING, str(directory))
        return
    hours = int(time.time() - last.made_at / 1000) // 3600
    if hours >= BACKUP_HOURS:
        yield Finding(FindingKind.BACKUP_OLD, str(directory), {"hours": hours})
