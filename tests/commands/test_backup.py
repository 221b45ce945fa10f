"""Backups at once, and what `--verify` does with PostgreSQL (docs/operating.md#backups)."""

import fcntl
import os
import threading
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.stores.analytics import address
from tests.support.stores.databases import PostgresServer
from trackyard.actions.backup.last import find_last_backup
from trackyard.actions.backup.make import BackupSource, make_backup
from trackyard.actions.backup.restore import check_chunks
from trackyard.actions.backup.statistics import ServerStatistics
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock
from trackyard.commands.main import root
from trackyard.commands.state import backups
from trackyard.commands.state.backups import BackupDone
from trackyard.runtime.settings import load
from trackyard.store.backup.chunks import ChunkStore
from trackyard.store.backup.folder_target import FolderTarget
from trackyard.store.engine.database import Database

OWNER = "a" * 24


def test_backup_of_a_data_directory_that_is_backed_up_is_refused(tmp_path: Path) -> None:
    handle = os.open(tmp_path / "backup.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    done = CliRunner().invoke(root, ["backup", str(tmp_path / "kept")], env={"TRACKYARD_DATA_DIR": str(tmp_path)})
    os.close(handle)
    assert done.exit_code == 1 and "another backup of this data directory is under way" in done.output
    assert not (tmp_path / "kept").exists()


def test_backups_of_two_copies_at_once_into_one_target_are_both_whole(tmp_path: Path) -> None:
    def back_up(number: int) -> None:
        source = BackupSource(tmp_path / str(number), "1.0", OWNER, None, None)
        chunks = ChunkStore(FolderTarget(tmp_path / "kept"), None, create=True, owner=OWNER)
        made.append(make_backup(source, chunks, ManualClock(1_790_000_000_000 + number)))

    made = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        for file in range(40):  # half of them are the same in both
            (tmp_path / str(number) / str(file)).write_text(str(file if file % 2 else (number, file)))
    ChunkStore(FolderTarget(tmp_path / "kept"), None, create=True, owner=OWNER)
    threads = [threading.Thread(target=back_up, args=(number,)) for number in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    chunks = ChunkStore(FolderTarget(tmp_path / "kept"), None)
    assert chunks.ids() == sorted(each.id for each in made) and len(made) == 2
    assert [check_chunks(chunks, each) for each in made] == [40, 40]


@pytest.mark.parametrize("role", ["postgres", "plain"])
def test_backup_of_postgresql_is_verified_by_an_audit_of_a_scratch_database(
    postgres: PostgresServer, analytics: Analytics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    def open_scratch(_address: str, **_options: object) -> Analytics:  # one chDB directory a process
        return opened(address(), database=f"verify_{role}")

    opened = Analytics.open
    monkeypatch.setattr(Analytics, "open", open_scratch)
    monkeypatch.setenv("PATH", str(tmp_path))  # without pg_dump
    (tmp_path / "data").mkdir()
    with postgres.empty_database() as name:
        url = postgres.url(name)
        statistics = ServerStatistics(analytics)
        with Database(url) as database:
            if role == "plain":
                with database.write() as connection:
                    connection.exec_driver_sql("DROP ROLE IF EXISTS plain")
                    connection.exec_driver_sql("CREATE ROLE plain LOGIN")
            source = BackupSource(tmp_path / "data", "1.0", OWNER, database, statistics)
            chunks = ChunkStore(FolderTarget(tmp_path / "kept"), None, create=True, owner=OWNER)
            made = make_backup(source, chunks, ManualClock(1_790_000_000_000))
            assert find_last_backup(database) is None
        config = load(
            {
                "TRACKYARD_DATA_DIR": str(tmp_path / "data"),
                "TRACKYARD_DATABASE_URL": url.replace("postgres@", f"{role}@"),
            }
        )
        done = backups._verified(config, chunks, BackupDone(made, 1, 1))
    with closing(opened(address(), database=f"verify_{role}")) as scratch:
        scratch.run(f"DROP DATABASE verify_{role}")
    assert done.checked and (done.differences == 0) == (role == "postgres")
    assert ("CREATEDB" in done.not_restored) == (role == "plain")
    assert list((tmp_path / "data").glob(".backup*")) == []
