"""Restore a backup into an empty place."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from trackyard.actions.backup.make import SCRATCH
from trackyard.actions.backup.manifest import BackupFile, Manifest
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance.backup import attach, drop_tables
from trackyard.analytics.maintenance.backup_rows import insert_rows
from trackyard.store.backup.chunks import BackupDamaged, ChunkStore
from trackyard.store.backup.failures import NotEmpty
from trackyard.store.backup.sql_snapshot import restore_sql

_SCRATCH: Final = f"{SCRATCH}restoring"


def check_chunks(chunks: ChunkStore, manifest: Manifest) -> int:
    """Read every part of a backup; return their number. Raises BackupDamaged with the name of the file."""
    checked: set[str] = set()
    for name, file in manifest.files.items():
        for part in file.chunks:
            if part not in checked:
                _read(chunks, part, name)
                checked.add(part)
    return len(checked)


def _read(chunks: ChunkStore, part: str, file: str) -> bytes:
    try:
        return chunks.read(part)
    except BackupDamaged as fault:
        raise BackupDamaged(
            f"{file} is damaged: {fault}. Remove that part and make a new backup, which writes it again from what the "
            "installation has; to restore, use another backup."
        ) from None


def restore_backup(
    chunks: ChunkStore,
    manifest: Manifest,
    data_dir: Path,
    database_url: str,
    open_analytics: Callable[[], Analytics],
) -> None:
    """Write a backup into an empty data directory, SQL database and analytic store.

    open_analytics: opens the empty store. The SQL database is last: without it no server starts.
    Raises NotEmpty, BackupDamaged, TargetUnusable, ToolFailed, SchemaUnknown, StoreError, OSError.
    """
    if data_dir.exists() and any(data_dir.iterdir()):
        raise NotEmpty(
            f"the data directory {data_dir} is not empty: name an empty one in TRACKYARD_DATA_DIR, or stop the server "
            "and move that directory away."
        )
    scratch = data_dir / _SCRATCH
    scratch.mkdir(mode=0o700, parents=True)
    try:
        for name, file in manifest.files.items():
            base, _, inner = name.partition("/")
            _write(chunks, name, file, (data_dir if base == "data" else scratch / base) / inner)
        with _statistics(manifest, scratch, open_analytics):
            if manifest.sql:
                restore_sql(database_url, scratch)
    except BaseException:
        shutil.rmtree(data_dir, ignore_errors=True)
        raise
    with suppress(OSError):  # all is restored; the next backup removes what is left here
        shutil.rmtree(scratch)


@contextmanager
def _statistics(manifest: Manifest, scratch: Path, open_analytics: Callable[[], Analytics]) -> Iterator[None]:
    """Fill the empty analytic store, and remove its tables when the block fails."""
    if not manifest.tables:
        yield
        return
    has_rows = any(name.startswith("rows/") for name in manifest.files)
    fill = insert_rows if has_rows else attach
    with closing(open_analytics()) as analytics:
        try:
            fill(analytics, manifest.tables, scratch / ("rows" if has_rows else "analytics"))
            yield
        except BaseException:
            drop_tables(analytics)
            raise


def _write(chunks: ChunkStore, name: str, file: BackupFile, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        for part in file.chunks:
            out.write(_read(chunks, part, name))
        if out.tell() != file.size:
            raise BackupDamaged(f"{name} of the backup has another size than it had: use another backup.")
