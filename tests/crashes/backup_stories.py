"""What is done while crash points of backups are reached; after a death a person begins them again."""

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import msgspec

from tests.crashes.stories import OWNER, CrashStory
from tests.support.stores.analytics import address
from trackyard.actions.backup.last import note_backup
from trackyard.actions.backup.make import BackupSource, make_backup
from trackyard.actions.backup.manifest import Manifest, prune, read_manifest
from trackyard.actions.backup.restore import check_chunks, restore_backup
from trackyard.actions.backup.statistics import ChdbStatistics, ServerStatistics
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance.backup import freeze, has_tables
from trackyard.analytics.maintenance.backup_rows import drop_clones
from trackyard.store.backup.chunks import ChunkStore
from trackyard.store.backup.folder_target import FolderTarget

_places = count(1)


class BackupStory(CrashStory):
    """A second try after a death leaves a whole backup; older ones go with their parts alone."""

    def prepare(self) -> None:
        self.visit()
        self.settle()
        self.made: list[Manifest] = []
        self.target = self.plant.home.with_name(f"{self.plant.home.name}-backups")
        self.left = (self.target / "chunks" / "half.partial", self.plant.home / ".backup-killed" / "half.db")
        for path in self.left:  # by backups that were killed
            path.parent.mkdir(parents=True)
            path.write_bytes(b"half")
            os.utime(path, (0, 0))

    def steps(self) -> Sequence[Callable[[], None]]:
        return (self.back_up, self.back_up, self.prune)

    def open_target(self) -> ChunkStore:
        return ChunkStore(FolderTarget(self.target), None, create=True, owner=OWNER)

    def back_up(self) -> None:
        plant = self.plant
        plant.clock.advance(1_000)
        with self.statistics() as statistics:
            source = BackupSource(plant.home, "0", OWNER, plant.database, statistics)
            made = make_backup(source, self.open_target(), plant.clock)
        note_backup(plant.database, made, "backups")
        self.made.append(made)

    def statistics(self) -> "closing[ChdbStatistics] | closing[ClonedStatistics]":
        """The tables of the test's engine."""
        chdb = Path(address().removeprefix("chdb://"))
        return closing(ChdbStatistics(chdb, lambda name: freeze(self.plant.analytics, name)))

    def prune(self) -> None:
        prune(self.open_target(), 1)

    def check(self) -> None:
        target = self.open_target()
        assert target.ids() == [self.made[-1].id]
        kept = read_manifest(target, self.made[-1].id)
        assert check_chunks(target, kept) > 0
        assert {name.partition("/")[0] for name in kept.files} >= {"sql", "data"}
        assert not any(path.exists() for path in self.left)


class RestoreStory(BackupStory):
    """A restoration that fails leaves its place empty. A killed one is begun again in an empty place."""

    def prepare(self) -> None:
        super().prepare()
        self.place = self.plant.home.with_name(f"{self.plant.home.name}-restored")
        self.name = f"restored{next(_places)}"

    def steps(self) -> Sequence[Callable[[], None]]:
        return (self.back_up, self.restore)

    def open_restored(self) -> Analytics:
        return Analytics.open(address(), database=self.name)

    def restart(self) -> None:
        super().restart()
        shutil.rmtree(self.place, ignore_errors=True)
        self.plant.analytics.run(f"DROP DATABASE IF EXISTS {self.name} SYNC")

    def restore(self) -> None:
        own = f" {self.plant.analytics._database}."
        tables = {name: statement.replace(own, " ", 1) for name, statement in self.made[-1].tables.items()}
        manifest = msgspec.structs.replace(self.made[-1], tables=tables)
        database = f"sqlite:///{self.place}/trackyard.db"
        try:
            restore_backup(self.open_target(), manifest, self.place, database, self.open_restored)
        except Exception:
            with closing(self.open_restored()) as restored:
                assert not has_tables(restored) and not self.place.exists()
            raise

    def check(self) -> None:
        count = "SELECT count() FROM click"
        with closing(self.open_restored()) as restored:
            assert restored.rows(count, {}, tuple[int]) == self.plant.analytics.rows(count, {}, tuple[int]) == [(1,)]
            restored.run(f"DROP DATABASE {self.name} SYNC")
        assert (self.place / "trackyard.db").exists() and list((self.place / "journal").glob("*.log"))


class ClonedStatistics(ServerStatistics):
    """The statistics of a server, in the engine of the test: `close` drops the clones alone."""

    def close(self) -> None:
        drop_clones(self._analytics)


class ServerStory(RestoreStory):
    """The same with the rows of a ClickHouse server."""

    def statistics(self) -> "closing[ChdbStatistics] | closing[ClonedStatistics]":
        return closing(ClonedStatistics(self.plant.analytics))

    def check(self) -> None:
        super().check()
        sql = "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name LIKE '%_backup%'"
        assert self.plant.analytics.rows(sql, {}, tuple[int]) == [(0,)]


STORIES = (BackupStory, RestoreStory, ServerStory)
