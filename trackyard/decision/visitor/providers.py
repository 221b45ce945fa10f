"""Internet providers of a provider database, with their countries.

See docs/api/reference.md#get-isp.

A thread reads the whole database at the first request and after the file was replaced: a million networks take some ten
seconds.
"""

import logging
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Thread
from typing import Final

import msgspec

from trackyard.decision.visitor.databases import COUNTRY_DATABASE, AddressDatabase, FileStamp, stamp_of
from trackyard.decision.visitor.geo import country_of, provider_of

_log = logging.getLogger("trackyard.decision")


class Provider(msgspec.Struct, frozen=True, gc=False):
    """A provider in a country; country "" when unknown."""

    name: str
    country: str


Providers = tuple[Provider, ...]


def find_providers(database: Path, seconds: float) -> Providers | None:
    """Return the providers of an ISP or ASN database; None when it is not read within `seconds`.

    While a new file is read, and when it cannot be, the providers of the last file are returned.

    Raises InvalidDatabase.
    """
    try:
        return _providers_of(database).result(seconds)
    except TimeoutError:
        return None


class _ProviderFile:
    """The providers of one file; `known`: of the last version that could be read."""

    def __init__(self, stamp: FileStamp | None, known: "Future[Providers]") -> None:
        self.stamp = stamp
        self.known = known


_provider_files: Final[dict[Path, _ProviderFile]] = {}
_lock: Final = Lock()


def _providers_of(path: Path) -> "Future[Providers]":
    """Return the last finished reading of a database; a new file is read in the background."""
    with _lock:
        stamp = stamp_of(path)
        found = _provider_files.get(path)
        if found is None or (found.known.done() and found.known.exception() is not None):
            found = _provider_files[path] = _ProviderFile(stamp, _start_reading(path))
        elif found.stamp != stamp and found.known.done():
            found.stamp = stamp
            _start_reading(path).add_done_callback(lambda done: _replace_known(path, found, done))
        return found.known


def _replace_known(path: Path, reading: _ProviderFile, done: "Future[Providers]") -> None:
    fault = done.exception()
    if fault is None:
        reading.known = done
    else:
        _log.error("IP address database not usable", extra={"path": str(path), "error": str(fault)})


def _start_reading(path: Path) -> "Future[Providers]":
    done: Future[Providers] = Future()

    def read() -> None:
        try:
            done.set_result(_read(path))
        except Exception as fault:
            done.set_exception(fault)

    Thread(target=read, name="providers", daemon=True).start()
    return done


def _read(path: Path) -> Providers:
    found: set[tuple[str, str]] = set()
    with AddressDatabase("isp", path) as providers, AddressDatabase("country", COUNTRY_DATABASE) as countries:
        for network, record in providers.each():
            name = provider_of(record)
            if name:
                address = str(network.network_address)
                found.add((name, country_of(record) or country_of(countries.find(address))))
    return tuple(Provider(name, country) for name, country in sorted(found))
