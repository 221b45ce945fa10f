"""Empty databases of each engine, opened as often as a test wants one."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from pathlib import Path

import pytest

from trackyard.store.engine.database import Database

_numbers = count(1)
Opened = Callable[[], AbstractContextManager[Database]]


@pytest.fixture(params=["sqlite", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Open an empty database on each call, of each engine in turn."""
    empty = request.getfixturevalue("migrated_sqlite" if request.param == "sqlite" else "postgres")

    @contextmanager
    def on_sqlite() -> Iterator[Database]:
        path = shutil.copy(empty, tmp_path / f"{next(_numbers)}.db")
        with closing(Database(f"sqlite:///{path}")) as database:
            yield database

    @contextmanager
    def on_postgres() -> Iterator[Database]:
        with empty.empty_database() as name, closing(Database(empty.url(name), pool_size=2)) as database:
            yield database

    return on_sqlite if request.param == "sqlite" else on_postgres
