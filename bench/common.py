"""Parts that several measurements share."""

import argparse
import asyncio
import json
import multiprocessing
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from starlette.types import Message

from tests.support.stores.databases import PostgresServer
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import migrate
from trackyard.jobs.worker import WorkerOptions, run
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade


def options_of(
    name: str,
    text: str | None,
    *,
    seconds: float | None = None,
    of: str = "of each measurement",
    **more: dict[str, Any],
) -> argparse.Namespace:
    """Return the options of a measurement: `--seconds`, `--json` and others.

    of: what the seconds bound.
    more: the arguments of `add_argument` by the name of the option.
    """
    parser = argparse.ArgumentParser(prog=f"script/bench {name}", description=text)
    if seconds is not None:
        parser.add_argument("--seconds", type=float, default=seconds, help=of)
    for option, settings in more.items():
        parser.add_argument(f"--{option.replace('_', '-')}", **settings)
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object on the last line")
    return parser.parse_args()


def print_figures(figures: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Print a line for each figure; with `--json`, end with one object of all."""
    for name, value in figures.items():
        print(f"{name:>48} {value}")
    if options.json:
        print(json.dumps(figures), flush=True)


@contextmanager
def data_directory(chosen: Path | None = None) -> Iterator[Path]:
    """Yield the chosen directory, which stays, or a temporary one."""
    with tempfile.TemporaryDirectory(prefix="ty-bench-") as made:
        directory = chosen or Path(made)
        directory.mkdir(parents=True, exist_ok=True)
        yield directory


@contextmanager
def open_sqlite(directory: Path) -> Iterator[Database]:
    """Open a SQLite database with the newest schema."""
    database = Database(f"sqlite:///{directory / 'trackyard.db'}")
    upgrade(database)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def open_analytics(directory: Path, **settings: Any) -> Iterator[Analytics]:
    """Open a chDB of its own with the newest schema."""
    analytics = Analytics.open(f"chdb://{directory}/analytics", **settings)
    migrate(analytics)
    try:
        yield analytics
    finally:
        analytics.close()


def database_engines() -> Iterator[tuple[str, Callable[[Path], AbstractContextManager[str]]]]:
    """Yield each SQL engine with a maker of addresses of migrated, empty databases."""

    @contextmanager
    def sqlite(home: Path) -> Iterator[str]:
        with open_sqlite(home):
            pass
        yield f"sqlite:///{home / 'trackyard.db'}"

    @contextmanager
    def postgresql(_home: Path) -> Iterator[str]:
        with server.empty_database() as name:
            yield server.url(name)

    yield "sqlite", sqlite
    server = PostgresServer(durable=True)
    try:
        yield "postgresql", postgresql
    finally:
        server.stop()


@contextmanager
def running_worker(url: str, owner: str = "bench", **settings: Any) -> Iterator[int]:
    """Run a worker in a process of its own; yield the process id."""
    options = WorkerOptions(url, "USD", "UTC", owner, **settings)
    worker = multiprocessing.get_context("spawn").Process(target=run, args=(options,))
    worker.start()
    try:
        yield worker.pid or 0
    finally:
        worker.terminate()
        worker.join(30)


async def ask(app: Any, path: str, query: str, key: str | None, take: Callable[[Message], None]) -> None:
    """Send a GET request to the API without a socket.

    take: receives each message of the answer.
    """
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": path,
        "raw_path": path.encode(), "root_path": "", "query_string": query.encode(), "scheme": "http", "state": {},
        "headers": [(b"api-key", (key or "").encode())], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
    }  # fmt: skip
    requests: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not requests:  # the client waits for the answer
            await asyncio.Event().wait()
        return requests.pop()

    async def send(message: Message) -> None:
        take(message)

    await app(scope, receive, send)


async def ask_body(app: Any, path: str, query: str, key: str | None) -> bytes:
    """Return the body of an answer; raise RuntimeError when its status is not 200."""
    messages: list[Message] = []
    await ask(app, path, query, key, messages.append)
    body = b"".join(message.get("body", b"") for message in messages)
    if messages[0]["status"] != 200:
        raise RuntimeError(f"{path}?{query}: {messages[0]['status']} {body[:300]!r}")
    return body
