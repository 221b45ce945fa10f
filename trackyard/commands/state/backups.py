"""`trackyard backup` and `trackyard restore` (docs/operating.md#backups)."""

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy.exc import SQLAlchemyError

from trackyard.actions.backup.last import note_backup
from trackyard.actions.backup.make import SCRATCH, BackupSource, StatisticsSource, make_backup
from trackyard.actions.backup.manifest import Manifest, find_backup, prune, read_manifest
from trackyard.actions.backup.restore import check_chunks, restore_backup
from trackyard.actions.backup.statistics import ChdbStatistics, ServerStatistics
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.maintenance import backup as tables
from trackyard.base.clock import SystemClock
from trackyard.base.logs.outages import first_line
from trackyard.base.metrics.machine import LAST_BACKUP_FILE
from trackyard.base.metrics.version import program_version
from trackyard.commands.failures import CommandFailed
from trackyard.jobs.loading.table_freezes import ask_freeze
from trackyard.journal.durable import write_durably
from trackyard.runtime.app import deps_of, directory_id_of, freeze_socket, open_analytics
from trackyard.runtime.settings import Config
from trackyard.store.backup.chunks import BackupDamaged, ChunkStore, ForeignTarget, WrongKey
from trackyard.store.backup.failures import NotEmpty, ToolFailed
from trackyard.store.backup.sql_snapshot import scratch_sql
from trackyard.store.backup.target import TargetUnusable
from trackyard.store.backup.targets import open_target
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import SchemaUnknown, upgrade

if TYPE_CHECKING:
    from trackyard.domain.platform.reconciliation import ReconciliationResult

_FREEZE_S: Final = 20.0
_MAY_NOT_CREATE: Final = "the user of TRACKYARD_DATABASE_URL may not create a database (ALTER ROLE … CREATEDB)"


@dataclass(frozen=True, slots=True)
class BackupWish:
    """How a backup is made.

    verify: also restore it into a scratch directory and audit that. data_only: the data directory without SQL and
    statistics. keep: how many backups stay in the target, 0 = all.
    """

    verify: bool = False
    data_only: bool = False
    keep: int = 0


@dataclass(frozen=True, slots=True)
class BackupDone:
    """A backup that was made or checked.

    written, written_bytes: parts that were not in the target yet. checked: parts that were read again, None = not
    verified. differences: of the audit of the restored copy, None = none was made. not_restored: why none was.
    not_noted: why the SQL database does not know of it. removed: older backups.
    """

    manifest: Manifest
    written: int
    written_bytes: int
    checked: int | None = None
    differences: int | None = None
    not_restored: str = ""
    not_noted: str = ""
    removed: int = 0

    def answer(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "backup": self.manifest.id,
            "files": len(self.manifest.files),
            "bytes": self.manifest.size,
            "written": self.written,
            "written_bytes": self.written_bytes,
            "checked": self.checked,
            "differences": self.differences,
            "not_restored": self.not_restored,
            "removed": self.removed,
        }

    def lines(self) -> Iterator[str]:
        """Yield the report."""
        files, size = len(self.manifest.files), self.manifest.size
        yield f"Backup {self.manifest.id}: {files:,} files, {size:,} bytes"
        yield f"{self.written:,} new parts, {self.written_bytes:,} bytes written"
        if self.checked is not None:
            yield f"{self.checked:,} parts read again, all as they were written"
        if self.differences is not None:
            found = "everything adds up" if self.differences == 0 else f"{self.differences:,} differences"
            yield f"restored into a scratch copy and audited: {found}"
        if self.not_restored:
            yield f"not restored and audited: {self.not_restored}"
        if self.not_noted:
            yield f"the SQL database is away, so `trackyard doctor` does not know of this backup: {self.not_noted}"
        if self.removed:
            yield f"{self.removed:,} older backups removed"


def back_up(config: Config, target: str, key_file: Path | None, wish: BackupWish) -> BackupDone:
    """Make a backup. Raises CommandFailed."""
    with _plain_failures(), _one_at_a_time(config):
        owner = directory_id_of(config)
        chunks = _open_chunks(target, key_file, create=True, owner=owner)
        with _statistics(config, wish) as statistics, Database(config.database_url, pool_size=2) as database:
            source = BackupSource(
                config.data_dir, program_version(), owner, None if wish.data_only else database, statistics
            )
            manifest = make_backup(source, chunks, SystemClock())
            not_noted = _note(database, manifest, target)
        written = {"id": manifest.id, "made_at": manifest.made_at}
        write_durably(config.data_dir / LAST_BACKUP_FILE, json.dumps(written).encode())
        done = BackupDone(manifest, chunks.written, chunks.written_bytes, not_noted=not_noted)
        if wish.verify:
            done = _verified(config, chunks, done)
        return replace(done, removed=prune(chunks, wish.keep)) if wish.keep and not done.differences else done


def _note(database: Database, manifest: Manifest, target: str) -> str:
    """Note a backup for doctor; return why that failed, "" = it worked.

    A data directory alone is backed up also while SQL is away.
    """
    try:
        note_backup(database, manifest, _shown(target))
    except SQLAlchemyError as fault:
        if manifest.sql:
            raise
        return first_line(fault)
    return ""


def list_backups(target: str, key_file: Path | None) -> list[dict[str, Any]]:
    """Return the backups of a target, the newest last. Raises CommandFailed."""
    with _plain_failures():
        chunks = _open_chunks(target, key_file)
        found = [read_manifest(chunks, each) for each in chunks.ids()]
        return [
            {"backup": each.id, "program": each.program, "files": len(each.files), "bytes": each.size} for each in found
        ]


