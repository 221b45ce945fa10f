"""The world of the conformance tests, made once."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.conformance.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A filled, running program."""
    with ExitStack() as stack:
        yield World(tmp_path_factory.mktemp("conformance"), stack)
