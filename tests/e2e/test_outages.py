"""What the program logs while PostgreSQL is away, and that it works afterwards.

It takes 15 s: a server of its own is stopped under the whole program, for as long as shows how the log grows.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.program import RunningProgram, poll_until, request
from tests.support.stores.databases import PostgresServer

pytestmark = pytest.mark.chaos

AWAY_S = 6.0
HOUR_S = 3600
MAX_BYTES_AN_HOUR = 1_000_000


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of its own: the one of the session serves other tests."""
    running = PostgresServer(durable=True)
    yield running
    running.stop()


def test_outage_of_postgresql_is_one_line_for_each_change(tmp_path: Path, server: PostgresServer) -> None:
    """Each process logs that the database is lost and that it is back; jobs log nothing more."""
    server.create("yard")
    program = RunningProgram(tmp_path, database_url=server.url("yard").replace("+psycopg", ""))
    program.start()
    server.halt()
    halted_at = time.monotonic()
    lost = {"core", "worker"}
    poll_until(lambda: _roles(program, "component lost") >= lost, seconds=20, what="the loss in both processes")
    size = program.log_file.stat().st_size
    poll_until(lambda: _is_away(program), seconds=10, what="not ready")
    while time.monotonic() - halted_at < AWAY_S:  # the outage itself is what is measured
        assert _is_away(program)
        assert request(program.tracking_port, "GET", "/readyz").status == 200
        time.sleep(0.25)
    grown = program.log_file.stat().st_size - size
    server.resume()
    poll_until(lambda: _roles(program, "component back") >= lost, seconds=30, what="the return in both processes")
    poll_until(program.is_ready, seconds=30, what="ready again")
    assert program.stop() == 0
    log = program.log_file.read_text()
    assert "Traceback" not in log, log[-3000:]
    lines = [line for line in program.log_lines() if line["message"].startswith("component")]
    assert len(lines) <= 2 * len(lost) + 2, lines
    assert grown / AWAY_S * HOUR_S < MAX_BYTES_AN_HOUR, log[-grown:]


def _is_away(program: RunningProgram) -> bool:
    return request(program.api_port, "GET", "/readyz").status == 503


def _roles(program: RunningProgram, message: str) -> set[str]:
    return {line["role"] for line in program.log_lines() if line["message"] == message}
