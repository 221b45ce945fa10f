"""What refuses a start, with its exit code, and that a refused start changes nothing."""

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import psycopg.errors
import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError

from tests.support.processes.program import free_port
from tests.support.processes.receiver import Receiver, Reply
from tests.support.stores.analytic_dumps import restore_dump
from tests.support.stores.analytics import address
from tests.support.stores.postgres_answers import PostgresAnswer
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import STEP_TABLE, find_schema
from trackyard.base.clock import SystemClock
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.machines.program import own_program
from trackyard.runtime.preparation import run_steps
from trackyard.runtime.processes import start_steps
from trackyard.runtime.processes.start_steps import CHANGES, CHECKS, Start
from trackyard.runtime.settings import CannotStart, Config, load
from trackyard.runtime.start_checks import refused_database
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import check_version, newest_version, upgrade
from trackyard.store.tracking.edges import claim_edge
from trackyard.store.tracking.machines import Machine, each_machine, register_machine

SERVER_ANSWERS: Final = (
    ("57P03", "the database system is starting up"),
    ("57P03", "the database system is shutting down"),
    ("57P03", "the database system is in recovery mode"),
    ("57P03", "das Datenbanksystem startet"),
    ("57P01", "terminating connection due to administrator command"),
    ("53300", "sorry, too many clients already"),
    ("53300", "remaining connection slots are reserved for roles with the SUPERUSER attribute"),
    ("53200", "out of memory"),
    ("53100", "could not write init file: No space left on device"),
    ("58000", "could not open file"),
    ("08006", "server conn crashed?"),
    ("08P01", "no more connections allowed (max_client_conn)"),
    ("08P01", "server login has been failing, cached error: connect failed (server_login_retry)"),
    ("08P01", "pgbouncer cannot connect to server"),
    ("08P01", "query_wait_timeout"),
    ("08P01", 'database "yard" is disabled'),
    ("08P01", "no such database: yard"),
    ("28P01", 'password authentication failed for user "yard"'),
    ("28000", 'no pg_hba.conf entry for host "10.0.0.1", user "yard", database "yard", no encryption'),
    ("28000", 'role "yard" does not exist'),
    ("3D000", 'database "yard" does not exist'),
    ("55000", 'database "yard" is not currently accepting connections'),
    ("42501", 'permission denied for database "yard"'),
)
"""What PostgreSQL and PgBouncer answer instead of a connection: SQLSTATE and words."""
LATER_STATES: Final = tuple(
    state
    for states in (
        "08000 08003 08006 08P01 0A000 22023 23505 25006 28000 28P01 3D000 3F000 40001 40P01 42501 42P01",
        "53000 53100 53200 53300 53400 55006 55P03 57014 57P01 57P02 57P03 57P05 58000 58030 XX000 XX001",
    )
    for state in states.split()
)
"""What PostgreSQL answers to a statement of the start."""
OWN_URLS: Final = (
    "postgresql://yard:hush@127.0.0.1:{port}/yard?sslmode=some",
    "postgresql://yard:hush@127.0.0.1:{port}/yard?nonsense=1",
    "postgresql://yard:hush@127.0.0.1:{port}/yard?sslmode=verify-full&sslrootcert={directory}/missing.pem",
    "sqlite:///{directory}/no_database.db",
    "sqlite:///{directory}/missing/directory.db",
)
CLICKHOUSE_ANSWERS: Final = (
    (401, 194, "REQUIRED_PASSWORD"),
    (403, 516, "AUTHENTICATION_FAILED"),
    (403, 497, "ACCESS_DENIED"),
    (404, 81, "UNKNOWN_DATABASE"),
    (500, 202, "TOO_MANY_SIMULTANEOUS_QUERIES"),
    (500, 241, "MEMORY_LIMIT_EXCEEDED"),
    (500, 243, "NOT_ENOUGH_SPACE"),
    (500, 999, "KEEPER_EXCEPTION"),
    (502, 0, "Bad Gateway"),
    (503, 0, "Service Unavailable"),
)


