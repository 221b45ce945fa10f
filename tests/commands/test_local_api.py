"""Requests of commands: redirects, answers of other programs, servers that are not there."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from trackyard.commands.failures import ServerAway
from trackyard.commands.local_api import ApiClient, ApiError
from trackyard.runtime.exit_codes import ExitCode


class OtherProgram(BaseHTTPRequestHandler):
    """Answers as a proxy in front of an API, or as something else."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer by the path."""
        self.asked.append(self.path)
        if self.path == "/redirect":
            self.send_response(301)
            self.send_header("Location", "/elsewhere")
        elif self.path == "/nonsense":
            self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
            return
        else:
            self.send_response(502)
        self.send_header("Content-Length", "13")
        self.end_headers()
        self.wfile.write(b"<html></html>")

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def client() -> Iterator[ApiClient]:
    server = HTTPServer(("127.0.0.1", 0), OtherProgram)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    OtherProgram.asked.clear()
    yield ApiClient(f"http://127.0.0.1:{server.server_port}", "k" * 40)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("ask", [lambda api: api.get("/redirect"), lambda api: api.post("/redirect", {"a": 1})])
def test_command_follows_no_redirect_with_its_key(client: ApiClient, ask: Callable[[ApiClient], object]) -> None:
    with pytest.raises(ApiError, match="it redirects to /elsewhere; use that URL"):
        ask(client)
    assert OtherProgram.asked == ["/redirect"]


def test_command_with_an_error_of_another_program_says_so(client: ApiClient) -> None:
    with pytest.raises(ApiError, match="502: Bad Gateway, and not by an API of Trackyard") as failure:
        client.get("/broken")
    assert failure.value.exit_code is ExitCode.AWAY


def test_command_with_an_address_of_another_protocol_says_so(client: ApiClient) -> None:
    with pytest.raises(ServerAway, match="is not an API of Trackyard"):
        client.get("/nonsense")
