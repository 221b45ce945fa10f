"""The analytic store of the tests: one engine a process (chDB knows one directory), a fresh database a test."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path

import pytest

from trackyard.stats.engine import Analytics
from trackyard.stats.schema import migrate

_numbers = count(1)


@lru_cache(maxsize=1)
def address() -> str:
    """The address of this process's engine; its directory goes with the process."""
    directory = Path(tempfile.mkdtemp(prefix="analytics-"))
    address = f"chdb://{directory}/engine"
    keep = Analytics.open(address, database="keep")  # held open: the last close would stop the engine

    def leave() -> None:
        keep.close()
        shutil.rmtree(directory, ignore_errors=True)

    keep.rows("SELECT 1", {}, tuple[int])
    atexit.register(leave)
    return address


@pytest.fixture
def analytics() -> Iterator[Analytics]:
    """A fresh database with the newest schema."""
    name = f"t{next(_numbers)}"
    store = Analytics.open(address(), database=name)
    migrate(store)
    yield store
    store.run(f"DROP DATABASE `{name}`")
    store.close()