def restore(config: Config, target: str, key_file: Path | None, backup_id: str, at: int | None) -> Manifest:
    """Restore a backup into empty places of the settings. Raises CommandFailed.

    backup_id: "" = the newest one. at: the newest one at that time (UTC ms).
    """
    with _plain_failures():
        chunks = _open_chunks(target, key_file)
        manifest = find_backup(chunks, backup_id, at)
        if manifest is None:
            raise CommandFailed(f"there is no backup {'of that time ' if at else ''}in {_shown(target)}.")
        has_parts = any(name.startswith("analytics/") for name in manifest.files)
        if has_parts and config.chdb_directory is None:
            raise CommandFailed("the statistics of the backup are of chDB: set TRACKYARD_ANALYTICS_URL likewise.")
        if manifest.sql and (manifest.sql == "sqlite") != config.database_url.startswith("sqlite:"):
            raise CommandFailed(f"the backup is of {manifest.sql}: set TRACKYARD_DATABASE_URL likewise.")
        restore_backup(chunks, manifest, config.data_dir, config.database_url, lambda: _open_empty(config))
        return manifest


def _verified(config: Config, chunks: ChunkStore, done: BackupDone) -> BackupDone:
    """Read every part; restore SQL and the analytic store into a scratch copy and audit it."""
    manifest, checked = done.manifest, check_chunks(chunks, done.manifest)
    if not manifest.sql or not manifest.tables:
        return replace(done, checked=checked)
    folder = Path(tempfile.mkdtemp(prefix=f"{SCRATCH}verify-", dir=config.data_dir))
    try:
        with scratch_sql(config.database_url, manifest.owner, folder / "data" / "trackyard.db") as database_url:
            if database_url is None:
                return replace(done, checked=checked, not_restored=_MAY_NOT_CREATE)
            copy = replace(
                config,
                data_dir=folder / "data",
                database_url=database_url,
                analytics_url=f"chdb:///{folder}/data/analytics",
                analytics_cluster="",
            )
            restore_backup(chunks, manifest, copy.data_dir, copy.database_url, lambda: _open_empty(copy))
            return replace(done, checked=checked, differences=audited(copy).count)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def audited(config: Config) -> "ReconciliationResult":
    """Audit an installation without a server, and return the result. Its schemas are upgraded first."""
    analytics = open_analytics(config)
    try:
        with Database(config.database_url) as database:
            upgrade(database)
            deps = deps_of(config, database, analytics, None)
            return reconcile(replace(deps, journals=config.data_dir / "journal"))
    finally:
        analytics.close()


@contextmanager
def _statistics(config: Config, wish: BackupWish) -> Iterator[StatisticsSource | None]:
    """Yield the analytic store, and remove what freezing it leaves."""
    if wish.data_only:
        yield None
        return
    if config.analytics_cluster:
        raise CommandFailed(
            "the statistics are on a ClickHouse cluster, which this command does not back up: use BACKUP … ON CLUSTER "
            "of ClickHouse, and --data-only here."
        )
    directory = config.chdb_directory
    if directory is None:
        server = ServerStatistics(Analytics.open(config.analytics_url))
        with closing(server):
            yield server
    elif freeze_socket(config).exists():
        with closing(ChdbStatistics(directory, lambda name: _frozen_by_core(config, name))) as running:
            yield running
    else:
        with (
            closing(Analytics.open(config.analytics_url)) as analytics,  # as it is: an upgrade backs up before it
            closing(ChdbStatistics(directory, lambda name: tables.freeze(analytics, name))) as stopped,
        ):
            yield stopped


def _frozen_by_core(config: Config, name: str) -> Mapping[str, tables.FrozenTable]:
    try:
        found = ask_freeze(freeze_socket(config), name, _FREEZE_S)
    except OSError as fault:
        raise CommandFailed(f"the server does not freeze its statistics: {fault.strerror or fault}.") from None
    if found is None:
        raise CommandFailed("the server could not freeze its statistics: `trackyard logs` says why.")
    return found


def _open_empty(config: Config) -> Analytics:
    """Return the analytic store without tables. Raises NotEmpty."""
    analytics = Analytics.open(config.analytics_url, cluster=config.analytics_cluster)
    if tables.has_tables(analytics):
        analytics.close()
        raise NotEmpty("the analytic store has tables already: name an empty database.")
    return analytics


def _open_chunks(target: str, key_file: Path | None, *, create: bool = False, owner: str = "") -> ChunkStore:
    key = None
    if key_file is not None:
        try:
            key = key_file.read_bytes().strip()
        except OSError as fault:
            raise CommandFailed(f"the file of the key {key_file} cannot be read: {fault.strerror}.") from None
        if not key:
            raise CommandFailed(f"the file of the key {key_file} is empty.")
    return ChunkStore(open_target(target), key, create=create, owner=owner)


@contextmanager
def _one_at_a_time(config: Config) -> Iterator[None]:
    """Keep a second backup of the same data directory out."""
    if not config.data_dir.is_dir():
        raise CommandFailed(f"there is no installation in {config.data_dir}.")
    handle = os.open(config.data_dir / "backup.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise CommandFailed("another backup of this data directory is under way.") from None
    finally:
        os.close(handle)


@contextmanager
def _plain_failures() -> Iterator[None]:
    try:
        yield
    except (TargetUnusable, BackupDamaged, ForeignTarget, WrongKey, NotEmpty, ToolFailed, SchemaUnknown) as fault:
        raise CommandFailed(f"{str(fault).removesuffix('.')}.") from None
    except SQLAlchemyError as fault:
        raise CommandFailed(f"the SQL database failed: {first_line(fault)}.") from None
    except StoreError as fault:
        raise CommandFailed(f"the analytic store failed: {first_line(fault)}.") from None


def _shown(target: str) -> str:
    """Return a target without its secrets."""
    return target.rpartition("@")[2].partition("?")[0] if target.startswith("s3://") else target
