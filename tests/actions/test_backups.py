"""Backups are whole or not there, are pruned, and name what is damaged (docs/operating.md#backups)."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.models.events import new_click
from tests.support.stores.analytics import address, empty_analytics
from tests.support.stores.clickhouse import clickhouse_address
from trackyard.actions.backup.last import find_last_backup, note_backup
from trackyard.actions.backup.make import BackupSource, make_backup
from trackyard.actions.backup.manifest import Manifest, find_backup, newest_backup, prune
from trackyard.actions.backup.restore import check_chunks, restore_backup
from trackyard.actions.backup.statistics import ServerStatistics
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.clock import ManualClock
from trackyard.journal.records import encode
from trackyard.store.backup.chunks import BackupDamaged, ChunkStore, ForeignTarget
from trackyard.store.backup.failures import NotEmpty
from trackyard.store.backup.folder_target import FolderTarget
from trackyard.store.backup.target import TargetUnusable
from trackyard.store.engine.database import Database

__all__ = ["clickhouse_address"]

NOW = 1_790_000_000_000


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data directory with a journal."""
    (tmp_path / "data" / "journal").mkdir(parents=True)
    (tmp_path / "data" / "journal" / "one.log").write_bytes(b"first")
    return tmp_path / "data"


@pytest.fixture
def backed_up(data_dir: Path, sqlite_database: Database) -> Callable[[ChunkStore], Manifest]:
    """Makes a backup, each a minute after the one before."""
    clock = ManualClock(NOW)

    def make(chunks: ChunkStore) -> Manifest:
        clock.advance(60_000)
        return make_backup(BackupSource(data_dir, "1.0", "a", sqlite_database, None), chunks, clock)

    return make


def open_chunks(tmp_path: Path, owner: str = "a") -> ChunkStore:
    return ChunkStore(FolderTarget(tmp_path / "kept"), None, create=True, owner=owner)


def test_backup_pruned_keeps_every_part_of_the_backups_that_stay(
    tmp_path: Path, data_dir: Path, backed_up: Callable[[ChunkStore], Manifest]
) -> None:
    made = []
    for number in range(4):
        (data_dir / "journal" / "one.log").write_bytes(b"%d" % number)
        (data_dir / f"of-{number}").write_bytes(b"only %d" % number)
        made.append(backed_up(open_chunks(tmp_path)))
        (data_dir / f"of-{number}").unlink()
    chunks = open_chunks(tmp_path)
    assert prune(chunks, 2) == 2
    again = open_chunks(tmp_path)
    assert again.ids() == [made[2].id, made[3].id]
    for manifest in made[2:]:
        assert check_chunks(again, manifest) > 0
    [first] = [file.chunks[0] for name, file in made[0].files.items() if name == "data/of-0"]
    assert not again.has(first)
    assert (newest_backup(again) or made[0]).id == made[3].id
    for at, expected in ((made[2].made_at, made[2].id), (made[3].made_at - 1, made[2].id), (NOW, None)):
        found = find_backup(again, at=at)
        assert (None if found is None else found.id) == expected


def test_backup_that_is_kept_and_damaged_forbids_pruning(
    tmp_path: Path, backed_up: Callable[[ChunkStore], Manifest]
) -> None:
    made = [backed_up(open_chunks(tmp_path)) for _ in range(2)]
    (tmp_path / "kept" / "backups" / made[1].id).write_bytes(b"x")
    with pytest.raises(BackupDamaged, match=made[1].id):
        prune(open_chunks(tmp_path), 1)
    assert check_chunks(open_chunks(tmp_path), made[0]) > 0


def test_backup_damaged_names_file_and_part_and_is_mended_by_the_next(
    tmp_path: Path, backed_up: Callable[[ChunkStore], Manifest]
) -> None:
    manifest = backed_up(open_chunks(tmp_path))
    [part] = manifest.files["data/journal/one.log"].chunks
    [path] = (tmp_path / "kept" / "chunks").rglob(part)
    path.write_bytes(b"broken")
    with pytest.raises(BackupDamaged, match=rf"data/journal/one.log is damaged.*{path}.*[Rr]emove that part"):
        check_chunks(open_chunks(tmp_path), manifest)
    path.unlink()
    assert check_chunks(open_chunks(tmp_path), backed_up(open_chunks(tmp_path))) > 0


