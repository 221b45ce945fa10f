"""Fixtures of the end to end tests."""

from collections.abc import Iterator

import pytest

from tests.support.processes.program import STARTED, stop_all
from tests.support.processes.receiver import receiver  # noqa: F401


@pytest.fixture(autouse=True, scope="session")
def stop_processes_of_session() -> Iterator[None]:
    """End what fixtures of a module left running, in every case."""
    yield
    stop_all(STARTED)


@pytest.fixture(autouse=True)
def stop_processes_of_test() -> Iterator[None]:
    """End what a failed test left running; what its module shares was started before."""
    before = len(STARTED)
    yield
    stop_all(STARTED[before:])