def config_of(directory: Path, **settings: str) -> Config:
    given = {"DATA_DIR": str(directory), "DATABASE_WAIT": "0"} | {key.upper(): text for key, text in settings.items()}
    return load({f"TRACKYARD_{name}": value for name, value in given.items()})


def refusal(config: Config) -> CannotStart:
    with pytest.raises(CannotStart) as refused:
        run_steps(config, threading.Event())
    return refused.value


def test_answer_of_postgresql_or_its_pooler_lets_the_unit_start_again(tmp_path: Path) -> None:
    """Whatever the server answers, also in another language, the exit code is that of a retry."""
    found = []
    for state, words in SERVER_ANSWERS:
        with PostgresAnswer(state, words) as server:
            url = f"postgresql://yard:hush@127.0.0.1:{server.port}/yard"
            refused = refusal(config_of(tmp_path / "data", database_url=url))
        assert words in str(refused) and "hush" not in str(refused), str(refused)
        found.append((state, words, refused.exit_code))
    assert [each for each in found if each[2] != ExitCode.FAILED] == []
    assert len(found) == 23 and not (tmp_path / "data").exists(), "a start that is refused makes no directory"


def test_sqlstate_of_a_statement_lets_the_unit_start_again(tmp_path: Path) -> None:
    config = config_of(tmp_path, database_url="postgresql://yard@127.0.0.1/yard")
    codes = {}
    for state in LATER_STATES:
        answer = psycopg.errors.lookup(state)("said by the server")
        assert answer.sqlstate == state
        codes[state] = refused_database(config, DBAPIError.instance("", {}, answer, psycopg.Error)).exit_code
    assert set(codes.values()) == {ExitCode.FAILED} and len(codes) == len(LATER_STATES) == 32


def test_own_address_or_file_of_the_database_ends_the_unit(tmp_path: Path) -> None:
    (tmp_path / "no_database.db").write_text("These are words, and no database at all. " * 100)
    for url in OWN_URLS:
        with PostgresAnswer("57P03", "starting up", has_tls=True) as server:
            given = url.format(port=server.port, directory=tmp_path)
            refused = refusal(config_of(tmp_path / "data", database_url=given, roles="worker"))
        assert (refused.exit_code, "hush" in str(refused)) == (ExitCode.CONFIGURATION, False), (given, str(refused))
    assert len(OWN_URLS) == 5


def test_answer_of_clickhouse_lets_the_unit_start_again(tmp_path: Path) -> None:
    found = []
    for status, code, name in CLICKHOUSE_ANSWERS:
        headers = {"X-ClickHouse-Exception-Code": str(code)} if code else {}
        body = f"Code: {code}. DB::Exception: said. ({name}) (version 25.8)".encode()
        with Receiver(lambda _, s=status, h=headers, b=body: Reply(status=s, headers=h, body=b)) as server:  # type: ignore[misc]
            url = f"http://yard:hush@127.0.0.1:{server.port}/yard"
            refused = refusal(config_of(tmp_path / "data", analytics_url=url))
        assert "TRACKYARD_ANALYTICS_URL" in str(refused) and "hush" not in str(refused), str(refused)
        found.append(refused.exit_code)
    assert found == [ExitCode.FAILED] * 10
    assert not (tmp_path / "data").exists()


