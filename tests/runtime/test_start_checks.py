"""What a start checks first: databases that come later, certificates, split statistics."""

import socket
import threading
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from tests.support.processes.certificates import self_signed
from tests.support.processes.program import free_port
from trackyard.actions.platform.installation import store_shared_click_state
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.runtime.monitoring.readiness import core_readiness
from trackyard.runtime.settings import CannotStart, Config, DatabaseAway, load
from trackyard.runtime.start_checks import (
    check_certificate,
    check_clock,
    find_split_click_state,
    find_split_statistics,
    wait_for_databases,
)
from trackyard.store.engine.availability import DatabaseNotUp, check_database_is_up, find_clock_ms, place_of
from trackyard.store.engine.database import Database
from trackyard.store.tracking.edges import claim_edge, list_foreign_edges

HERE, OTHER = "a" * 24, "b" * 24
HOUR_MS = 3_600_000


def config(directory: Path, **settings: str) -> Config:
    given = {"DATA_DIR": str(directory)} | {name.upper(): value for name, value in settings.items()}
    return load({f"TRACKYARD_{name}": value for name, value in given.items()})


def test_start_waits_for_database_that_answers_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    port = free_port()
    settings = config(tmp_path, analytics_url=f"http://127.0.0.1:{port}/yard", database_wait="20")
    waiting = threading.Thread(target=wait_for_databases, args=(settings, threading.Event()))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    with socket.create_server(("127.0.0.1", port)):
        waiting.join(20)
    assert not waiting.is_alive()
    assert [record.message for record in caplog.records] == ["waiting for a database", "database answers"]


@pytest.mark.parametrize(
    ("setting", "url", "place"),
    [
        ("analytics_url", "http://me:hush@127.0.0.1:{}/yard", "127.0.0.1:{}"),
        ("database_url", "postgresql://me:hush@127.0.0.1:{}/yard", "127.0.0.1:{}/yard"),
    ],
)
def test_start_without_database_ends_with_code_1_after_the_wait(
    tmp_path: Path, setting: str, url: str, place: str
) -> None:
    port = free_port()
    settings = config(tmp_path, database_wait="0", **{setting: url.format(port)})
    with pytest.raises(DatabaseAway, match=r"Connection refused.*\.$") as caught:
        wait_for_databases(settings, threading.Event())
    assert caught.value.exit_code == 1
    beginning = f"TRACKYARD_{setting.upper()} {place.format(port)} does not answer after 0 s: "
    assert str(caught.value).startswith(beginning) and "hush" not in str(caught.value)


def test_start_that_is_stopped_waits_no_longer(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    settings = config(tmp_path, database_wait="3600", analytics_url=f"http://127.0.0.1:{free_port()}/yard")
    with pytest.raises(CannotStart):
        wait_for_databases(settings, stop)


def test_start_waits_for_no_database_in_the_data_directory(tmp_path: Path) -> None:
    wait_for_databases(config(tmp_path, database_wait="0"), threading.Event())


def test_database_that_refuses_is_not_waited_for(database_url: str) -> None:
    """A wrong name or password stays wrong."""
    check_database_is_up(database_url)
    if database_url.startswith("postgresql"):
        with pytest.raises(OperationalError, match="does not exist"):
            check_database_is_up(database_url.replace("/test_", "/no_such_"))
        with pytest.raises(DatabaseNotUp, match="No such file"):
            check_database_is_up(f"{database_url}/nowhere")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql+psycopg://me:hush@db.example:5433/yard", "db.example:5433/yard"),
        ("postgresql+psycopg://me:hush@/yard?host=/run/pg", "/run/pg/yard"),
    ],
)
def test_place_of_database_has_no_password(url: str, place: str) -> None:
    assert place_of(url) == place


def test_store_that_refuses_connections_is_named_in_one_sentence() -> None:
    port = free_port()
    with pytest.raises(StoreError) as caught:
        Analytics.open(f"http://me:hush@127.0.0.1:{port}/yard")
    assert str(caught.value) == f"cannot connect to ClickHouse at 127.0.0.1:{port}: Connection refused"


def tls(directory: Path, certificate: Path, key: Path) -> Config:
    return config(directory, tracking_tls_cert=str(certificate), tracking_tls_key=str(key))


def test_certificate_and_key_that_fit_are_accepted(tmp_path: Path) -> None:
    check_certificate(config(tmp_path))
    check_certificate(tls(tmp_path, *self_signed(tmp_path)))


