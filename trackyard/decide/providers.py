"""Internet providers: every one that a provider database names, with its country (spec: isp).

The database is read through once, when it is first asked for, in a thread of its own: a million networks take some
ten seconds.
"""

from concurrent.futures import Future
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, Final

import maxminddb
import msgspec

from trackyard.decide.visitor import COUNTRY_DATABASE, country_of

_NAMES: Final = ("isp", "autonomous_system_organization")


class Provider(msgspec.Struct, frozen=True, gc=False):
    """A provider in a country; country "" when unknown."""

    name: str
    country: str


def find_providers(database: Path, seconds: float) -> tuple[Provider, ...] | None:
    """The providers of an MMDB, by name; None when it is still being read after `seconds`.

    Raises maxminddb.InvalidDatabaseError, OSError.
    """
    try:
        return _reading(database).result(seconds)
    except TimeoutError:
        return None


def check(database: Path) -> None:
    """Raises maxminddb.InvalidDatabaseError, OSError for a file that is no MMDB."""
    maxminddb.open_database(database).close()


@cache
def _reading(database: Path) -> Future[tuple[Provider, ...]]:
    """The one reading of a database, begun when it is first asked for."""
    done: Future[tuple[Provider, ...]] = Future()

    def read() -> None:
        try:
            done.set_result(_read(database))
        except Exception as fault:
            done.set_exception(fault)

    Thread(target=read, name="providers", daemon=True).start()
    return done


def _read(database: Path) -> tuple[Provider, ...]:
    found: set[tuple[str, str]] = set()
    with maxminddb.open_database(database) as reader, maxminddb.open_database(COUNTRY_DATABASE) as countries:
        for network, record in reader:
            name = _name_of(record)
            if name:
                found.add((name, country_of(record) or country_of(countries.get(network.network_address))))
    return tuple(Provider(name, country) for name, country in sorted(found))


def _name_of(record: Any) -> str:
    if not isinstance(record, dict):
        return ""
    return next((record[key] for key in _NAMES if isinstance(record.get(key), str)), "")
