"""A machine among others: what a start claims, and what its heartbeat returns."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest
from sqlalchemy import update

from tests.support.models.events import new_click
from trackyard.actions.platform.installation import store_shared_click_state
from trackyard.analytics.engine.migrations import newest_number
from trackyard.base.clock import ManualClock, SystemClock
from trackyard.base.ids import new_id
from trackyard.base.metrics.version import program_version
from trackyard.journal import segments
from trackyard.journal.reader import next_range
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.runtime import app
from trackyard.runtime.app import directory_id_of, open_analytics
from trackyard.runtime.machines.claims import claim_edge_numbers, join_machines, this_machine
from trackyard.runtime.machines.heartbeat import Heartbeat
from trackyard.runtime.machines.host_files import Host, HostFiles
from trackyard.runtime.machines.program import own_program
from trackyard.runtime.preparation import prepare
from trackyard.runtime.settings import CannotStart, Config, load
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import newest_version
from trackyard.store.statistics.checkpoints import find_checkpoint, finish_range
from trackyard.store.tables import machine
from trackyard.store.tracking.edges import REST_MS, claim_edge, end_leases, list_leases
from trackyard.store.tracking.machines import Machine, each_machine, register_machine, see_machine

NOON = 1_800_000_000_000


class Server:
    """The start, the edge and the end of a server on one data directory, without its processes."""

    def __init__(self, directory: Path, database: Database, clock: ManualClock) -> None:
        directory.mkdir(exist_ok=True)
        given = {
            "DATA_DIR": str(directory),
            "ANALYTICS_URL": "http://127.0.0.1:8123/y",
            "REDIS_URL": "redis://10.0.0.1",
        }
        self.config: Config = load({f"TRACKYARD_{name}": value for name, value in given.items()})
        self.database, self.clock = database, clock
        self.directory_id = new_id(clock.now_ms())
        self.lost = threading.Event()

    def start(self) -> int:
        """Claim what a start claims; return the number of its edge."""
        here = this_machine(self.config, self.directory_id)
        join_machines(self.config, self.database, here, self.clock, threading.Event())
        claim_edge_numbers(self.config, self.database, self.directory_id, self.clock)
        (number,) = json.loads((self.config.data_dir / "edges.json").read_text())
        return int(number)

    def record(self, number: int, clicks: int = 0) -> str:
        """Let the edge write and close its journal; return its name."""
        writer = JournalWriter(self.config.data_dir / "journal", number, self.clock)
        for _ in range(clicks):
            writer.append(RecordKind.CLICK, encode(new_click(1, time=self.clock.now_ms())))
        writer.close()
        return writer.name

    def load(self, number: int) -> int:
        """Load what the edge wrote; return the records."""
        with self.database.write() as conn:
            before = find_checkpoint(conn, number)
            at = (None, 0) if before is None else (before.journal, before.position)
            found = next_range(self.config.data_dir / "journal", number, *at)
            assert found is not None
            end = (found.journal, found.start, found.end, found.checkpoint_at)
            finish_range(conn, number, *end, [], has_records=bool(found.frames))
        return len(found.frames)

    def end(self) -> None:
        """End in order."""
        self.heartbeat().end()

    def heartbeat(self) -> Heartbeat:
        """The heartbeat of its core."""
        return Heartbeat(self.config, self.database, self.directory_id, self.clock, on_lost=self.lost.set)


class Beating:
    """A clock by which another machine beats each time it is read."""

    def __init__(self, database: Database, other: Machine) -> None:
        self._database, self._other, self._now = database, other, NOON

    def now_ms(self) -> int:
        with self._database.write() as conn:
            register_machine(conn, self._other, self._now)
        self._now += 1
        return self._now


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def shared(sqlite_database: Database) -> Iterator[Database]:
    store_shared_click_state(sqlite_database, shared=True)
    yield sqlite_database


def test_fresh_data_directories_start_after_every_number_was_given(
    shared: Database, tmp_path: Path, clock: ManualClock
) -> None:
    with shared.write() as conn:
        given = [claim_edge(conn, "f" * 24, slot, NOON - 600_000) for slot in range(248)]
        end_leases(conn, "f" * 24, given, NOON - 600_000)
    numbers = []
    for place in range(4):
        server = Server(tmp_path / str(place), shared, clock)
        numbers.append(number := server.start())
        server.record(number)
        assert server.load(number) == 0
        server.end()
        clock.advance(10)
    assert numbers == [249, 250, 1, 2]


def test_heartbeat_writes_what_a_machine_runs(shared: Database, tmp_path: Path, clock: ManualClock) -> None:
    server = Server(tmp_path / "a", shared, clock)
    server.start()
    runs = {"version": program_version(), "schema": newest_version(), "analytic_step": newest_number(), "wire_form": 1}
    with shared.write() as conn:  # as a program leaves it that does not know these columns
        conn.execute(update(machine).values(version="", schema="", analytic_step=0, wire_form=0))
    server.heartbeat().beat()
    with shared.read() as conn:
        [seen] = each_machine(conn)
    assert {name: getattr(seen.machine, name) for name in runs} == runs


def test_number_of_an_earlier_machine_loads_the_journals_of_the_later_one(
    shared: Database, tmp_path: Path, clock: ManualClock
) -> None:
    first, second = Server(tmp_path / "a", shared, clock), Server(tmp_path / "b", shared, clock)
    assert first.start() == 1
    name = first.record(1, clicks=2)
    first.heartbeat().beat()
    first.end()
    with shared.read() as conn:
        assert list_leases(conn)[0].ended_at is None, "nothing is loaded yet"
    assert first.load(1) == 2
    first.end()
    with shared.write() as conn:
        for slot in range(249):
            claim_edge(conn, "f" * 24, slot, 1)
        assert list_leases(conn)[0].free_at == NOON + REST_MS
    with pytest.raises(CannotStart, match=r"^TRACKYARD_EDGES cannot be 1: all 250 edge numbers are leased"):
        second.start()
    clock.advance(REST_MS)
    assert second.start() == 1
    clock.advance(-REST_MS)  # its clock is behind: names must rise all the same
    later = second.record(1, clicks=3)
    assert later > name
    assert second.load(1) == 3
    assert segments.find_last_journal(tmp_path / "b" / "journal", 1) == later
    first.heartbeat().beat()
    assert first.lost.is_set(), "it runs with a number that is another's"


def test_second_server_with_the_id_of_a_running_one_is_refused(
    database: Database, tmp_path: Path, clock: ManualClock
) -> None:
    server = Server(tmp_path / "a", database, clock)
    here = this_machine(server.config, server.directory_id)
    other = Machine(here.directory_id, "yard-b", "another boot", "/srv/data", "edge,projector", False)
    with database.write() as conn:
        register_machine(conn, other, NOON)
        claim_edge(conn, here.directory_id, 0, NOON)
    stop = threading.Event()
    join_machines(server.config, database, here, clock, stop, watch_s=0.2)  # it was killed: nothing is seen of it
    with database.write() as conn:
        register_machine(conn, other, NOON)

    with pytest.raises(CannotStart) as refused:
        join_machines(server.config, database, here, Beating(database, other), stop)
    assert str(refused.value) == (
        f"TRACKYARD_DATA_DIR {tmp_path / 'a'} cannot be used: it is a copy of /srv/data on host yard-b, which "
        "runs, and both would have the same edge number (1) and make the same click ids: stop that server, or remove "
        "directory.id and journal/ from this copy."
    )
    assert refused.value.exit_code == 1, "others decide that, and may end"


def test_copy_of_a_data_directory_under_its_path_and_host_name_is_refused(
    database: Database, tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a second container with the same host name."""
    server = Server(tmp_path / "a", database, clock)
    running = this_machine(server.config, server.directory_id)
    join_machines(server.config, database, running, clock, threading.Event())
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    (tmp_path / "a").rename(tmp_path / "original")
    (tmp_path / "copy").rename(tmp_path / "a")
    copy = this_machine(server.config, server.directory_id)
    assert replace(copy, place=running.place) == running and copy.place != running.place

    with pytest.raises(CannotStart, match="cannot be used: it is a copy of"):
        join_machines(server.config, database, copy, Beating(database, running), threading.Event())
    with monkeypatch.context() as patched:  # a restart of the original waits for nothing
        patched.setattr(threading.Event, "wait", None)
        join_machines(server.config, database, running, clock, threading.Event())
    with database.write() as conn:
        assert not see_machine(conn, copy, NOON)
        assert see_machine(conn, running, NOON)


