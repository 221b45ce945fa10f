"""Parts of backups are checked, encrypted, and stored once (docs/spec/engine.md#backups)."""

from pathlib import Path

import pytest

from tests.support.stores.bucket import bucket
from trackyard.store.backup.chunks import BackupDamaged, ChunkStore, WrongKey
from trackyard.store.backup.folder_target import FolderTarget
from trackyard.store.backup.targets import open_target

__all__ = ["bucket"]


@pytest.mark.parametrize("key", [None, b"a key"])
def test_backup_part_that_was_changed_is_refused(tmp_path: Path, key: bytes | None) -> None:
    chunks = ChunkStore(FolderTarget(tmp_path), key, create=True)
    name = chunks.add(b"personal data")
    assert chunks.add(b"personal data") == name and chunks.written == 1
    assert chunks.read(name) == b"personal data"
    [file] = (tmp_path / "chunks").rglob(name)
    content = file.read_bytes()
    assert (b"personal data" in content) == (key is None)
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(BackupDamaged):
        chunks.read(name)
    file.unlink()
    with pytest.raises(BackupDamaged):
        chunks.read(name)


def test_backup_key_other_than_that_of_the_target_is_refused(tmp_path: Path) -> None:
    ChunkStore(FolderTarget(tmp_path), b"a key", create=True)
    for other in (b"another key", None):
        with pytest.raises(WrongKey):
            ChunkStore(FolderTarget(tmp_path), other)


def test_backup_target_in_a_bucket_keeps_parts_and_lists(bucket: str) -> None:
    chunks = ChunkStore(open_target(bucket), b"a key", create=True)
    name = chunks.add(b"1234")
    chunks.put_list("2026", b"the list")
    again = ChunkStore(open_target(bucket), b"a key")
    assert (again.read(name), again.ids(), again.get_list("2026")) == (b"1234", ["2026"], b"the list")
    again.add(b"1234")
    assert again.written == 0
