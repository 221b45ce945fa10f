"""Countries, regions and cities, by their GeoNames ids, which address databases use.

The tables in `data` hold countries, their regions and cities of 5,000 people and more; script/places and
script/regions write them. Each is read on first use and kept in a compact form.
"""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from sys import intern
from typing import Final

import msgspec

LANGUAGES: Final = ("ru", "en", "es")
_COUNTRY_COLUMNS: Final = ("code", "en", "ru", "es")


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


@cache
def countries(language: str = "en") -> tuple[Country, ...]:
    """Return every country, by name. language: one of LANGUAGES."""
    column = _COUNTRY_COLUMNS.index(language)
    listed = [Country(line[0], line[column]) for line in _lines("countries.tsv")]
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
    for country, code, number, name in _lines("regions.tsv"):
        found.setdefault(country, []).append(Region(int(number), name, country, code))
    return {country: tuple(sorted(items, key=lambda item: (item.name, item.id))) for country, items in found.items()}


@cache
def cities() -> dict[str, tuple[City, ...]]:
    """Return the cities of each country, by name."""
    found: dict[str, list[City]] = {}
    for country, number, name, zone, region, ru, es in _lines("cities.tsv"):
        code = intern(country)
        city = City(int(number), name, intern(zone), code, int(region or 0), ru, es)
        found.setdefault(code, []).append(city)
    return {country: tuple(listed) for country, listed in found.items()}


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


def _lines(name: str) -> Iterator[list[str]]:
    """Yield the columns of each line of a table."""
    text = resources.files("trackyard.domain.platform").joinpath("data", name).read_text(encoding="utf-8")
    for line in text.split("\n")[:-1]:
        yield line.split("\t")
