"""A bucket of an S3 server on this machine.

All servers of a process share one memory of files. So a process has one server, and a bucket begins by emptying it.
"""

import urllib.request
from functools import cache
from urllib.parse import quote

import pytest
from moto.server import ThreadedMotoServer

NAME = "files"


@cache
def start_server() -> str:
    """Return the address of the server, which ends with the process."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    return f"http://{host}:{port}"


@pytest.fixture
def bucket() -> str:
    """Return the address of an empty bucket in the form of TRACKYARD_FILES_URL."""
    endpoint = start_server()
    for method, path in (("POST", "moto-api/reset"), ("PUT", NAME)):
        with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{path}", method=method)) as answer:
            assert answer.status == 200
    return f"s3://a%2Fkey:its%2Bsecret@{NAME}/a/folder?endpoint={quote(endpoint, safe='')}"
