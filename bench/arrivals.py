"""A receiver in its own process that reports the arrival of requests."""

import asyncio
import json
import multiprocessing
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from tests.support.processes.program import request

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Arrivals:
    """A listener on every address of the loopback; each is a host.

    It never answers /hang. It runs within its `with` block.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.port = 0

    def __enter__(self) -> Self:
        self._process.start()
        self.port = self._ours.recv()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.join()

    def url(self, target: str, host: int = 1) -> str:
        """Return the address of a path at a host, from 1 to 254."""
        return f"http://127.0.0.{host}:{self.port}{target}"

    def count(self) -> int:
        """Return the number of requests since the last `take`."""
        return int(request(self.port, "GET", "/count").json)

    def take(self) -> dict[str, float]:
        """Return the first arrival of each path since the last call, in monotonic seconds."""
        found: dict[str, float] = request(self.port, "GET", "/take").json
        return found


class _Receiver(asyncio.Protocol):
    def __init__(self, came: dict[str, float]) -> None:
        self._came = came
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for head in requests:
            path = head[4 : head.index(b" ", 4)].decode()
            if path == "/count":
                self._report(len(self._came))
            elif path == "/take":
                self._report(self._came)
                self._came.clear()
            else:
                self._came.setdefault(path, asyncio.get_running_loop().time())
                if not path.startswith("/hang"):
                    self._transport.write(_ANSWER)

    def _report(self, value: object) -> None:
        body = json.dumps(value).encode()
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def _serve(parent: Connection) -> None:
    async def serve() -> None:
        came: dict[str, float] = {}
        server = await asyncio.get_running_loop().create_server(lambda: _Receiver(came), "0.0.0.0", 0, backlog=1024)
        parent.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())
