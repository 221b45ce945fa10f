"""What a backup consists of."""

import msgspec


class BackupFile(msgspec.Struct, frozen=True):
    """A file of a backup. mtime_ns: by which a later backup sees that it is the same."""

    size: int
    mtime_ns: int
    chunks: tuple[str, ...]


class Manifest(msgspec.Struct, frozen=True):
    """The list of a backup.

    made_at: UTC ms, when loads were held. program: its version.
    sql: "sqlite" or "postgresql".
    tables: of chDB, name to the statement that creates it.
    files: of the data directory under `data/`, of SQL under `sql/`, parts of chDB under `analytics/table/part/`.
    """

    id: str
    made_at: int
    program: str
    sql: str
    tables: dict[str, str]
    files: dict[str, BackupFile]

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(file.size for file in self.files.values())
