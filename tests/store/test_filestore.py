"""Bytes of stored files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from trackyard.store.filestore import FileStore


def test_what_is_put_is_found_until_it_is_removed(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    first, second = store.put([b"ab", b"c"]), store.put([b"d"])
    path = store.find_path(first)
    assert path is not None and path.read_bytes() == b"abc" and len(first) == 32
    store.remove([first, first])
    assert store.find_path(first) is None
    assert store.find_path(second) is not None


@pytest.mark.parametrize(
    "name", ["", "..", "../files", "a" * 31, "A" * 32, "x" * 32, f"{'a' * 32}/..", f"{'a' * 32}.tmp"]
)
def test_other_names_lead_nowhere(tmp_path: Path, name: str) -> None:
    store = FileStore(tmp_path / "files")
    store.put([b"x"])
    assert store.find_path(name) is None
    store.remove([name])
    assert len(list((tmp_path / "files").iterdir())) == 1


def test_a_file_that_cannot_be_written_whole_is_not_there(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"first"
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        FileStore(tmp_path).put(pieces())
    assert list(tmp_path.iterdir()) == []


def test_old_files_are_listed_and_halves_are_removed(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    assert list(FileStore(tmp_path / "none yet").each_before(10**15)) == []
    old, new = store.put([b"o"]), store.put([b"n"])
    half = tmp_path / f"{'b' * 32}.tmp"
    half.write_bytes(b"h")
    for path in (tmp_path / old, half):
        os.utime(path, (1000, 1000))
    assert list(store.each_before(1_000_001)) == [old]
    assert {path.name for path in tmp_path.iterdir()} == {old, new}
