"""Geo records of addresses: country, region, city, provider, connection, proxy.

`GeoLookup.refresh` opens files that operators replace while the program runs.
"""

import logging
from typing import Any, Final

import msgspec

from trackyard.decision.target.json_text import quoted
from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.visitor.cache import BoundedCache
from trackyard.decision.visitor.databases import (
    COUNTRY_DATABASE,
    PROVIDER_NAMES,
    AddressDatabase,
    AddressDatabases,
    FileStamp,
    InvalidDatabase,
    stamp_of,
)
from trackyard.domain.statistics.click_columns import Source, columns_from

_CONNECTIONS: Final = {
    "Cellular": "cellular",
    "Cable/DSL": "wi-fi",
    "Corporate": "wi-fi",
    "Dialup": "wi-fi",
    "Satellite": "wi-fi",
}
"""Values of a Connection-Type database in the words of targeting: a mobile network, or a fixed one with wire or wi-fi.
Any other value is unknown."""

_PROXY_FIELDS: Final = (
    "is_anonymous",
    "is_anonymous_vpn",
    "is_hosting_provider",
    "is_public_proxy",
    "is_residential_proxy",
    "is_tor_exit_node",
)
"""A record with any of these is that of a proxy."""

_HALF_BITS: Final = 16
"""Bits of half an IPv4 address."""

_QUARTER_BITS: Final = 8
_PARTS: Final = 1 << _QUARTER_BITS
"""Networks of three quarters of an address that begin with the same half."""
_LAST_PART: Final = _PARTS - 1

_IPV4_BITS: Final = 2 * _HALF_BITS
_IPV4_END: Final = 1 << _IPV4_BITS

_log = logging.getLogger("trackyard.decision")


class GeoRecord(msgspec.Struct, frozen=True, gc=False):
    """The geo record of an address.

    country: ISO code or ""
    region_id, city_id: GeoNames, 0 = unknown
    connection: wi-fi, cellular or ""
    proxy: the address is known as a proxy
    """

    country: str = ""
    region_id: int = 0
    city_id: int = 0
    city: str = ""
    isp: str = ""
    connection: str = ""
    proxy: bool = False

    @property
    def region(self) -> str:
        """The region as text, "" = unknown."""
        return str(self.region_id) if self.region_id else ""


class CachedGeoRecord:
    """A cached geo record. columns: the record as columns of a click."""

    __slots__ = ("columns", "country", "place")

    def __init__(self, place: GeoRecord) -> None:
        self.place = place
        self.country = place.country
        self.columns = geo_columns(place)


def geo_columns(place: GeoRecord) -> str:
    """Return a geo record as columns of a click, JSON."""
    values = [getattr(place, name) for name in _PLACE_COLUMNS]
    return ",".join([quoted(value) if isinstance(value, str) else str(value) for value in values])


_PLACE_COLUMNS: Final = columns_from(Source.PLACE)


class GeoLookup:
    """Look-ups of addresses with a cache of at most 2 * `cache_size` records.

    A database that cannot be opened is logged, and its values are unknown until the file is replaced: clicks do not
    wait for it. The start of the program checks all databases first. `place` and `refresh` may run in different
    threads.
    """

    def __init__(self, databases: AddressDatabases, *, cache_size: int = 4_000) -> None:
        self._databases = databases
        self._remembered = cache_size
        self._stamps: dict[str, FileStamp | None] = {}
        opened = self._open_changed()
        if "country" not in opened:
            opened["country"] = AddressDatabase("country", COUNTRY_DATABASE)
        self._opened = _OpenDatabases(opened, cache_size)

    def place(self, ip: str) -> GeoRecord:
        """Return the record of an address. `ip` must be an address or ""."""
        return self.find(ip, address_number(ip)).place

    def find(self, ip: str, number: int) -> CachedGeoRecord:
        """Return the cached record of an address.

        number: of the address, see decision.targeting.ip_lists.address_number
        """
        opened = self._opened
        if number < _IPV4_END:
            half = number >> _HALF_BITS
            found = opened.wide[half]
            if found is not None:
                return found
            narrow = opened.narrow[half]
            if narrow is not None:
                place = narrow[number >> _QUARTER_BITS & _LAST_PART]
                if place:
                    return opened.numbered[place]
        kept = opened.places.find(number)
        return opened.read(ip, number) if kept is None else kept

    def refresh(self) -> None:
        """Open the files that were replaced; the old one stays when a new one cannot be opened."""
        fresh = self._open_changed()
        if fresh:
            # Running look-ups keep the old files and their cache; the last one closes them.
            self._opened = _OpenDatabases(self._opened.databases | fresh, self._remembered)
            _log.info("address databases replaced", extra={"kinds": sorted(fresh)})

    def _open_changed(self) -> dict[str, AddressDatabase]:
        """Open the databases with files that changed since the last look."""
        opened = {}
        for kind, path in self._databases.each():
            stamp = stamp_of(path)
            if kind in self._stamps and stamp == self._stamps[kind]:
                continue
            self._stamps[kind] = stamp
            try:
                opened[kind] = AddressDatabase(kind, path)
            except InvalidDatabase as fault:
                _log.error("address database not usable", extra={"path": str(path), "error": str(fault)})
        return opened

    def close(self) -> None:
        for database in self._opened.databases.values():
            database.close()


