"""The analytic store of the tests: one engine a process (chDB knows one directory), a database a test.

A schema takes longer to make than most tests take to run. So databases are copied from one that was migrated, and a
test that left nothing but rows behind leaves its database, emptied, to the next.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.engine.schema import TABLES

_numbers = count(1)
_free: list[str] = []
"""Unchanged, empty databases."""
_opened: dict[str, Analytics] = {}
"""Stores that previous tests left open, by database: chDB opens a client more slowly than most tests run."""
_writes = count(1)
_last_write = 0


def _count_writes(method: Callable[..., None]) -> Callable[..., None]:
    def counted(*arguments: Any, **named: Any) -> None:
        global _last_write
        _last_write = next(_writes)
        method(*arguments, **named)

    return counted


Analytics.run = _count_writes(Analytics.run)  # type: ignore[method-assign]
Analytics.insert = _count_writes(Analytics.insert)  # type: ignore[method-assign]


@lru_cache(maxsize=1)
def address() -> str:
    """The address of this process's engine; its directory goes with the process."""
    directory = Path(tempfile.mkdtemp(prefix="analytics-"))
    address = f"chdb://{directory}/engine"
    keep = Analytics.open(address, database="keep")  # held open: the last close would stop the engine

    def leave() -> None:
        for store in (*_opened.values(), keep):
            store.close()
        shutil.rmtree(directory, ignore_errors=True)

    keep.rows("SELECT 1", {}, tuple[int])
    atexit.register(leave)
    return address


@contextmanager
def empty_analytics() -> Iterator[str]:
    """The name of a database with the newest schema and nothing in it, for one user at a time."""
    name = _free.pop() if _free else _copied()
    before = _last_write
    try:
        yield name
    finally:
        if _last_write == before or _emptied(name):  # most tests write nothing, and to look takes longer than they do
            _free.append(name)
        else:
            if name in _opened:
                _opened.pop(name).close()
            _migrated().run(f"DROP DATABASE IF EXISTS `{name}`")


@contextmanager
def empty_store() -> Iterator[Analytics]:
    """Open such a database."""
    with empty_analytics() as name:
        store = _reopen(_opened.pop(name)) if name in _opened else Analytics.open(address(), database=name)
        try:
            yield store
        finally:
            if store._idle.qsize() == len(store._open) - 1 > 0:  # neither closed nor in use
                _opened[name] = store
            else:
                store.close()


@pytest.fixture
def analytics() -> Iterator[Analytics]:
    """A database with the newest schema and nothing in it."""
    with empty_store() as store:
        yield store


def _reopen(store: Analytics) -> Analytics:
    """Return a new store over the clients of one that a test left."""
    store._scheduler.close()
    again = Analytics(store._address, store._database, store._config, QueryLimits())
    again._open, again._idle = store._open, store._idle
    return again


@lru_cache(maxsize=1)
def _migrated() -> Analytics:
    """The database that the others are copied from."""
    store = Analytics.open(address(), database="migrated")
    migrate(store)
    for table in TABLES:  # tests kill processes and never cut the power
        store.run(f"ALTER TABLE `{table}` MODIFY SETTING fsync_after_insert = 0, fsync_part_directory = 0")
    atexit.register(store.close)
    return store


@lru_cache(maxsize=1)
def _as_made() -> tuple[list[tuple[str, str]], list[tuple[int, ...]]]:
    [(tables, _, _)] = _look("migrated")
    return tables, _steps("migrated")


def _copied() -> str:
    name, origin = f"t{next(_numbers)}", _migrated()
    origin.run(f"CREATE DATABASE `{name}`")
    for table, _ in _as_made()[0]:
        origin.run(f"CREATE TABLE `{name}`.`{table}` AS migrated.`{table}`")
    origin.run(f"INSERT INTO `{name}`.schema_step SELECT * FROM migrated.schema_step")
    return name


def _emptied(name: str) -> bool:
    """Remove all rows and the log of inserts; return whether the schema is as it was made."""
    [(tables, filled, unfinished)] = _look(name)
    if unfinished or tables != _as_made()[0] or _steps(name) != _as_made()[1]:
        return False
    for table in filled:
        _migrated().run(f"TRUNCATE TABLE `{name}`.`{table}`")
    return True


def _look(name: str) -> list[tuple[list[tuple[str, str]], list[str], int]]:
    """Return the declared tables, the filled ones, and the number of mutations and detached parts."""
    one_query = """
        SELECT
            (SELECT groupArray(declared) FROM (
                SELECT (name, replaceOne(create_table_query, concat(' ', database, '.'), ' ')) AS declared
                FROM system.tables WHERE database = {database:String} ORDER BY name)),
            (SELECT groupUniqArray(table) FROM system.parts
                WHERE database = {database:String} AND table != 'schema_step'),
            (SELECT count() FROM system.mutations WHERE database = {database:String}) +
            (SELECT count() FROM system.detached_parts WHERE database = {database:String})
    """
    return _migrated().rows(one_query, {"database": name}, tuple[list[tuple[str, str]], list[str], int])


def _steps(name: str) -> list[tuple[int, ...]]:
    return _migrated().rows(f"SELECT number FROM `{name}`.schema_step ORDER BY number", {}, tuple[int])
