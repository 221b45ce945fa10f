"""One running program for the tests of this folder: a start takes longer than most of them.

It is a new installation, in which postbacks need codes. A test makes its own people and offers and looks at
nothing else.
"""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.processes.program import RunningProgram

MAIL_FROM = "Yard <mail@yard.example>"


def _used_megabytes(program: RunningProgram) -> Decimal:
    """Return the memory of all processes; what they share counts once."""
    pids = [program.process.pid, *program.children().values()] if program.process else []
    assert len(pids) == 4
    kilobytes = Decimal(0)
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                kilobytes += Decimal(line.split()[1])
    return kilobytes / 1024


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningProgram, Decimal]]:
    """The program, and the megabytes that its processes took before the first test."""
    running = RunningProgram(tmp_path_factory.mktemp("shared"), postback_code="", mail_from=MAIL_FROM)
    running.start()
    yield running, _used_megabytes(running)
    file = running.directory / "data" / "run" / "server.json"
    assert file.exists()
    assert running.stop() == 0
    assert not file.exists(), "a server that stopped is not found"


@pytest.fixture(scope="package")
def program(started: tuple[RunningProgram, Decimal]) -> RunningProgram:
    return started[0]


@pytest.fixture(scope="package")
def idle_megabytes(started: tuple[RunningProgram, Decimal]) -> Decimal:
    return started[1]
