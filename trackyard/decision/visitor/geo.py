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
    ORGANIZATION_NAMES,
    PROVIDER_NAMES,
    AddressDatabase,
    AddressDatabases,
    FileStamp,
    InvalidDatabase,
    stamp_of,
)
from trackyard.decision.visitor.origins import InvalidOrigins, OriginTable
from trackyard.domain.statistics.click_columns import Source, columns_from
from trackyard.domain.statistics.quality.origins import HOSTING, PROXY, TOR, VPN

_CONNECTIONS: Final = {
    "Cellular": "cellular",
    "Cable/DSL": "wi-fi",
    "Corporate": "wi-fi",
    "Dialup": "wi-fi",
    "Satellite": "wi-fi",
}
"""Values of a Connection-Type database in the words of targeting: a mobile network, or a fixed one with wire or wi-fi.
Any other value is unknown."""

_PROXY_FIELDS: Final = {
    "is_anonymous": PROXY,
    "is_anonymous_vpn": VPN,
    "is_hosting_provider": HOSTING,
    "is_public_proxy": PROXY,
    "is_residential_proxy": PROXY,
    "is_tor_exit_node": TOR,
}
"""A record with any of these flags belongs to a proxy; each is a signal (docs/spec/quality.md#signals)."""
_SPECIAL: Final = VPN | HOSTING | TOR

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
    zip: postal code, which targeting alone reads, as it does the organization of the network
    """

    country: str = ""
    region_id: int = 0
    city_id: int = 0
    city: str = ""
    isp: str = ""
    connection: str = ""
    proxy: bool = False
    zip: str = ""
    organization: str = ""

    @property
    def region(self) -> str:
        """The region as text, "" = unknown."""
        return str(self.region_id) if self.region_id else ""


class CachedGeoRecord:
    """A cached geo record. columns: the record as columns of a click. origin: the signals of the address."""

    __slots__ = ("columns", "country", "origin", "place")

    def __init__(self, place: GeoRecord, origin: int = 0) -> None:
        self.place = place
        self.origin = origin
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
        self._opened = _OpenDatabases(opened, self._open_origins(), cache_size)

    def place(self, ip: str) -> GeoRecord:
        """Return the record of an address. `ip` must be an address or ""."""
        return self.find(ip, address_number(ip)).place

    def find(self, ip: str, number: int) -> CachedGeoRecord:
        """Return the cached record of an IP address.

        number: the address as a number, see decision.targeting.ip_lists.address_number
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
        fresh, origins = self._open_changed(), self._open_origins()
        if fresh or origins is not None:
            # Running look-ups keep the old files and their cache; the last one closes them.
            old = self._opened
            self._opened = _OpenDatabases(
                old.databases | fresh, old.origins if origins is None else origins, self._remembered
            )
            kinds = [*fresh, *(() if origins is None else ("origin",))]
            _log.info("IP address databases replaced", extra={"kinds": sorted(kinds)})

    def _open_origins(self) -> OriginTable | None:
        """Read the file of origins if it changed since the last look."""
        path = self._databases.find_origins()
        stamp = None if path is None else stamp_of(path)
        if path is None or ("origin" in self._stamps and stamp == self._stamps["origin"]):
            return None
        self._stamps["origin"] = stamp
        try:
            return OriginTable.of_file(path)
        except InvalidOrigins as fault:
            _log.error("origins of IP addresses not usable", extra={"path": str(path), "error": str(fault)})
            return None

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
                _log.error("IP address database not usable", extra={"path": str(path), "error": str(fault)})
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

    def __init__(self, databases: dict[str, AddressDatabase], origins: OriginTable | None, cache_size: int) -> None:
        self.databases = databases
        self.origins = origins
        self.places: BoundedCache[int, CachedGeoRecord] = BoundedCache(cache_size)
        self.wide: list[CachedGeoRecord | None] = [None] * (_IPV4_END >> _HALF_BITS)
        self._shared: BoundedCache[str, CachedGeoRecord] = BoundedCache(cache_size)
        self.narrow: list[bytearray | None] = [None] * (_IPV4_END >> _HALF_BITS)
        self.numbered: list[CachedGeoRecord] = [CachedGeoRecord(GeoRecord())]
        self._countries: dict[tuple[str, int], int] = {}
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
        origin = 0 if self.origins is None or not ip else self.origins.find(number)
        found = self._intern(*(self._read(ip, origin) if ip else (GeoRecord(), 0)))
        self.places.add(number, found)
        return found

    def _read_country(self, ip: str, number: int) -> CachedGeoRecord:
        """Read the record of an IPv4 address with countries and origins alone."""
        record, length = self._country.find_network(ip)
        first, last, origin = (0, _IPV4_END - 1, 0) if self.origins is None else self.origins.find_span(number)
        place = self._number(country_of(record), origin)
        found = self.numbered[place]
        size = 1 << max(_IPV4_BITS - length, 0)
        first = max(first, number // size * size)
        last = min(last, number // size * size + size - 1)
        half, whole = number >> _HALF_BITS, 1 << _HALF_BITS
        halves = range(-(-first // whole), (last + 1) // whole)
        if half in halves:
            self.wide[halves.start : halves.stop] = [found] * len(halves)
            return found
        parts = range(
            -(-max(first, half * whole) >> _QUARTER_BITS), min(last + 1, half * whole + whole) >> _QUARTER_BITS
        )
        if number >> _QUARTER_BITS in parts and place < _PARTS:
            narrow = self.narrow[half]
            if narrow is None:
                narrow = self.narrow[half] = bytearray(_PARTS)
            start = parts.start - half * _PARTS
            narrow[start : start + len(parts)] = bytes((place,)) * len(parts)
        else:
            self.places.add(number, found)
        return found

    def _number(self, country: str, origin: int) -> int:
        """Return the index in `numbered` of a country and an origin."""
        place = self._countries.get((country, origin))
        if place is None:
            place = self._countries[country, origin] = len(self.numbered)
            self.numbered.append(CachedGeoRecord(GeoRecord(country), origin))
        return place

    def _intern(self, place: GeoRecord, origin: int) -> CachedGeoRecord:
        made = CachedGeoRecord(place, origin)
        key = f"{made.columns},{place.proxy},{origin},{place.zip},{place.organization}"
        found = self._shared.find(key)
        if found is None:
            self._shared.add(key, made)
        return found or made

    def _read(self, ip: str, origin: int) -> tuple[GeoRecord, int]:
        """Return the record of an IP address and its signals; city and country come from one database.

        origin: the signals in the file of origins.
        """
        listed = 0 if self._proxy is None else proxy_signals(self._proxy.find(ip))
        record = {} if self._city is None else self._city.find(ip)
        region_id, (city_id, city) = _region_of(record), _city_of(record)
        network = {} if self._isp is None else self._isp.find(ip)
        place = GeoRecord(
            country_of(record) or country_of(self._country.find(ip)),
            region_id,
            city_id,
            city,
            provider_of(network),
            "" if self._connection is None else _connection_of(self._connection.find(ip)),
            listed != 0,
            _zip_of(record),
            _organization_of(network),
        )
        return place, origin | listed


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


def _zip_of(record: dict[str, Any]) -> str:
    postal = record.get("postal")
    code = postal.get("code") if isinstance(postal, dict) else None
    return code if isinstance(code, str) else ""


def _organization_of(record: dict[str, Any]) -> str:
    """Return the organization of a record of an ISP or ASN database; "" = none."""
    return next((record[name] for name in ORGANIZATION_NAMES if isinstance(record.get(name), str)), "")


def _geoname_id(record: dict[str, Any]) -> int:
    number = record.get("geoname_id")
    return number if isinstance(number, int) else 0


def _connection_of(record: dict[str, Any]) -> str:
    kind = record.get("connection_type")
    return _CONNECTIONS.get(kind, "") if isinstance(kind, str) else ""


def proxy_signals(record: dict[str, Any]) -> int:
    """Return the signals in a record of an Anonymous-IP database; 0 = the address is not a proxy."""
    signals = 0
    for name, signal in _PROXY_FIELDS.items():
        if record.get(name):
            signals |= signal
    # is_anonymous is set with any of the others: alone it means a proxy
    return signals & ~PROXY if signals & _SPECIAL and not _is_open_proxy(record) else signals


def _is_open_proxy(record: dict[str, Any]) -> bool:
    return bool(record.get("is_public_proxy") or record.get("is_residential_proxy"))