def test_redis_and_bucket_that_refuse_keep_no_machine_from_its_start(tmp_path: Path) -> None:
    """They are asked while the roles run, which log that they are away: a start does not depend on them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        bucket = f"s3://key:secret@bucket?endpoint=http://127.0.0.1:{port}"
        config = config_of(tmp_path / "data", redis_url=f"redis://127.0.0.1:{port}/0", files_url=bucket)
        assert run_steps(config, threading.Event())["new_admin_api_key"]
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


class Yard:
    """An installation that a start would change: of an old schema, or of the newest one."""

    def __init__(self, directory: Path, schema: str) -> None:
        self.directory, self.schema = directory, schema
        self.settings: dict[str, str] = {}
        (directory / "journal").mkdir(parents=True)
        if schema == newest_version():
            run_steps(config_of(directory), threading.Event())
        else:
            (directory / "secret.key").write_text("of the first start")
            with Database(self.url) as database:
                upgrade(database, schema)

    @property
    def url(self) -> str:
        return f"sqlite:///{self.directory}/trackyard.db"

    def run(self, sql: str, **values: object) -> None:
        with Database(self.url) as database, database.write() as connection:
            connection.execute(text(sql), values)

    def state(self) -> dict[str, object]:
        """Every row of every table, and every file of the data directory but those of SQLite."""
        engine = create_engine(self.url)
        with engine.connect() as connection:
            tables = sorted(inspect(connection).get_table_names())
            rows: dict[str, object] = {
                name: sorted(map(repr, connection.execute(text(f'SELECT * FROM "{name}"')))) for name in tables
            }
        engine.dispose()
        files: dict[str, object] = {
            str(path): path.read_bytes() if path.is_file() else None
            for path in sorted(self.directory.rglob("*"))
            if not path.name.startswith("trackyard.db") and path.parent.name != "log" and path.name != "log"
        }
        return rows | files


def other_machine(yard: Yard, **values: str) -> None:
    """Another machine runs, by the table of machines of this schema."""
    now_ms = SystemClock().now_ms()
    row: dict[str, Any] = {"directory_id": "e" * 24, "host": "yard-b", "boot_id": "b", "directory": "/srv/data"}
    row |= {"roles": "edge,projector", "has_own_statistics": False, "seen_at": now_ms} | values
    names = ", ".join(row)
    yard.run(f"INSERT INTO machine ({names}) VALUES ({', '.join(f':{name}' for name in row)})", **row)


def same_program(yard: Yard, **values: Any) -> Machine:
    given = {"directory_id": "e" * 24, "host": "yard-b", "boot_id": "b", "directory": "/srv/data", "roles": "all"}
    machine = Machine(**given | {"has_own_statistics": False} | values)  # type: ignore[arg-type]
    machine = Machine(*(getattr(machine, name) for name in Machine.__slots__[:7]), *own_program())
    with Database(yard.url) as database, database.write() as connection:
        register_machine(connection, machine, SystemClock().now_ms())
    return machine


def bad_country_database(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    (yard.directory / "country.mmdb").write_text("no database")
    yard.settings["country_database"] = str(yard.directory / "country.mmdb")


def bad_certificate(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    for name in ("cert", "key"):
        (yard.directory / f"{name}.pem").write_text("no certificate")
        yard.settings[f"tracking_tls_{name}"] = str(yard.directory / f"{name}.pem")


def no_room(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    yard.settings["unique_mb"] = str(min(1_000_000, shutil.disk_usage(yard.directory).free // 2**20 + 1_000))


def store_away(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    yard.settings["analytics_url"] = f"http://127.0.0.1:{free_port()}/yard"


def newer_schema(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    yard.run("UPDATE alembic_version SET version_num = '9999'")


def unfinished_schema(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    yard.run("ALTER TABLE machine DROP COLUMN wire_form")


def older_edge(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    yard.run(
        "INSERT INTO edge (number, directory_id, slot, claimed_at) VALUES (7, :other, 0, :now)",
        other="e" * 24,
        now=SystemClock().now_ms(),
    )


def older_machine(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    other_machine(yard)


def other_version(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    other_machine(yard, version="0.9.9", schema=newest_version())


def clock_ahead(_yard: Yard, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("trackyard.store.engine.availability.find_clock_ms", lambda _: 1)


def own_statistics_elsewhere(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    same_program(yard, has_own_statistics=True, roles="api")


def edge_without_redis(yard: Yard, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("trackyard.runtime.machines.claims.find_split_statistics", lambda *_: None)  # one ClickHouse
    with Database(yard.url) as database, database.write() as connection:
        claim_edge(connection, "e" * 24, 0, SystemClock().now_ms())


def copied_directory(yard: Yard, patch: pytest.MonkeyPatch) -> None:
    other = same_program(yard, directory_id=(yard.directory / "directory.id").read_text())
    ticks = iter(range(1, 1000))

    def beat(*_: object) -> object:
        with Database(yard.url) as database, database.read() as connection:
            [found] = [each for each in each_machine(connection) if each.machine == other]
        return type(found)(found.machine, found.seen_at + next(ticks), None)

    patch.setattr("trackyard.runtime.machines.claims._find_copy", beat)


def newer_statistics(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    yard.settings["analytics_url"] = address()
    with closing(Analytics.open(address())) as analytics:
        restore_dump(analytics, 6)
        analytics.run(f"INSERT INTO {STEP_TABLE} (number) VALUES (999)")


def wrong_key(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    (yard.directory / "secret.key").write_text("another one")


def lost_key(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    (yard.directory / "secret.key").unlink()


def other_currency(yard: Yard, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("trackyard.store.conversions.conversions.has_any", lambda _: True)
    yard.settings["currency"] = "SEK"
    if yard.schema != newest_version():
        yard.run("INSERT INTO setting (name, value) VALUES ('currency', '\"USD\"')")


def no_numbers(yard: Yard, _patch: pytest.MonkeyPatch) -> None:
    with Database(yard.url) as database, database.write() as connection:
        for slot in range(249):
            claim_edge(connection, "f" * 24, slot, 1)
    yard.settings |= {"edges": "2", "redis_url": "redis://127.0.0.1:1/0"}


OLD: Final = "0005"
REFUSALS: Final[tuple[tuple[str, str, Callable[[Yard, pytest.MonkeyPatch], None], int, str], ...]] = (
    ("_check_address_databases", OLD, bad_country_database, 78, "TRACKYARD_COUNTRY_DATABASE"),
    ("_check_files", OLD, bad_certificate, 78, "is not a PEM certificate"),
    ("_check_files", OLD, no_room, 78, "TRACKYARD_UNIQUE_MB"),
    ("_wait_for_databases", OLD, store_away, 1, "does not answer"),
    ("_check_schema", OLD, newer_schema, 78, "its schema has version 9999"),
    ("_check_schema", newest_version(), unfinished_schema, 78, "has no wire_form"),
    ("_check_peers", OLD, older_edge, 1, "(edge 7) is in use by an older version"),
    ("_check_peers", "0013", older_machine, 1, "The machine yard-b (/srv/data) runs an older version"),
    ("_check_peers", "0040", older_machine, 1, "The machine yard-b (/srv/data) runs an older version"),
    ("_check_peers", newest_version(), other_version, 1, "runs version 0.9.9 (schema"),
    ("_check_peers", OLD, clock_ahead, 1, "The clock of this machine"),
    ("_check_peers", newest_version(), own_statistics_elsewhere, 1, "TRACKYARD_ANALYTICS_URL cannot be used"),
    ("_check_peers", newest_version(), edge_without_redis, 1, "TRACKYARD_ROLES cannot have edge"),
    ("_check_peers", newest_version(), copied_directory, 1, "it is a copy of /srv/data on host yard-b"),
    ("_check_store", OLD, newer_statistics, 78, "its schema has number 999"),
    ("_check_secrets", newest_version(), wrong_key, 78, "does not decrypt a stored key"),
    ("_check_secrets", newest_version(), lost_key, 78, "secret.key is missing"),
    ("_check_currency", OLD, other_currency, 78, "TRACKYARD_CURRENCY cannot be SEK"),
    ("_check_currency", newest_version(), other_currency, 78, "TRACKYARD_CURRENCY cannot be SEK"),
    ("_check_edge_numbers", newest_version(), no_numbers, 1, "TRACKYARD_EDGES cannot be 2"),
)


def test_table_has_every_check_of_a_start() -> None:
    assert {each[0] for each in REFUSALS} == {check.__name__ for check in CHECKS}
    assert len(REFUSALS) == 20 and len(CHECKS) == 9 and len(CHANGES) == 6


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return an installation of each schema, made once."""
    made: dict[str, Path] = {}

    def of(schema: str) -> Path:
        if schema not in made:
            made[schema] = tmp_path_factory.mktemp("installed") / "data"
            Yard(made[schema], schema)
        return made[schema]

    return of