class _OpenDatabases:
    """Open databases by kind, and the records that were read.

    With countries alone, records are found by the first half of an IPv4 address:

    wide: the record that all addresses with this half have, as five of six addresses do
    narrow: else, for each third quarter, the index in `numbered`; 0 = not read yet, or there are several records

    Both are filled as addresses come, and take at most 20 MB. Equal records are one object, so that the records of many
    clicks stay in the cache of the processor.
    """

    def __init__(self, databases: dict[str, AddressDatabase], cache_size: int) -> None:
        self.databases = databases
        self.places: BoundedCache[int, CachedGeoRecord] = BoundedCache(cache_size)
        self.wide: list[CachedGeoRecord | None] = [None] * (_IPV4_END >> _HALF_BITS)
        self._shared: BoundedCache[str, CachedGeoRecord] = BoundedCache(cache_size)
        self.narrow: list[bytearray | None] = [None] * (_IPV4_END >> _HALF_BITS)
        self.numbered: list[CachedGeoRecord] = [CachedGeoRecord(GeoRecord())]
        self._countries: dict[str, int] = {}
        self._country_only = set(databases) == {"country"}
        self._country = databases["country"]
        self._city = databases.get("city")
        self._isp = databases.get("isp")
        self._connection = databases.get("connection")
        self._proxy = databases.get("proxy")

    def read(self, ip: str, number: int) -> CachedGeoRecord:
        """Read the record of an address, or of none (""), and keep it."""
        if self._country_only and number < _IPV4_END and ip:
            return self._read_country(ip, number)
        found = self._intern(self._read(ip) if ip else GeoRecord())
        self.places.add(number, found)
        return found

    def _read_country(self, ip: str, number: int) -> CachedGeoRecord:
        """Read the record of an IPv4 address with countries alone."""
        record, length = self._country.find_network(ip)
        country = country_of(record)
        place = self._countries.get(country)
        if place is None:
            place = self._countries[country] = len(self.numbered)
            self.numbered.append(CachedGeoRecord(GeoRecord(country)))
        found = self.numbered[place]
        half = number >> _HALF_BITS
        if length <= _HALF_BITS:
            count = 1 << _HALF_BITS - length
            first = half // count * count
            self.wide[first : first + count] = [found] * count
        elif length <= _IPV4_BITS - _QUARTER_BITS and place < _PARTS:
            narrow = self.narrow[half]
            if narrow is None:
                narrow = self.narrow[half] = bytearray(_PARTS)
            count = 1 << _IPV4_BITS - _QUARTER_BITS - length
            first = (number >> _QUARTER_BITS & _LAST_PART) // count * count
            narrow[first : first + count] = bytes((place,)) * count
        else:
            self.places.add(number, found)
        return found

    def _intern(self, place: GeoRecord) -> CachedGeoRecord:
        made = CachedGeoRecord(place)
        key = f"{made.columns},{place.proxy}"
        found = self._shared.find(key)
        if found is None:
            self._shared.add(key, made)
        return found or made

    def _read(self, ip: str) -> GeoRecord:
        """Return the record of an address; the country is that of the city, so that both fit."""
        record = {} if self._city is None else self._city.find(ip)
        region_id, (city_id, city) = _region_of(record), _city_of(record)
        return GeoRecord(
            country_of(record) or country_of(self._country.find(ip)),
            region_id,
            city_id,
            city,
            "" if self._isp is None else provider_of(self._isp.find(ip)),
            "" if self._connection is None else _connection_of(self._connection.find(ip)),
            self._proxy is not None and _is_proxy(self._proxy.find(ip)),
        )


def country_of(record: object) -> str:
    """Return the country code of a record: country_code, or in GeoIP2 country.iso_code."""
    if not isinstance(record, dict):
        return ""
    code = record.get("country_code")
    if code is None and isinstance(record.get("country"), dict):
        code = record["country"].get("iso_code")
    return code if isinstance(code, str) else ""


def provider_of(record: object) -> str:
    """Return the provider of a record of an ISP or ASN database; "" = none."""
    if not isinstance(record, dict):
        return ""
    return next((record[name] for name in PROVIDER_NAMES if isinstance(record.get(name), str)), "")


def _region_of(record: dict[str, Any]) -> int:
    """Return the id of the first-order division, the region of targeting."""
    divisions = record.get("subdivisions")
    first = divisions[0] if isinstance(divisions, list) and divisions else None
    return _geoname_id(first) if isinstance(first, dict) else 0


def _city_of(record: dict[str, Any]) -> tuple[int, str]:
    city = record.get("city")
    if not isinstance(city, dict):
        return 0, ""
    names = city.get("names")
    name = names.get("en") if isinstance(names, dict) else None
    return _geoname_id(city), name if isinstance(name, str) else ""


def _geoname_id(record: dict[str, Any]) -> int:
    number = record.get("geoname_id")
    return number if isinstance(number, int) else 0


def _connection_of(record: dict[str, Any]) -> str:
    kind = record.get("connection_type")
    return _CONNECTIONS.get(kind, "") if isinstance(kind, str) else ""


def _is_proxy(record: dict[str, Any]) -> bool:
    return any(record.get(name) for name in _PROXY_FIELDS)
