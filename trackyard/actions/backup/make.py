"""Make a backup of an installation that runs.

Loads of the analytic store are held while the SQL snapshot begins and the tables are frozen, so both are as after a
kill: a load is in both, or in the tables alone, and the first load after the restoration finds it there. The journal is
copied after them and has at least what they have; the rest of it is loaded once (docs/decisions/0052).
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

import msgspec

from trackyard.actions.backup.manifest import BackupFile, Manifest, read_manifest
from trackyard.analytics.maintenance.backup import FrozenTable
from trackyard.base.clock import Clock
from trackyard.store.backup.chunks import CHUNK_BYTES, BackupDamaged, ChunkStore
from trackyard.store.backup.sql_snapshot import sql_snapshot
from trackyard.store.engine.database import Database

_SKIPPED: Final = frozenset({"analytics", "log", "rules", "run", "state", "temporary"})
"""Folders of the data directory that are copied otherwise, or made from the journal and from SQL at a start."""
_SKIPPED_SUFFIXES: Final = (".lock", ".partial", ".host", ".xml")
SCRATCH: Final = ".backup-"
"""The begin of the names of folders in the data directory that backups write and remove."""
_ATTEMPTS: Final = 5
_SETTLED_MS: Final = 2_000


@dataclass(frozen=True, slots=True)
class BackupSource:
    """What is backed up.

    database: None = the data directory alone. statistics: None = the same. owner: the id of the data directory.
    """

    data_dir: Path
    program: str
    owner: str
    database: Database | None
    statistics: "StatisticsSource | None"


class StatisticsSource(Protocol):
    """The analytic store as a backup sees it."""

    def freeze(self, name: str) -> Mapping[str, FrozenTable]:
        """Keep the tables as they are now, under a name; return them."""

    def files(self, scratch: Path) -> Iterator[tuple[str, Path]]:
        """Yield the files of the frozen tables, with their names in the backup.

        scratch: the folder for files that are written meanwhile.
        """


def make_backup(source: BackupSource, chunks: ChunkStore, clock: Clock) -> Manifest:
    """Make a backup and return its manifest. No other backup of the data directory may be under way.

    Raises TargetUnusable, BackupDamaged, ToolFailed, SQLAlchemyError, StoreError, OSError. Then no backup exists.
    """
    _remove_unfinished(source.data_dir)
    chunks.remove_unfinished()
    earlier = _newest(chunks)
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=source.data_dir))
    try:
        made_at, sql, tables = clock.now_ms(), "", dict[str, str]()
        files: dict[str, BackupFile] = {}
        if source.database is not None:
            sql = "sqlite" if source.database.is_sqlite else "postgresql"
            with sql_snapshot(source.database) as snapshot:
                made_at = clock.now_ms()
                frozen = source.statistics.freeze(_frozen_name(made_at)) if source.statistics is not None else {}
                snapshot.release()
                snapshot.copy_to(scratch)
            tables = {name: table.statement for name, table in frozen.items()}
            files |= _copy(chunks, earlier, _each_sql(scratch))
        if source.statistics is not None:
            files |= _copy(chunks, earlier, source.statistics.files(scratch))
        files |= _copy_data(source, chunks, earlier)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    backup_id = f"{datetime.fromtimestamp(made_at / 1000, UTC):%Y-%m-%dT%H-%M-%S}-{made_at % 1000:03}Z"
    manifest = Manifest(backup_id, made_at, source.program, sql, tables, files, source.owner)
    chunks.put_list(backup_id, msgspec.json.encode(manifest))
    return manifest


def _remove_unfinished(data_dir: Path) -> None:
    """Remove the copies in a data directory that killed backups left. None of it may be under way."""
    for left in data_dir.glob(f"{SCRATCH}*"):
        shutil.rmtree(left, ignore_errors=True)


def _frozen_name(made_at: int) -> str:
    """Return a name of letters and digits: ClickHouse escapes other characters in file names."""
    return f"backup{made_at}"


def _newest(chunks: ChunkStore) -> Mapping[str, BackupFile]:
    """Return the settled files of the newest backup; none of a damaged one.

    A file that was changed shortly before that backup may have changed again within the same tick of its time.
    """
    ids = chunks.ids()
    if ids:
        with suppress(BackupDamaged, msgspec.DecodeError):
            newest = read_manifest(chunks, ids[-1])
            settled_ns = (newest.made_at - _SETTLED_MS) * 1_000_000
            return {name: file for name, file in newest.files.items() if file.mtime_ns < settled_ns}
    return {}


def _copy_data(source: BackupSource, chunks: ChunkStore, earlier: Mapping[str, BackupFile]) -> dict[str, BackupFile]:
    """Copy the data directory. Journals that were compressed meanwhile are found under their new name."""
    for _ in range(_ATTEMPTS):
        with suppress(FileNotFoundError):
            return dict(_copy(chunks, earlier, _each_data(source)))
    raise BackupDamaged("files of the data directory vanish while they are copied.")


def _copy(
    chunks: ChunkStore, earlier: Mapping[str, BackupFile], files: Iterable[tuple[str, Path]]
) -> Iterator[tuple[str, BackupFile]]:
    for name, path in files:
        with path.open("rb") as file:
            seen = path.stat()
            known = earlier.get(name)
            same = known is not None and (known.size, known.mtime_ns) == (seen.st_size, seen.st_mtime_ns)
            if known is not None and same and all(map(chunks.has, known.chunks)):
                yield name, known
                continue
            names, rest = [], seen.st_size  # what a journal gets meanwhile belongs to the next backup
            while rest > 0 and (piece := file.read(min(rest, CHUNK_BYTES))):
                names.append(chunks.add(piece))
                rest -= len(piece)
            yield name, BackupFile(seen.st_size - rest, seen.st_mtime_ns, tuple(names))


def _each_sql(scratch: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted((scratch / "sql").rglob("*")):
        if path.is_file():
            yield str(path.relative_to(scratch)), path


def _each_data(source: BackupSource) -> list[tuple[str, Path]]:
    """Return the files of the data directory, marks of finished journals first.

    A journal with a mark does not grow any more. One that gets its mark later is copied as one that is written.
    """
    found = []
    for path in sorted(source.data_dir.rglob("*")):
        inner = path.relative_to(source.data_dir)
        is_database = path.name.startswith("trackyard.db")
        if inner.parts[0] in _SKIPPED or inner.parts[0].startswith(SCRATCH) or is_database:
            continue
        if path.is_file() and not path.name.endswith(_SKIPPED_SUFFIXES):
            found.append((f"data/{inner}", path))
    return sorted(found, key=lambda each: not each[0].endswith(".sealed"))