@pytest.fixture
def store_after() -> Iterator[None]:
    """Nothing of this test's analytic store is left."""
    yield
    with closing(Analytics.open(address())) as analytics:
        analytics.run("DROP DATABASE trackyard")


@pytest.mark.usefixtures("store_after")
@pytest.mark.parametrize(("check", "schema", "spoil", "code", "said"), REFUSALS)
def test_refused_start_changes_nothing(
    check: str,
    schema: str,
    spoil: Callable[[Yard, pytest.MonkeyPatch], None],
    code: int,
    said: str,
    installed: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(installed(schema), tmp_path / "data")
    yard = Yard.__new__(Yard)
    yard.directory, yard.schema, yard.settings = tmp_path / "data", schema, {}
    spoil(yard, monkeypatch)
    config = config_of(yard.directory, **yard.settings)
    before = yard.state()
    refused = refusal(config)
    assert said in str(refused), str(refused)
    assert refused.exit_code == code
    assert yard.state() == before
    if spoil is newer_statistics:
        with closing(Analytics.open(address())) as analytics:
            assert find_schema(analytics).number == 999
    assert refusing_check(config) == check


def refusing_check(config: Config) -> str:
    """Return the name of the check that refuses."""
    with ExitStack() as resources:
        start = Start(config, threading.Event(), resources)
        for step in CHECKS:
            try:
                step(start)
            except Exception:
                return step.__name__
    return ""


def test_start_with_stopped_and_silent_machines_brings_the_schema_up_to_date(
    installed: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(installed("0040"), tmp_path / "data")
    yard = Yard.__new__(Yard)
    yard.directory, yard.schema, yard.settings = tmp_path / "data", "0040", {}
    now_ms = SystemClock().now_ms()
    other_machine(yard, directory_id="a" * 24, stopped_at=now_ms)  # type: ignore[arg-type]
    other_machine(yard, directory_id="b" * 24, seen_at=now_ms - 400_000)  # type: ignore[arg-type]
    run_steps(config_of(yard.directory), threading.Event())
    with Database(yard.url) as database:
        assert check_version(database) == newest_version()
        with database.read() as connection:
            here = next(
                each.machine for each in each_machine(connection) if each.machine.directory == str(yard.directory)
            )
    assert (here.version, here.schema, here.analytic_step, here.wire_form) == own_program()


def test_checks_of_a_start_come_before_its_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one list has them in this order, and a first start leaves no trace when the last check refuses."""

    def refuse(_start: Start) -> None:
        raise CannotStart("refused at last.")

    monkeypatch.setattr("trackyard.runtime.preparation.CHECKS", (*start_steps.CHECKS, refuse))
    assert str(refusal(config_of(tmp_path / "data"))) == "refused at last."
    assert not (tmp_path / "data").exists()


def test_full_disk_lets_the_unit_start_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_start: Start) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("trackyard.runtime.preparation.CHANGES", (full,))
    refused = refusal(config_of(tmp_path / "data"))
    assert (refused.exit_code, "is full" in str(refused)) == (ExitCode.FAILED, True)
    sqlite = config_of(tmp_path)
    for words, code in (("database or disk is full", 1), ("database is locked", 1), ("file is not a database", 78)):
        assert refused_database(sqlite, OperationalError("", {}, Exception(words))).exit_code == code
