"""Ports for the programs that tests start: no two programs get the same one."""

import random
import subprocess
import sys

import pytest

from tests.support.processes import program

FIRST_IN_OTHER_PROCESS = """
import random
from tests.support.processes import program
random.sample = lambda ports, _count: list(ports)
program.PORTS = range({first}, {first} + 50)
print(program.free_port())
"""


def test_free_port_is_given_once_over_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "sample", lambda ports, _count: list(ports))
    first = program.free_port()
    second = program.free_port()
    other = subprocess.check_output([sys.executable, "-c", FIRST_IN_OTHER_PROCESS.format(first=first)], text=True)
    assert len({first, second, int(other)}) == 3
