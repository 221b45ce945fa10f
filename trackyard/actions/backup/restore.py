"""Restore a backup into an empty place."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from trackyard.actions.backup.manifest import BackupFile, Manifest
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance.backup import attach
from trackyard.store.backup.chunks import BackupDamaged, ChunkStore
from trackyard.store.backup.sql_snapshot import NotEmpty, restore_sql

_SCRATCH = "restoring"


def check_chunks(chunks: ChunkStore, manifest: Manifest) -> int:
    """Read every part of a backup; return their number. Raises BackupDamaged."""
    names = {name for file in manifest.files.values() for name in file.chunks}
    for name in names:
        chunks.read(name)
    return len(names)


def restore_backup(
    chunks: ChunkStore,
    manifest: Manifest,
    data_dir: Path,
    database_url: str,
    open_analytics: Callable[[], Analytics],
) -> None:
    """Write a backup into an empty data directory, SQL database and chDB.

    open_analytics: opens the empty chDB in it. What a ClickHouse server keeps is restored by the caller.
    Raises NotEmpty, BackupDamaged, TargetUnusable, StoreError, OSError.
    """
    if data_dir.exists() and any(data_dir.iterdir()):
        raise NotEmpty(f"the data directory {data_dir} is not empty.")
    scratch = data_dir / _SCRATCH
    scratch.mkdir(mode=0o700, parents=True)
    try:
        for name, file in manifest.files.items():
            base, _, inner = name.partition("/")
            _write(chunks, file, (data_dir if base == "data" else scratch / base) / inner)
        restore_sql(database_url, scratch)
        if manifest.tables:
            analytics = open_analytics()
            try:
                attach(analytics, manifest.tables, scratch / "analytics")
            finally:
                analytics.close()
    except BaseException:
        shutil.rmtree(data_dir, ignore_errors=True)
        raise
    shutil.rmtree(scratch)


def _write(chunks: ChunkStore, file: BackupFile, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        for name in file.chunks:
            out.write(chunks.read(name))
        if out.tell() != file.size:
            raise BackupDamaged(f"the file {path.name} of the backup has another size than it had.")
