"""What a backup consists of."""

import msgspec

from trackyard.store.backup.chunks import BackupDamaged, ChunkStore


class BackupFile(msgspec.Struct, frozen=True):
    """A file of a backup. mtime_ns: by which a later backup sees that it is the same."""

    size: int
    mtime_ns: int
    chunks: tuple[str, ...]


class Manifest(msgspec.Struct, frozen=True):
    """The list of a backup.

    made_at: UTC ms, when loads were held. program: its version.
    sql: "sqlite" or "postgresql"; "" = the backup is of a data directory alone.
    tables: the statement that creates each table of the analytic store, by the table's name.
    files: the files of the backup by path: the data directory under `data/`, SQL under `sql/`, parts of chDB under
    `analytics/table/part/`, rows of a ClickHouse server under `rows/`.
    owner: the id of the data directory.
    """

    id: str
    made_at: int
    program: str
    sql: str
    tables: dict[str, str]
    files: dict[str, BackupFile]
    owner: str = ""

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(file.size for file in self.files.values())


def read_manifest(chunks: ChunkStore, backup_id: str) -> Manifest:
    """Return the list of a backup. Raises BackupDamaged."""
    try:
        return msgspec.json.decode(chunks.get_list(backup_id), type=Manifest)
    except msgspec.DecodeError:
        raise BackupDamaged(f"the list of the backup {backup_id} cannot be read: use another backup.") from None


def newest_backup(chunks: ChunkStore) -> Manifest | None:
    """Return the last complete backup of a target; `made_at` is its time. Raises BackupDamaged."""
    ids = chunks.ids()
    return read_manifest(chunks, ids[-1]) if ids else None


def find_backup(chunks: ChunkStore, backup_id: str = "", at: int | None = None) -> Manifest | None:
    """Return a backup by its id, or the newest one; None without one.

    at: the newest one at that time (UTC ms). Raises BackupDamaged.
    """
    if backup_id:
        return read_manifest(chunks, backup_id)
    if at is None:
        return newest_backup(chunks)
    for each in reversed(chunks.ids()):
        manifest = read_manifest(chunks, each)
        if manifest.made_at <= at:
            return manifest
    return None


def prune(chunks: ChunkStore, keep: int) -> int:
    """Remove old backups, and the chunks that the others do not need; return how many backups.

    keep: how many of the newest backups stay.
    Nothing is removed while a kept backup cannot be read, because its chunks are unknown. Raises BackupDamaged. After
    an interruption, unneeded chunks stay until the next call.
    """
    ids = chunks.ids()
    needed = {
        name for each in ids[-keep:] for file in read_manifest(chunks, each).files.values() for name in file.chunks
    }
    for each in ids[:-keep]:
        chunks.remove_list(each)
    chunks.remove_others(needed)
    return len(ids[:-keep])
