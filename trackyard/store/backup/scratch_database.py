"""A database of PostgreSQL in which a backup is tried out, on the server of the installation."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import errors, sql
from sqlalchemy import make_url

from trackyard.store.backup.failures import ToolFailed

_PREFIX: Final = "trackyard_verify"
_OWNER_DIGITS: Final = 12


@contextmanager
def scratch_database(url: str, owner: str) -> Iterator[str | None]:
    """Yield the address of an empty database, and remove it; None when the user may not create one.

    owner: the id of the data directory. What its earlier, killed tries left is removed first. Raises ToolFailed.
    """
    prefix = f"{_PREFIX}_{owner[:_OWNER_DIGITS]}_"
    name = f"{prefix}{secrets.token_hex(4)}"
    try:
        with _connect(url) as server:
            may_create = _make(server, name, prefix)
            try:
                yield make_url(url).set(database=name).render_as_string(hide_password=False) if may_create else None
            finally:
                if may_create:
                    _drop(server, name)
    except psycopg.Error as fault:
        raise ToolFailed(f"PostgreSQL failed: {str(fault).partition(chr(10))[0] or type(fault).__name__}.") from fault


def _connect(url: str) -> "psycopg.Connection[Any]":
    address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(address, autocommit=True)


def _make(server: "psycopg.Connection[Any]", name: str, prefix: str) -> bool:
    """Create a database; return False when the user may not."""
    left_ones = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
    for (left,) in server.execute(left_ones, (prefix,)).fetchall():
        _drop(server, left)
    try:
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
    except errors.InsufficientPrivilege:
        return False
    return True


def _drop(server: "psycopg.Connection[Any]", name: str) -> None:
    server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
