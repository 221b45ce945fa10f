"""An edge in a process of its own, raw HTTP to speak with it, and what it recorded."""

import asyncio
import multiprocessing
import os
import resource
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection as Pipe
from multiprocessing.process import BaseProcess
from pathlib import Path

import uvloop

from tests.support.clicks.rules import entry_of
from trackyard.base.clock import SystemClock
from trackyard.domain.tracking.ruleset import RulesetRow
from trackyard.edge.server import EdgeOptions, serve
from trackyard.journal import frames, segments
from trackyard.journal.records import Click, InboundPostback, RecordKind, decode_click, decode_postback
from trackyard.journal.ruleset_log import RulesetEntry, RulesetLogWriter

_SPAWN = multiprocessing.get_context("spawn")


def publish(directory: Path, rows: Sequence[RulesetRow], version: int = 1) -> RulesetLogWriter:
    """Publishes `rows` as a snapshot."""
    writer = RulesetLogWriter(directory)
    writer.replace([RulesetEntry(version, *entry_of(row)) for row in rows], version)
    return writer


@dataclass
class RunningEdge:
    """A running edge: where it listens and where its files are."""

    process: BaseProcess
    port: int
    options: EdgeOptions

    def stop(self, signal_number: int = signal.SIGTERM) -> int | None:
        """Ends it; its exit code."""
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, signal_number)
        self.process.join(15)
        return self.process.exitcode

    def connect(self) -> socket.socket:
        """A connection with a limit of patience."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def ask(self, target: str, *headers: str, method: str = "GET", body: bytes = b"") -> "EdgeAnswer":
        """One request on a connection of its own."""
        lines = [f"{method} {target} HTTP/1.1", "Host: t.example", "Connection: close", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return read_answers(self, "\r\n".join(lines).encode() + b"\r\n\r\n" + body, method=method)[0]


@dataclass(frozen=True)
class EdgeAnswer:
    """One answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes


def read_answers(edge: RunningEdge, sent: bytes, *, method: str = "GET") -> list[EdgeAnswer]:
    """Sends bytes on one connection and reads every answer until the edge closes it."""
    with edge.connect() as client:
        client.sendall(sent)
        data = b""
        while chunk := client.recv(65536):
            data += chunk
    return parse_answers(data, method=method)


def parse_answers(data: bytes, *, method: str = "GET") -> list[EdgeAnswer]:
    """The answers in a stream of bytes."""
    answers = []
    while data:
        head, end, data = data.partition(b"\r\n\r\n")
        assert end, head
        first, *lines = head.decode("ascii").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = 0 if method == "HEAD" else int(headers.get("content-length", "0"))
        answers.append(EdgeAnswer(int(first.split()[1]), headers, data[:length]))
        data = data[length:]
    return answers


@contextmanager
def running_edge(
    directory: Path, rows: Sequence[RulesetRow] | None, *, files: int = 0, **changed: object
) -> Iterator[RunningEdge]:
    """An edge with its files in `directory`, started with `rows` as its rules (None: none published).

    files: how many it may have open, 0 = as many as its parent.
    """
    options = EdgeOptions(
        host="127.0.0.1",
        port=0,
        edge=1,
        journal_directory=directory / "journal",
        rules_directory=directory / "rules",
        state_directory=directory / "state",
    )
    options = replace(options, **changed)  # type: ignore[arg-type]
    if rows is not None:
        publish(options.rules_directory, rows)
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(options, theirs, files), daemon=True)
    process.start()
    theirs.close()
    try:
        assert ours.poll(30), "the edge did not start"
        yield RunningEdge(process, ours.recv(), options)
    finally:
        ours.close()
        if process.is_alive():
            process.terminate()
        process.join(15)
        if process.is_alive():
            process.kill()
            process.join()
        process.close()


def _serve(options: EdgeOptions, port: Pipe, files: int) -> None:
    if files:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(options, SystemClock(), port.send))


def recorded(directory: Path, edge: int = 1) -> list[Click | InboundPostback]:
    """Every record in the journals of an edge, marked or not."""
    found: list[Click | InboundPostback] = []
    for name in segments.list_journals(directory, edge):
        for item in segments.each_frame(segments.log_path(directory, name).read_bytes(), 0):
            assert isinstance(item, frames.Frame)
            if item.kind == RecordKind.CLICK:
                found.append(decode_click(item.payload))
            elif item.kind == RecordKind.POSTBACK:
                found.append(decode_postback(item.payload))
    return found
