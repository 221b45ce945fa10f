"""Databases of tests that share their compiled statements."""

from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

from trackyard.store.engine.database import Database

_MOST_STATEMENTS = 5000
_first: dict[str, Engine] = {}
"""The engine that was opened first in this process, by kind of database."""


def open_database(url: str) -> Database:
    """Open a database. What SQLAlchemy compiles for it serves the databases of later tests.

    Compiling statements for a new database in each test was a fifth of the time of the tests of the API.
    """
    database = Database(url)
    engine = database._engine
    first = _first.get(engine.dialect.name)
    if first is None:
        database.ping()  # the dialect learns what the server can do
        engine._compiled_cache = LRUCache(_MOST_STATEMENTS)
        _first[engine.dialect.name] = engine
    else:
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
    return database