def test_certificate_that_is_none_is_named(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    text = tmp_path / "passwd"
    text.write_text("root:x:0:0")
    with pytest.raises(CannotStart, match=f"^TRACKYARD_TRACKING_TLS_CERT {text} is not a PEM certificate.$"):
        check_certificate(tls(tmp_path, text, key))
    with pytest.raises(CannotStart, match=f"^TRACKYARD_TRACKING_TLS_KEY {text} is not a PEM private key.$"):
        check_certificate(tls(tmp_path, certificate, text))


def test_certificate_with_key_of_another_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    certificate, (_, key) = self_signed(tmp_path)[0], self_signed(tmp_path / "other")
    with pytest.raises(CannotStart, match=r"cannot be used: it is not the key of that certificate\.$"):
        check_certificate(tls(tmp_path, certificate, key))


def test_data_directories_in_use_on_one_database_are_found(database: Database) -> None:
    with database.write() as conn:
        assert claim_edge(conn, HERE, 0, HOUR_MS) == 1
        assert claim_edge(conn, OTHER, 0, HOUR_MS) == 2
    with database.read() as conn:
        assert list_foreign_edges(conn, HERE, HOUR_MS) == [2]
        assert list_foreign_edges(conn, OTHER, HOUR_MS) == [1]
        assert list_foreign_edges(conn, HERE, HOUR_MS + 1) == []


@pytest.mark.parametrize(
    ("store", "minutes", "split"),
    [("", 4, True), ("", 6, False), ("http://127.0.0.1:8123/yard", 4, False)],
)
def test_statistics_in_the_data_directory_refuse_a_second_one(
    database: Database, tmp_path: Path, store: str, minutes: int, split: bool
) -> None:
    with database.write() as conn:
        claim_edge(conn, HERE, 0, HOUR_MS)
        claim_edge(conn, OTHER, 0, HOUR_MS)
    settings = config(tmp_path, analytics_url=store)
    with database.read() as conn:
        found = find_split_statistics(settings, conn, HERE, HOUR_MS + minutes * 60_000)
    assert (found is not None) is split
    if found is not None:
        assert found.startswith("another data directory is in use on this SQL database (edge 2), ")


def test_readiness_reports_statistics_that_are_split(sqlite_database: Database, tmp_path: Path) -> None:
    from trackyard.base.clock import SystemClock

    with sqlite_database.write() as conn:
        claim_edge(conn, OTHER, 0, SystemClock().now_ms())
    reasons = core_readiness(config(tmp_path), sqlite_database, None, HERE).reasons
    assert [reason.partition(" (")[0] for reason in reasons] == [
        "another data directory is in use on this SQL database"
    ]
    assert core_readiness(config(tmp_path), sqlite_database, None, OTHER).reasons == ()


@pytest.mark.parametrize(
    ("redis", "other_shares", "roles", "minutes", "advice"),
    [
        ("", False, "edge,projector", 4, "set TRACKYARD_REDIS_URL to one Redis or Valkey on all machines"),
        ("", True, "edge,projector", 4, "set TRACKYARD_REDIS_URL to one Redis or Valkey on all machines"),
        ("redis://10.0.0.1", False, "edge,projector", 4, "set it there as here, and start it again"),
        ("redis://10.0.0.1", True, "edge,projector", 4, None),
        ("", False, "worker,api", 4, None),
        ("", False, "edge,projector", 6, None),
    ],
)
def test_edges_of_two_machines_need_one_redis(
    database: Database, tmp_path: Path, redis: str, other_shares: bool, roles: str, minutes: int, advice: str | None
) -> None:
    with database.write() as conn:
        claim_edge(conn, HERE, 0, HOUR_MS)
        claim_edge(conn, OTHER, 0, HOUR_MS)
    store_shared_click_state(database, shared=other_shares)
    settings = config(tmp_path, redis_url=redis, roles=roles, analytics_url="http://127.0.0.1:8123/yard")
    with database.read() as conn:
        found = find_split_click_state(settings, conn, HERE, HOUR_MS + minutes * 60_000)
    assert (found is None) is (advice is None)
    if found is not None and advice is not None:
        assert found.startswith("another data directory takes clicks on this SQL database (edge 2), ")
        assert found.endswith(advice)


def test_clock_that_differs_from_the_databases_is_refused(database: Database) -> None:
    with database.read() as conn:
        database_ms = find_clock_ms(conn)
        if database_ms is None:
            check_clock(conn, 0)  # SQLite has the clock of this machine
            return
        check_clock(conn, database_ms - 3_000)
        with pytest.raises(
            CannotStart, match=r"^The clock of this machine is (59|60) s ahead of the clock of the SQL database, "
        ):
            check_clock(conn, database_ms + 60_000)
        with pytest.raises(CannotStart, match=r"^The clock of this machine is \d+ s behind the clock of the SQL"):
            check_clock(conn, database_ms - 60_000)
