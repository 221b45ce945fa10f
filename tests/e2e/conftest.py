"""Fixtures of the end to end tests."""

from collections.abc import Iterator

import pytest

from tests.support.program import STARTED, end_all
from tests.support.receiver import receiver  # noqa: F401


@pytest.fixture(autouse=True, scope="session")
def nothing_outlives_the_session() -> Iterator[None]:
    """Ends what fixtures of a module left running, in every case."""
    yield
    end_all(STARTED)


@pytest.fixture(autouse=True)
def nothing_outlives_its_test() -> Iterator[None]:
    """Ends what a test started and, since it failed, did not end. What a module shares was started before."""
    before = len(STARTED)
    yield
    end_all(STARTED[before:])
