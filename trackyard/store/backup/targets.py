"""Where backups are kept: a folder, or an S3 bucket."""

from pathlib import Path

from trackyard.store.backup.folder_target import FolderTarget
from trackyard.store.backup.target import BackupTarget


def open_target(address: str) -> BackupTarget:
    """Return the place of an address: `s3://key:secret@bucket/folder?endpoint=…&region=…`, else a folder.

    Raises TargetUnusable.
    """
    if not address.startswith("s3://"):
        return FolderTarget(Path(address))
    from trackyard.store.backup.bucket_target import BucketTarget  # imports a client that folders do not need

    return BucketTarget(address)
