"""Stored files in an S3 bucket: one object each, under its id (docs/spec/platform.md#files)."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from trackyard.store.platform.file_storage import CHUNK, FilesUnavailable, is_file_id, new_file_id

if TYPE_CHECKING:
    from obstore import GetResult
    from obstore.store import ClientConfig, S3Config

_CODE: Final = re.compile(r"<Code>([A-Za-z0-9]{1,100})</Code>")
_MESSAGE: Final = re.compile(r"<Message>([^<]{1,300})</Message>")


def open_bucket(url: str, timeout_s: int = 60, retry_s: int = 15) -> S3Store:
    """Return a bucket, or a folder of one.

    timeout_s: the timeout of a request; retry_s: how long a failed request is repeated.

    url: s3://key:secret@bucket/folder?region=…&endpoint=…, percent-encoded (setting_types.files_url). Without a key the
    environment's (AWS_*) or the machine's role is used; without an endpoint Amazon's; without a region us-east-1.
    """
    parts = urlsplit(url)
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    config: S3Config = {"region": options.get("region", "us-east-1")}
    if parts.username and parts.password:
        config["access_key_id"] = unquote(parts.username)
        config["secret_access_key"] = unquote(parts.password)
    client: ClientConfig = {"timeout": f"{timeout_s}s", "connect_timeout": "5s"}
    if "endpoint" in options:
        config["endpoint"] = options["endpoint"]
        client["allow_http"] = options["endpoint"].startswith("http:")
    return S3Store(
        parts.netloc.rpartition("@")[2],
        prefix=unquote(parts.path).strip("/") or None,
        config=config,
        client_options=client,
        retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=retry_s)},
    )


class BucketStore:
    """A FileStore in a bucket, or in a folder of one. url: as `open_bucket`."""

    def __init__(self, url: str) -> None:
        self._store = open_bucket(url)

    def put(self, pieces: Iterable[bytes]) -> str:
        """Implement `FileStore.__init__`."""
        file_id = new_file_id()
        with translated_errors():
            obstore.put(self._store, file_id, pieces)
        return file_id

    def find(self, file_id: str) -> Iterator[bytes] | None:
        """Implement `FileStore.find`."""
        if not is_file_id(file_id):
            return None
        with translated_errors():
            try:
                found = obstore.get(self._store, file_id)
            except FileNotFoundError:
                return None
        return _pieces(found)

    def remove(self, file_ids: Iterable[str]) -> None:
        """Implement `FileStore.remove`."""
        with translated_errors():
            for file_id in filter(is_file_id, file_ids):
                with suppress(FileNotFoundError):
                    obstore.delete(self._store, file_id)

    def each_before(self, moment_ms: int) -> Iterator[str]:
        """Implement `FileStore.each_before`."""
        with translated_errors():
            for page in obstore.list(self._store):
                for each in page:
                    if is_file_id(each["path"]) and each["last_modified"].timestamp() * 1000 < moment_ms:
                        yield each["path"]


def _pieces(found: "GetResult") -> Iterator[bytes]:
    with translated_errors():
        for piece in found.stream(min_chunk_size=CHUNK):
            yield bytes(piece)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise FilesUnavailable for what a bucket refuses, or while it does not answer."""
    try:
        yield
    except (BaseError, FileNotFoundError) as fault:  # FileNotFoundError: the bucket does not exist
        raise FilesUnavailable(f"the bucket of files: {fault_text(fault)}") from fault


def fault_text(fault: Exception) -> str:
    """Return a bucket's error in one sentence without its final stop.

    The library's text has the error's structure, too, some 35 lines.
    """
    text = str(fault)
    code, message = _CODE.search(text), _MESSAGE.search(text)
    if code is not None and code[1] == "NoSuchBucket":
        return "there is no bucket of this name"
    if code is not None:
        return f"{message[1].rstrip('.') if message is not None else 'it refuses'} ({code[1]})"
    first = text.partition("\n")[0]
    return "no connection to its server" if "error sending request" in first else first.rstrip(".")
