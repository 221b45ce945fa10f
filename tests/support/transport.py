"""Requests to an application in this process, each with one hand-over between threads."""

import asyncio
import atexit
from collections.abc import MutableMapping
from contextlib import suppress
from functools import lru_cache
from threading import Lock, Thread
from typing import Any
from urllib.parse import unquote

import httpx2


class AppTransport(httpx2.BaseTransport):
    """Calls an ASGI application in the event loop of the process, and returns its whole answer.

    An exception of the application ends its answer: with the status 500 and no body where it had not begun one.
    """

    def __init__(self, app: Any, client: tuple[str, int] = ("testclient", 50000)) -> None:
        self._app = app
        self._client = client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer to a request."""
        call = _Call(request.read())
        call.run_in(event_loop(), self._app, self._scope(request))
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in call.headers]
        content = b"" if request.method == "HEAD" else b"".join(call.content)
        return httpx2.Response(call.status, headers=headers, stream=httpx2.ByteStream(content), request=request)

    def _scope(self, request: httpx2.Request) -> dict[str, Any]:
        url = request.url
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": self._client,
            "server": [url.host, url.port or {"http": 80, "https": 443}[url.scheme]],
            "state": {},
        }


class AppClient(httpx2.Client):
    """A client of an application in this process.

    It keeps cookies, and shows redirects instead of following them. What a client of a network does for each request
    takes as long as the shortest answers: proxies, times, redirects, logs.
    """

    def __init__(self, app: Any, base: str, address: str = "testclient") -> None:
        self._app_transport = AppTransport(app, (address, 50000))
        super().__init__(transport=self._app_transport, base_url=base)

    def send(self, request: httpx2.Request, **_options: Any) -> httpx2.Response:
        """Send a request."""
        response = self._app_transport.handle_request(request)
        response.read()
        if "set-cookie" in response.headers:
            self.cookies.extract_cookies(response)
        return response


class _Call:
    """One request and what the application answers."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._ended = asyncio.Event()
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.content: list[bytes] = []

    def run_in(self, loop: asyncio.AbstractEventLoop, app: Any, scope: dict[str, Any]) -> None:
        """Run the application in another thread's loop, and wait for its end.

        `asyncio.run_coroutine_threadsafe` with its chain of futures takes longer, a sixth of a short request.
        """
        waiting = Lock()
        waiting.acquire()
        tasks: list[asyncio.Task[None]] = []

        def begin() -> None:
            tasks.append(loop.create_task(self._run(app, scope)))
            tasks[0].add_done_callback(lambda _: waiting.release())

        loop.call_soon_threadsafe(begin)
        waiting.acquire()
        tasks[0].result()

    async def _run(self, app: Any, scope: dict[str, Any]) -> None:
        with suppress(Exception):
            await app(scope, self._receive, self._send)
        self._ended.set()

    async def _receive(self) -> dict[str, Any]:
        if self._body is None:  # the client stays until the answer has ended
            await self._ended.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", []))
        elif message["type"] == "http.response.body":
            self.content.append(bytes(message.get("body", b"")))
            if not message.get("more_body", False):
                self._ended.set()


@lru_cache(maxsize=1)
def event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all calls of a process.

    A loop and a thread for each would cost as much as the call. anyio keeps the threads in which handlers run as long
    as the task that the loop runs until its end; without one, each call would start threads of its own.
    """
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()
    thread = Thread(target=loop.run_until_complete, args=(ended.wait(),), name="event loop of tests", daemon=True)
    thread.start()

    def stop() -> None:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    atexit.register(stop)
    return loop