def test_server_without_its_place_ends(shared: Database, tmp_path: Path, clock: ManualClock) -> None:
    server = Server(tmp_path / "a", shared, clock)
    server.start()
    server.heartbeat().beat()
    assert not server.lost.is_set()
    here = this_machine(server.config, server.directory_id)
    with shared.write() as conn:
        register_machine(conn, Machine(here.directory_id, "yard-b", "", "/srv", "edge,projector", False), NOON)
    server.heartbeat().beat()
    assert server.lost.is_set()


def test_machine_of_a_worker_that_is_stopped_while_it_begins_is_stopped(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heartbeat begins before the worker, which takes seconds to import on a busy machine."""
    names = {"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": sqlite_database.url, "ROLES": "worker"}
    config = load({f"TRACKYARD_{name}": value for name, value in names.items()})
    config.data_dir.mkdir()
    with sqlite_database.write() as conn:
        register_machine(conn, this_machine(config, directory_id_of(config)), NOON)

    def beginning(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        pytest.fail("it went on")

    monkeypatch.setattr(app, "_work", beginning)
    armed: list[bool] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with pytest.raises(SystemExit) as ended:
            app._run_worker(config, 0, SimpleNamespace(arm=lambda: armed.append(True)), None)  # type: ignore[arg-type]
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert (ended.value.code, armed) == (None, [True])
    with sqlite_database.read() as conn:
        [seen] = each_machine(conn)
    assert seen.stopped_at is not None


@pytest.mark.parametrize(
    ("database_url", "sentence"),
    [
        (
            "postgresql://127.0.0.1/yard",
            "TRACKYARD_DATA_DIR {0}/data is in use on host yard-a: give each machine a data directory on its own disk.",
        ),
        (
            "sqlite:///{0}/yard.db",
            "TRACKYARD_DATABASE_URL {0}/yard.db is in use on host yard-a, and SQLite is for one host: set it to one "
            "PostgreSQL on all machines, each with a data directory on its own disk.",
        ),
    ],
)
def test_data_directory_or_sqlite_file_of_another_host_is_refused(
    tmp_path: Path, database_url: str, sentence: str
) -> None:
    url = database_url.format(tmp_path)
    given = {"TRACKYARD_DATABASE_URL": url}
    # a data directory on a shared disk, or the SQLite file alone
    directories = ["data", "data"] if "postgresql" in url else ["data", "other"]
    yards = [load(given | {"TRACKYARD_DATA_DIR": str(tmp_path / name)}) for name in directories]
    theirs, ours = HostFiles(yards[0], Host("yard-a", "1"), touch_s=0), HostFiles(yards[1], Host("yard-b", "2"))
    stop = threading.Event()
    theirs.claim(stop)

    def beat() -> None:
        while not stop.wait(0.02):
            theirs.touch()

    beats = threading.Thread(target=beat)
    beats.start()
    try:
        with pytest.raises(CannotStart) as refused:
            ours.claim(threading.Event())
    finally:
        stop.set()
        beats.join()
    assert (str(refused.value), refused.value.exit_code) == (sentence.format(tmp_path), 78)
    ours.claim(threading.Event(), watch_s=0.3)  # it was killed
    ours.remove()
    assert list(tmp_path.rglob("trackyard.host")) == ([] if "postgresql" in url else [tmp_path / "data/trackyard.host"])


_HOLDER = """
import sys
from pathlib import Path
from trackyard.analytics.engine.directory_lock import take_directory
take_directory(Path(sys.argv[1]))
print(flush=True)
sys.stdin.read()
"""
_REDIS: Final = {"redis_url": "redis://127.0.0.1:1"}
_ONE_STORE: Final = "set TRACKYARD_ANALYTICS_URL to one ClickHouse server on all machines"


class Installation:
    """An installation with another machine, on which one is started that does not fit."""

    def __init__(self, directory: Path, sqlite: Path, server: str) -> None:
        self.directory, self.server = directory, server
        self.url = f"sqlite:///{sqlite}"
        self.database = Database(self.url)
        self.stop = threading.Event()

    def config(self, settings: dict[str, str]) -> Config:
        """The settings of the machine that is started."""
        given = {"data_dir": str(self.directory / "data"), "database_url": self.url, **settings}
        if given.get("analytics_url") == "server":
            given["analytics_url"] = self.server
        return load({f"TRACKYARD_{name.upper()}": value for name, value in given.items()})

    def register(self, roles: str, *, chdb: bool, directory_id: str = "e" * 24) -> None:
        """Let the other machine start, or beat."""
        other = Machine(directory_id, "yard-b", "b", "/srv/data", roles, chdb, "", *own_program())
        now_ms = SystemClock().now_ms()
        with self.database.write() as conn:
            register_machine(conn, other, now_ms)
            if "edge" in roles and directory_id == "e" * 24:
                claim_edge(conn, other.directory_id, 0, now_ms)

    @contextmanager
    def beating(self, beat: Callable[[], object]) -> Iterator[None]:
        """Let the other machine do something again and again meanwhile."""

        def repeat() -> None:
            while not self.stop.wait(0.05):
                beat()

        thread = threading.Thread(target=repeat)
        thread.start()
        try:
            yield
        finally:
            self.stop.set()
            thread.join()


def _start_next_to(yard: Installation, situation: str, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the step of a start that meets the other machine."""
    if situation == "chdb process":
        command = [sys.executable, "-c", _HOLDER, str(config.data_dir / "analytics")]
        config.data_dir.mkdir()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None and holder.stdin is not None
            holder.stdout.readline()
            try:
                open_analytics(config)
            finally:
                holder.stdin.close()
    elif situation == "host":
        theirs = HostFiles(replace(config, data_dir=yard.directory / "theirs"), Host("yard-b", "b"), touch_s=0)
        theirs.claim(yard.stop)
        with yard.beating(theirs.touch):
            HostFiles(config, Host.here()).claim(threading.Event())
    elif situation == "copy":
        config.data_dir.mkdir()
        beat = partial(yard.register, "edge,projector", chdb=True, directory_id=directory_id_of(config))
        beat()
        with yard.beating(beat):
            prepare(config)
    else:
        if situation == "clock":
            slow = SystemClock().now_ms() - 60_000
            monkeypatch.setattr("trackyard.store.engine.availability.find_clock_ms", lambda _: slow)
        elif situation == "numbers":
            with yard.database.write() as conn:
                for slot in range(250):
                    claim_edge(conn, "f" * 24, slot, 1)
        else:
            roles, _, store = situation.partition(" ")
            yard.register(roles, chdb=store == "chdb")
        prepare(config)


@pytest.mark.parametrize(
    ("situation", "settings", "sentence"),
    [
        (
            "edge,projector server",
            {"analytics_url": "server"},
            "TRACKYARD_ROLES cannot have edge: * set TRACKYARD_REDIS_URL to one Redis or Valkey on all machines.*",
        ),
        (
            "edge,projector server",
            {"analytics_url": "server"} | _REDIS,
            "TRACKYARD_ROLES cannot have edge: * the other one has no TRACKYARD_REDIS_URL: set it there as here, *",
        ),
        (
            "edge,projector chdb",
            _REDIS,
            f"TRACKYARD_ANALYTICS_URL cannot be used: *(edge 1), and its clicks*: {_ONE_STORE}*",
        ),
        ("api chdb", _REDIS, f"TRACKYARD_ANALYTICS_URL cannot be used: *(/srv/data on yard-b), *: {_ONE_STORE}*"),
        (
            "projector,api chdb",
            {"analytics_url": "server"} | _REDIS,
            f"TRACKYARD_ANALYTICS_URL cannot be used: the machine yard-b (/srv/data) has its *: {_ONE_STORE}*",
        ),
        ("numbers", {"edges": "9"}, "TRACKYARD_EDGES cannot be 9: all 250 * `trackyard edges release NUMBER` frees *"),
        ("copy", {}, "TRACKYARD_DATA_DIR * it is a copy of /srv/data on host yard-b*: stop that server, or remove *"),
        ("host", {}, "TRACKYARD_DATABASE_URL * is in use on host yard-b*: set it to one PostgreSQL on all machines*"),
        (
            "chdb process",
            {},
            "TRACKYARD_ANALYTICS_URL cannot be used: process * has the chDB *: name another directory*",
        ),
        (
            "clock",
            {},
            "The clock of this machine is * s ahead of the clock of the SQL database*: set both by a time server*",
        ),
    ],
)
def test_wrong_combination_of_machines_is_refused_with_the_sentence_that_mends_it(
    tmp_path: Path,
    migrated_sqlite: Path,
    monkeypatch: pytest.MonkeyPatch,
    situation: str,
    settings: dict[str, str],
    sentence: str,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        sqlite = tmp_path / "data.db"
        shutil.copyfile(migrated_sqlite, sqlite)
        yard = Installation(tmp_path, sqlite, f"http://127.0.0.1:{server.getsockname()[1]}/yard")
        with pytest.raises(CannotStart) as refused:
            _start_next_to(yard, situation, yard.config(settings), monkeypatch)
        yard.database.close()
    assert fnmatchcase(str(refused.value), sentence.replace("[", "[[]")), str(refused.value)
    assert refused.value.exit_code == (78 if situation in ("host", "chdb process") else 1)
