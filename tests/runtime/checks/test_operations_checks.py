"""Checks of clock, versions, files that grow old, and backups: each situation, and its end."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.runtime.checks.test_machine_checks import kinds, machine
from tests.support.clicks.mmdb import write_mmdb
from tests.support.processes.certificates import self_signed
from trackyard.actions.backup.last import note_backup
from trackyard.actions.backup.manifest import Manifest
from trackyard.runtime.checks import operations
from trackyard.runtime.checks.operations import (
    check_backup,
    check_clock,
    check_geo,
    check_tracking_certificate,
    check_versions,
    seen_certificate,
    seen_versions,
)
from trackyard.store.engine import availability
from trackyard.store.engine.database import Database


@pytest.mark.parametrize(("state", "found"), [(5, ["clock_unsynced"]), (0, []), (-1, [])])
def test_clock_that_no_time_server_sets_is_found(tmp_path: Path, state: int, found: list[str]) -> None:
    assert kinds(check_clock(machine(tmp_path), lambda: state)) == found


def test_clock_that_differs_from_that_of_the_database_is_found(
    tmp_path: Path, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = machine(tmp_path, database_url=sqlite_database.url)
    monkeypatch.setattr(availability, "find_clock_ms", lambda _connection: int(time.time() * 1000) - 60_500)
    (found,) = check_clock(here, lambda: 0)
    assert found.kind.value == "clock_differs" and found.evidence["seconds"] in (60, 61)
    monkeypatch.setattr(availability, "find_clock_ms", lambda _connection: int(time.time() * 1000))
    assert list(check_clock(here, lambda: 0)) == []


def test_database_that_is_old_is_found(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    here = machine(tmp_path, database_url=database.url)
    assert list(check_versions(here)) == []
    seen = seen_versions(here)
    assert seen.startswith("SQLite 3." if database.is_sqlite else "PostgreSQL 1") and "schema 00" in seen
    monkeypatch.setattr(availability, "server_version", lambda _connection: ("PostgreSQL", "12.4"))
    (found,) = check_versions(here)
    assert (found.kind.value, dict(found.evidence)) == ("database_old", {"version": "12.4", "least": 13})


def test_address_database_that_is_old_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_mmdb(tmp_path / "city.mmdb", {"192.0.2.0/24": {"city": {}}}, "Test-City")
    here = machine(tmp_path, city_database=str(path))
    assert list(check_geo(here)) == []
    later = time.time() + 91 * 86_400
    monkeypatch.setattr(operations.time, "time", lambda: later)
    (found,) = check_geo(here)
    assert (found.kind.value, found.subject, found.evidence["kind"]) == ("geo_old", str(path), "city")
    assert found.evidence["days"] in (90, 91)


@pytest.mark.parametrize(("days", "found"), [(3.5, ["tracking_certificate_ends"]), (90, [])])
def test_certificate_of_tracking_that_ends_soon_is_found(tmp_path: Path, days: float, found: list[str]) -> None:
    certificate, key = self_signed(tmp_path, days)
    here = machine(tmp_path, tracking_tls_cert=str(certificate), tracking_tls_key=str(key))
    assert kinds(check_tracking_certificate(here)) == found
    assert list(check_tracking_certificate(machine(tmp_path))) == []
    end = datetime.now(UTC) + timedelta(days=days)
    assert seen_certificate(here) in {(end - timedelta(minutes=5)).date().isoformat(), end.date().isoformat()}
    assert seen_certificate(machine(tmp_path)) == ""


def test_backup_that_is_missing_or_old_is_found(tmp_path: Path, sqlite_database: Database) -> None:
    here = machine(tmp_path, database_url=sqlite_database.url)
    assert list(check_backup(here)) == [], "nothing was started yet"
    (tmp_path / "directory.id").write_text("a" * 24)
    (found,) = check_backup(here)
    assert (found.kind.value, found.subject) == ("backup_missing", str(tmp_path))

    def note(hours: float, owner: str, sql: str) -> None:
        made_at = int((time.time() - hours * 3600) * 1000)
        note_backup(sqlite_database, Manifest("x", made_at, "1.0", sql, {}, {}, owner), "kept")

    note(1, "b" * 24, "")
    note(1, "b" * 24, "postgresql")
    assert kinds(check_backup(here)) == ["backup_missing"], "those of another machine have no journals of this one"
    note(50.5, "a" * 24, "sqlite")
    (found,) = check_backup(here)
    assert (found.kind.value, dict(found.evidence)) == ("backup_old", {"hours": 50})
    note(1, "a" * 24, "")
    assert list(check_backup(here)) == [], "the data directory alone counts"
    assert list(check_backup(machine(tmp_path, database_url=f"sqlite:///{tmp_path}/none.db"))) == []
