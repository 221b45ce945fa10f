"""A small HTTP front on a chDB engine of this process, for what the program asks of ClickHouse."""

import io
import re
import tempfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from python_multipart import parse_form

from tests.support.stores.analytics import address

_TRANSPORT = frozenset(
    {
        "query",
        "database",
        "query_id",
        "session_id",
        "compress",
        "wait_end_of_query",
        "client_protocol_version",
        "enable_http_compression",
        "send_progress_in_http_headers",
        "http_headers_progress_interval_ms",
        "cancel_http_readonly_queries_on_client_close",
    }
)
_INSERT = re.compile(rb"\s*(INSERT INTO .*?)\s+FORMAT (\w+)\s*?\n(.*)\Z", re.DOTALL)
_CODE = re.compile(r"Code: (\d+)")


def _answer(engine: str, parameters: dict[str, str], body: bytes) -> bytes:
    import chdb  # starts threads

    connection = chdb.connect(engine)  # type: ignore[no-untyped-call]
    try:
        if database := parameters.get("database"):
            connection.query(f"USE `{database}`", "TabSeparated")
        values: dict[str, Any] = {}
        for name, value in parameters.items():
            if name.startswith("param_"):
                values[name.removeprefix("param_")] = value
            elif name not in _TRANSPORT:
                quoted = value.replace("\\", "\\\\").replace("'", "\\'")
                connection.query(f"SET {name} = '{quoted}'", "TabSeparated")
        statement = parameters.get("query", "").encode() + (b"\n" if "query" in parameters and body else b"") + body
        if found := _INSERT.match(statement):
            with tempfile.NamedTemporaryFile() as file:
                file.write(found[3])
                file.flush()
                sql = found[1].decode().replace("input('", f"file('{file.name}', '{found[2].decode()}', '", 1)
                return bytes(connection.query(sql, "TabSeparated").bytes() or b"")
        return bytes(connection.query(statement.decode(), "TabSeparated", params=values).bytes() or b"")
    finally:
        connection.close()


class ClickHouseFront(ThreadingHTTPServer):
    """The front on an engine that this process has open. address: of the engine, chdb:///directory."""

    daemon_threads = True

    def __init__(self, address: str, port: int = 0) -> None:
        from clickhouse_connect.driver._chdbclient import build_connection_string  # imports chDB

        directory = address.removeprefix("chdb://")
        self.engine = build_connection_string(directory, {"config-file": directory + ".xml"})
        super().__init__(("127.0.0.1", port), _FrontHandler)


class _FrontHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ClickHouseFront

    def do_POST(self) -> None:
        parameters = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Type", "").startswith(("multipart/form-data", "application/x-www-form")):
            parameters |= self._form(body)
            body = b""
        try:
            self._send(200, _answer(self.server.engine, parameters, body), {"X-ClickHouse-Format": "TabSeparated"})
        except RuntimeError as error:
            code = _CODE.search(str(error))
            self._send(500, str(error).encode(), {"X-ClickHouse-Exception-Code": code[1] if code else "1"})

    do_GET = do_POST

    def _form(self, body: bytes) -> dict[str, str]:
        fields: dict[str, str] = {}

        def keep(field: Any) -> None:
            fields[field.field_name.decode()] = field.value.decode()

        headers = {name: value.encode() for name, value in self.headers.items()}
        parse_form(headers, io.BytesIO(body), keep, lambda _file: None)
        return fields

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        """Nothing: tests are quiet."""


@pytest.fixture(scope="session")
def clickhouse_address() -> Iterator[str]:
    """The address of the front."""
    server = ClickHouseFront(address())
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://default:@127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
