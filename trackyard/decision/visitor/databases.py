"""Address databases: files in MaxMind's format (MMDB) of five kinds.

A file of the operator is read from a private copy: a file that is overwritten in place would change under the process
that mapped it.
"""

import logging
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any, Final, Self

import maxminddb

from trackyard.decision.visitor.origins import ORIGIN_FILE, InvalidOrigins, OriginTable

COUNTRY_DATABASE: Final = Path(__file__).parent / "data" / "country.mmdb"
"""The database that is shipped; its licence is in the same folder."""

PROVIDER_NAMES: Final = ("isp", "autonomous_system_organization")
"""Fields of an ISP or ASN database that name the provider, the better first."""

ORGANIZATION_NAMES: Final = ("organization", "autonomous_system_organization")
"""Fields of an ISP or ASN database that name the organization of a network, the better first."""

_TYPE_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "country": ("",),
    "city": ("City", "Enterprise"),
    "isp": ("ISP", "ASN"),
    "connection": ("Connection-Type",),
    "proxy": ("Anonymous",),
}
"""Words of the database types by kind; countries may be in a database of any type."""

_IPV4: Final = 4

_log = logging.getLogger("trackyard.decision")


class InvalidDatabase(Exception):
    """A file is not a database of its kind; the message contains the cause."""

    def __init__(self, kind: str, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.path = path


@dataclass(frozen=True, slots=True)
class AddressDatabases:
    """The files to read, by kind; None = there is none of that kind.

    country: any database with countries
    city: City, Enterprise
    isp: ISP, ASN
    connection: Connection-Type
    proxy: Anonymous-IP, Anonymous-Plus
    origins: files of another format (docs/spec/quality.md#origins-of-ip-addresses); the first that exists is read
    """

    country: Path = COUNTRY_DATABASE
    city: Path | None = None
    isp: Path | None = None
    connection: Path | None = None
    proxy: Path | None = None
    origins: tuple[Path, ...] = (ORIGIN_FILE,)

    def find_origins(self) -> Path | None:
        """Return the file of origins to read; the last one when none exists."""
        return next((path for path in self.origins if path.exists()), self.origins[-1] if self.origins else None)

    def each(self) -> Iterator[tuple[str, Path]]:
        """Yield the kinds that have a database, and the file."""
        for kind in _TYPE_WORDS:
            path = getattr(self, kind)
            if path is not None:
                yield kind, path

    def check(self) -> None:
        """Check every file. Raises InvalidDatabase for the first file that is not a database of its kind."""
        for kind, path in self.each():
            AddressDatabase(kind, path).close()
        origins = self.find_origins()
        if origins is not None:
            try:
                OriginTable.of_file(origins)
            except InvalidOrigins as fault:
                raise InvalidDatabase("origin", origins, str(fault)) from None


FileStamp = tuple[int, int, int, int]
"""Facts of a file that change when it is replaced or written to."""


def stamp_of(path: Path) -> FileStamp | None:
    """Return the stamp of a file; None = the file does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class AddressDatabase:
    """An open database of one kind. Raises InvalidDatabase."""

    def __init__(self, kind: str, path: Path) -> None:
        self.kind = kind
        self.path = path
        try:
            self._reader = _open_reader(path)
        except (maxminddb.InvalidDatabaseError, UnicodeDecodeError):
            raise InvalidDatabase(kind, path, "it is not an MMDB file") from None
        except OSError as fault:
            raise InvalidDatabase(kind, path, fault.strerror or str(fault)) from None
        description = self._reader.metadata()
        wanted = _TYPE_WORDS[kind]
        if not any(word in description.database_type for word in wanted):
            self._reader.close()
            raise InvalidDatabase(
                kind, path, f"it is of the type {description.database_type}, not {' or '.join(wanted)}"
            )
        self._without_ipv6 = description.ip_version == _IPV4
        self._broken = False

    def find(self, ip: str) -> dict[str, Any]:
        """Return the record of an address; {} = there is none, or the file is damaged, which is logged once."""
        return self.find_network(ip)[0]

    def find_network(self, ip: str) -> tuple[dict[str, Any], int]:
        """Return the record of an address and the prefix length of its network, 128 = there is none."""
        if self._without_ipv6 and ":" in ip:
            return {}, 128
        try:
            record, length = self._reader.get_with_prefix_len(ip)
        except maxminddb.InvalidDatabaseError as fault:
            if not self._broken:
                self._broken = True
                _log.error("IP address database damaged", extra={"path": str(self.path), "error": str(fault)})
            return {}, 128
        return (record, length) if isinstance(record, dict) else ({}, 128)

    def each(self) -> Iterator[tuple[IPv4Network | IPv6Network, dict[str, Any]]]:
        """Yield every network with its record. Raises maxminddb.InvalidDatabaseError for a damaged file."""
        for network, record in self._reader:
            yield network, record if isinstance(record, dict) else {}

    def close(self) -> None:
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _open_reader(path: Path) -> maxminddb.Reader:
    if path == COUNTRY_DATABASE:
        return maxminddb.open_database(path)
    before = stamp_of(path)
    with path.open("rb") as source, tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(source, copy, 1024 * 1024)
        copy.flush()
        if stamp_of(path) != before:
            raise OSError("it is being written")
        # The copy has no name; it lives as long as it is mapped.
        return maxminddb.open_database(f"/dev/fd/{copy.fileno()}")
