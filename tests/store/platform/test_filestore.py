"""Bytes of stored files, in a directory and in a bucket."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import obstore
import pytest

from tests.support.stores.bucket import NAME
from tests.support.stores.bucket import bucket as bucket
from trackyard.runtime.data_directory import open_files
from trackyard.runtime.settings import load
from trackyard.store.platform.bucket import BucketStore
from trackyard.store.platform.file_storage import DirectoryStore, FileStore, FilesUnavailable

NEVER = 10**15


@pytest.fixture(params=["directory", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    """Yield an empty file store."""
    if request.param == "directory":
        return DirectoryStore(tmp_path / "files")
    made = BucketStore(request.getfixturevalue("bucket"))
    made.remove(list(made.each_before(NEVER)))
    return made


def content(store: FileStore, file_id: str) -> bytes | None:
    """Return the bytes of an id."""
    found = store.find(file_id)
    return None if found is None else found.read_bytes() if isinstance(found, Path) else b"".join(found)


def test_file_store_finds_file_until_removed(store: FileStore) -> None:
    first, second, empty = store.put([b"ab", b"c"]), store.put([b"d"]), store.put([])
    assert (content(store, first), content(store, empty), len(first)) == (b"abc", b"", 32)
    assert set(store.each_before(NEVER)) == {first, second, empty}
    store.remove([first, first, empty])
    assert content(store, first) is None
    assert content(store, second) == b"d"


def test_file_store_returns_large_file_in_pieces(store: FileStore) -> None:
    pieces = [os.urandom(256 * 1024) for _ in range(50)]
    assert content(store, store.put(iter(pieces))) == b"".join(pieces)


@pytest.mark.parametrize(
    "name", ["", "..", "../files", "a" * 31, "A" * 32, "x" * 32, f"{'a' * 32}/..", f"{'a' * 32}.tmp"]
)
def test_file_store_rejects_other_names(store: FileStore, name: str) -> None:
    kept = store.put([b"x"])
    assert store.find(name) is None
    store.remove([name])
    assert list(store.each_before(NEVER)) == [kept]


@pytest.mark.parametrize("first", [b"first", b"f" * 12_000_000], ids=["small", "large"])
def test_file_store_omits_partially_written_file(store: FileStore, first: bytes) -> None:
    def pieces() -> Iterator[bytes]:
        yield first
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        store.put(pieces())
    assert list(store.each_before(NEVER)) == []


def test_file_store_lists_files_by_time(store: FileStore) -> None:
    assert list(store.each_before(NEVER)) == []
    before = (time.time() - 2) * 1000
    kept = store.put([b"x"])
    assert list(store.each_before(int(before))) == []
    assert list(store.each_before(int(before) + 60_000)) == [kept]


def test_file_store_lists_old_files_and_removes_partial_ones(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    old, new = store.put([b"o"]), store.put([b"n"])
    half = tmp_path / f"{'b' * 32}.tmp"
    half.write_bytes(b"h")
    for path in (tmp_path / old, half):
        os.utime(path, (1000, 1000))
    assert list(store.each_before(1_000_001)) == [old]
    assert {path.name for path in tmp_path.iterdir()} == {old, new}


def test_file_store_folder_of_bucket_is_separate(bucket: str) -> None:
    inner, outer = BucketStore(bucket), BucketStore(bucket.replace("/a/folder", ""))
    kept = inner.put([b"x"])
    obstore.put(outer._store, "other.txt", b"not ours")
    assert (outer.find(kept), list(outer.each_before(NEVER))) == (None, [])
    assert content(inner, kept) == b"x"


@pytest.mark.parametrize("changed", ["no such bucket", "no server"])
def test_file_store_of_unreachable_bucket_raises(bucket: str, changed: str) -> None:
    url = bucket.replace("@files", "@none") if changed == "no such bucket" else bucket.rpartition("%3A")[0] + "%3A1"
    store = BucketStore(url)
    for call in (lambda: store.put([b"x"]), lambda: list(store.each_before(NEVER))):
        with pytest.raises(FilesUnavailable, match="bucket"):
            call()


def test_file_store_url_selects_bucket_or_directory(tmp_path: Path, bucket: str) -> None:
    for url, kind in (("", DirectoryStore), (bucket, BucketStore)):
        config = load({"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_FILES_URL": url})
        assert isinstance(open_files(config), kind)


@pytest.mark.parametrize("act", ["put", "each_before"])
def test_missing_bucket_is_named_in_one_sentence(bucket: str, act: str) -> None:
    store = BucketStore(bucket.replace(f"@{NAME}/", "@another/"))
    acts: dict[str, Callable[[], object]] = {
        "put": lambda: store.put([b"x"]),
        "each_before": lambda: list(store.each_before(1)),
    }
    with pytest.raises(FilesUnavailable) as refused:
        acts[act]()
    assert str(refused.value) == "the bucket of files: there is no bucket of this name"


def test_bucket_without_a_server_is_named_in_one_sentence() -> None:
    store = BucketStore("s3://key:secret@files/?endpoint=http%3A%2F%2F127.0.0.1%3A9")
    with pytest.raises(FilesUnavailable) as refused:
        store.put([b"x"])
    assert str(refused.value) == "the bucket of files: no connection to its server"
