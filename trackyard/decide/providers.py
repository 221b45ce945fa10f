"""Internet providers: every one that a provider database names, with its country (spec: isp).

The database is read through once, when it is first asked for: some seconds for a large one.
"""

from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import maxminddb
import msgspec

from trackyard.decide.visitor import COUNTRY_DATABASE, country_of

_NAMES: Final = ("isp", "autonomous_system_organization")
_reading = Lock()


class Provider(msgspec.Struct, frozen=True, order=True, gc=False):
    """A provider in a country; country "" when unknown."""

    name: str
    country: str


def providers(database: Path) -> tuple[Provider, ...]:
    """The providers of an MMDB, by name. Raises maxminddb.InvalidDatabaseError, OSError."""
    with _reading:  # whoever asks meanwhile waits for the one reading
        return _read(database)


@cache
def _read(database: Path) -> tuple[Provider, ...]:
    found: set[Provider] = set()
    with maxminddb.open_database(database) as reader, maxminddb.open_database(COUNTRY_DATABASE) as countries:
        for network, record in reader:
            name = _name_of(record)
            if name:
                country = country_of(record) or country_of(countries.get(network.network_address))
                found.add(Provider(name, country))
    return tuple(sorted(found))


def _name_of(record: Any) -> str:
    if not isinstance(record, dict):
        return ""
    return next((record[key] for key in _NAMES if isinstance(record.get(key), str)), "")