class FullTarget(FolderTarget):
    """A folder on a disk that is full after some objects."""

    left = 1

    def put(self, name: str, content: bytes) -> None:
        if self.left == 0:
            raise TargetUnusable("the folder cannot be used: No space left on device.")
        self.left -= 1
        super().put(name, content)


def test_backup_on_a_full_disk_leaves_the_earlier_ones(
    tmp_path: Path, data_dir: Path, backed_up: Callable[[ChunkStore], Manifest]
) -> None:
    first = backed_up(open_chunks(tmp_path))
    for name in ("two", "three"):
        (data_dir / name).write_bytes(name.encode())
    with pytest.raises(TargetUnusable, match="No space"):
        backed_up(ChunkStore(FullTarget(tmp_path / "kept"), None, owner="a"))
    assert open_chunks(tmp_path).ids() == [first.id]
    assert [path.name for path in data_dir.iterdir() if path.name.startswith(".backup")] == []
    second = backed_up(open_chunks(tmp_path))
    assert check_chunks(open_chunks(tmp_path), second) > 0


def test_backup_into_a_foreign_target_is_refused(tmp_path: Path, backed_up: Callable[[ChunkStore], Manifest]) -> None:
    backed_up(open_chunks(tmp_path))
    with pytest.raises(ForeignTarget, match="another installation"):
        open_chunks(tmp_path, owner="b")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(b"1")
    with pytest.raises(ForeignTarget, match="other files"):
        ChunkStore(FolderTarget(tmp_path / "photos"), None, create=True, owner="a")


def test_backup_last_one_is_remembered(
    tmp_path: Path, sqlite_database: Database, backed_up: Callable[[ChunkStore], Manifest]
) -> None:
    assert find_last_backup(sqlite_database) is None
    manifest = backed_up(open_chunks(tmp_path))
    note_backup(sqlite_database, manifest, "kept")
    found = find_last_backup(sqlite_database)
    assert found is not None and (found.id, found.made_at) == (manifest.id, NOW + 60_000)


@pytest.fixture
def server(clickhouse_address: str) -> Iterator[Analytics]:
    """A migrated database of a server, with a click in two months each."""
    with empty_analytics() as name, closing(Analytics.open(f"{clickhouse_address}/{name}")) as store:
        for number, time in enumerate((NOW, NOW - 40 * 86_400_000)):
            load_click(store, number, time)
        yield store


def load_click(store: Analytics, number: int, time: int) -> None:
    click = encode(new_click(number, time=time, sub1="a\t'\\ö"))
    load(store, "click", [click_item("j", number, click)], f"c{number}")
    load(store, "click_lookup", [lookup_item(click)], f"l{number}")


@pytest.mark.parametrize("into", ["chdb", "server"])
def test_backup_of_a_clickhouse_server_has_the_rows_of_its_moment(
    tmp_path: Path, data_dir: Path, server: Analytics, sqlite_database: Database, clickhouse_address: str, into: str
) -> None:
    class LoadingStatistics(ServerStatistics):
        """A server that is loaded as soon as its tables are kept."""

        def files(self, scratch: Path) -> Iterator[tuple[str, Path]]:
            load_click(server, 9, NOW)
            return super().files(scratch)

    statistics = LoadingStatistics(Analytics.open(f"{server._address}/{server._database}"))
    before = server.rows("SELECT * FROM click ORDER BY id", {}, tuple)
    with closing(statistics):
        source = BackupSource(data_dir, "1.0", "a", sqlite_database, statistics)
        manifest = make_backup(source, open_chunks(tmp_path), ManualClock(NOW))
    assert server.rows("SELECT count() FROM click", {}, tuple[int]) == [(3,)]
    clones = "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%backup%'"
    assert server.rows(clones, {}, tuple[str]) == []

    def open_empty() -> Analytics:
        if into == "chdb":
            return Analytics.open(address(), database="restored")
        return Analytics.open(f"{clickhouse_address}/restored")

    restore_backup(open_chunks(tmp_path), manifest, tmp_path / "new", f"sqlite:///{tmp_path}/new.db", open_empty)
    with closing(open_empty()) as restored:
        migrate(restored)
        assert restored.rows("SELECT * FROM click ORDER BY id", {}, tuple) == before
        assert len(find_records(restored, [new_click(0, time=NOW).id])) == 1
        restored.run("DROP DATABASE restored")
    with pytest.raises(NotEmpty, match="TRACKYARD_DATA_DIR"):
        restore_backup(open_chunks(tmp_path), manifest, tmp_path / "new", "sqlite:///x.db", open_empty)
