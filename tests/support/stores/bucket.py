"""A bucket of an S3 server on this machine."""

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from moto.server import ThreadedMotoServer

NAME = "files"


@contextmanager
def start_bucket() -> Iterator[str]:
    """Yield its address in the form of TRACKYARD_FILES_URL."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{NAME}", method="PUT")) as answer:
            assert answer.status == 200
        yield f"s3://a%2Fkey:its%2Bsecret@{NAME}/a/folder?endpoint={quote(endpoint, safe='')}"
    finally:
        server.stop()


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    with start_bucket() as url:
        yield url
