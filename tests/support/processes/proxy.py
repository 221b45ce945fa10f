"""A TCP proxy that tests can cut: it holds bytes back, and delivers them once it is mended."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Self

_PIECE = 65536


class DroppingProxy:
    """Passes connections on to a server while its `with` block lasts.

    While it is cut, a new connection gets no answer and an old one no bytes; neither end learns of it. When it is
    healed, what was sent meanwhile arrives, as TCP sends again what was dropped.

    server: a port of the loopback, or the path of a UNIX socket
    """

    def __init__(self, server: int | str) -> None:
        self._server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._healed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        self._healed.set()
        self._listener: asyncio.Server = self._run(asyncio.start_server(self._pass_on, "127.0.0.1", 0))
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> None:
        """Let nothing pass from now on."""
        self._loop.call_soon_threadsafe(self._healed.clear)

    def heal(self) -> None:
        """Let everything pass again, and first what was held back."""
        self._loop.call_soon_threadsafe(self._healed.set)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    async def _end(self) -> None:
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(OSError):
            try:
                await self._healed.wait()
                there = await self._connect()
                try:
                    await asyncio.gather(self._pump(reader, there[1]), self._pump(there[0], writer))
                finally:
                    there[1].close()
            finally:
                writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._server, str):
            return await asyncio.open_unix_connection(self._server)
        return await asyncio.open_connection("127.0.0.1", self._server)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            piece = await reader.read(_PIECE)
            await self._healed.wait()
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
        writer.close()  # an end is an end of both directions for the protocols here
