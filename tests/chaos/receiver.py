"""The servers of affiliates: on order they hang, reset connections or answer 500."""

import asyncio
import multiprocessing
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Final, Self
from urllib.parse import parse_qs

from tests.chaos.verdict import Arrivals, Report

HEADER: Final = b"x-trackyard-delivery: "
_ANSWERS: Final = {status: b"HTTP/1.1 %d X\r\nContent-Length: 2\r\n\r\nok" % status for status in (200, 500)}


class FaultyReceiver:
    """A listener on every address of the loopback, in a process that ends with its `with` block."""

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

    def url(self, host: int) -> str:
        """Return the postback URL of an affiliate with a host of its own, 1 to 254."""
        return f"http://127.0.0.{host}:{self.port}/pb?conversion={{transactionid}}&status={{status_name}}"

    def behave(self, way: str) -> None:
        """Change the answers: ok, hang, reset or 500."""
        self._ours.send(way)
        self._ours.recv()

    def arrivals(self) -> dict[Report, Arrivals]:
        """Return what arrived until now."""
        self._ours.send("report")
        found: dict[Report, Arrivals] = self._ours.recv()
        return found


class _State:
    def __init__(self) -> None:
        self.way = "ok"
        self.arrivals: dict[Report, Arrivals] = {}


class _Answers(asyncio.Protocol):
    def __init__(self, state: _State) -> None:
        self._state = state
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for head in requests:
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        way, query = self._state.way, parse_qs(head.split(b" ", 2)[1].decode().partition("?")[2])
        arrival = self._state.arrivals.setdefault((query["conversion"][0], query["status"][0]), Arrivals())
        arrival.requests += 1
        arrival.ids |= {
            line[len(HEADER) :].decode() for line in head.split(b"\r\n") if line[: len(HEADER)].lower() == HEADER
        }
        if way == "reset":
            self._transport.abort()
        elif way != "hang":
            self._transport.write(_ANSWERS[500 if way == "500" else 200])
            arrival.accepted += way == "ok"


def _serve(parent: Connection) -> None:
    async def serve() -> None:
        loop, state = asyncio.get_running_loop(), _State()
        server = await loop.create_server(lambda: _Answers(state), "0.0.0.0", 0, backlog=1024)
        parent.send(server.sockets[0].getsockname()[1])

        def obey() -> None:
            try:
                asked = parent.recv()
            except EOFError:  # the driver is gone
                server.close()
                loop.stop()
                return
            if asked != "report":
                state.way = asked
            parent.send(state.arrivals if asked == "report" else "done")

        loop.add_reader(parent.fileno(), obey)
        await server.serve_forever()

    asyncio.run(serve())
