"""Where visitors of the demonstration are: networks, cities and providers.

`script/demo-databases` makes the databases in `data/` from this table. Each network is cut into quarters, one for each
city, and each quarter into two halves: the lower one belongs to a provider of lines, the upper one to a carrier.
Providers are invented; cities and regions have their ids of GeoNames.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Network
from pathlib import Path
from random import Random
from typing import Final

_DATA: Final = Path(str(files(__package__) / "data"))
DATABASES: Final = {name: _DATA / f"{name}.mmdb" for name in ("city", "isp", "connection")}
"""The databases by the setting that names one, `TRACKYARD_CITY_DATABASE` and so on."""

_CITY_WEIGHTS: Final = (5, 2, 2, 1)


@dataclass(frozen=True, slots=True)
class DemoCity:
    """A city. id, region_id: of GeoNames."""

    id: int
    name: str
    region_id: int


@dataclass(frozen=True, slots=True)
class DemoPlace:
    """A country of visitors.

    share: the country's share of visitors.
    language: their Accept-Language.
    line, carrier: the providers of fixed and mobile connections, by name.
    """

    country: str
    network: str
    share: int
    language: str
    line: str
    carrier: str
    cities: tuple[DemoCity, DemoCity, DemoCity, DemoCity]

    def quarters(self) -> list[IPv4Network]:
        """Return the network of each city."""
        return list(IPv4Network(self.network).subnets(prefixlen_diff=2))

    def address(self, rng: Random, *, cellular: bool) -> str:
        """Return an IP address of a visitor."""
        [halves] = rng.choices(_halves(self.network), _CITY_WEIGHTS)
        half = halves[cellular]
        return str(half[rng.randrange(1, half.num_addresses - 1)])


@cache
def _halves(network: str) -> list[list[IPv4Network]]:
    """Return the two halves of each quarter of a network."""
    return [list(quarter.subnets()) for quarter in IPv4Network(network).subnets(prefixlen_diff=2)]


PLACES: Final = (
    DemoPlace("US", "73.0.0.0/8", 30, "en-US,en;q=0.9", "Redwood Cable", "Bluebird Mobile",
          (DemoCity(5128581, "New York City", 5128638), DemoCity(5368361, "Los Angeles", 5332921),
           DemoCity(4887398, "Chicago", 4896861), DemoCity(4699066, "Houston", 4736286))),
    DemoPlace("GB", "86.128.0.0/11", 14, "en-GB,en;q=0.9", "Thames Broadband", "Kestrel Mobile",
          (DemoCity(2643743, "London", 6269131), DemoCity(2643123, "Manchester", 6269131),
           DemoCity(2655603, "Birmingham", 6269131), DemoCity(2648579, "Glasgow", 2638360))),
    DemoPlace("DE", "91.0.0.0/10", 13, "de-DE,de;q=0.9,en;q=0.5", "Rheinkabel", "Nordfunk",
          (DemoCity(2950159, "Berlin", 2950157), DemoCity(2911298, "Hamburg", 2911297),
           DemoCity(2867714, "Munich", 2951839), DemoCity(2886242, "Köln", 2861876))),
    DemoPlace("FR", "90.0.0.0/9", 10, "fr-FR,fr;q=0.9", "Lumière Fibre", "Alouette Mobile",
          (DemoCity(2988507, "Paris", 3012874), DemoCity(2996944, "Lyon", 11071625),
           DemoCity(2995469, "Marseille", 2985244), DemoCity(2972315, "Toulouse", 11071623))),
    DemoPlace("ES", "83.32.0.0/11", 8, "es-ES,es;q=0.9", "Iberia Fibra", "Golondrina Móvil",
          (DemoCity(3117735, "Madrid", 3117732), DemoCity(3128760, "Barcelona", 3336901),
           DemoCity(2509954, "Valencia", 2593113), DemoCity(2510911, "Sevilla", 2593109))),
    DemoPlace("IN", "117.192.0.0/10", 8, "en-IN,hi;q=0.8", "Ganga Net", "Mayur Mobile",
          (DemoCity(1275339, "Mumbai", 1264418), DemoCity(1273294, "Delhi", 1273293),
           DemoCity(1277333, "Bengaluru", 1267701), DemoCity(1264527, "Chennai", 1255053))),
    DemoPlace("BR", "177.32.0.0/12", 6, "pt-BR,pt;q=0.9", "Paulista Cabo", "Tucano Celular",
          (DemoCity(3448439, "São Paulo", 3448433), DemoCity(3451190, "Rio de Janeiro", 3451189),
           DemoCity(3470127, "Belo Horizonte", 3457153), DemoCity(3450554, "Salvador", 3471168))),
    DemoPlace("JP", "126.0.0.0/8", 5, "ja-JP,ja;q=0.9", "Hikari Line", "Tsubame Mobile",
          (DemoCity(1850147, "Tokyo", 1850144), DemoCity(1853909, "Osaka", 1853904),
           DemoCity(1856057, "Nagoya", 1865694), DemoCity(2128295, "Sapporo", 2130037))),
    DemoPlace("AU", "1.128.0.0/11", 3, "en-AU,en;q=0.9", "Southern Cable", "Magpie Mobile",
          (DemoCity(2147714, "Sydney", 2155400), DemoCity(2158177, "Melbourne", 2145234),
           DemoCity(2174003, "Brisbane", 2152274), DemoCity(2063523, "Perth", 2058645))),
    DemoPlace("NG", "105.112.0.0/12", 2, "en-NG,en;q=0.9", "Lagoon Net", "Ibis Mobile",
          (DemoCity(2332459, "Lagos", 2332453), DemoCity(2352778, "Abuja", 2352776),
           DemoCity(2335204, "Kano", 2335196), DemoCity(2339354, "Ibadan", 2325190))),
)  # fmt: skip
"""The countries of visitors."""


def records(kind: str) -> dict[str, dict[str, object]]:
    """Return the records of a database by network, as MMDB stores them. kind: a key of DATABASES."""
    made: dict[str, dict[str, object]] = {}
    for place in PLACES:
        for quarter, city in zip(place.quarters(), place.cities, strict=True):
            if kind == "city":
                made[str(quarter)] = {
                    "country": {"iso_code": place.country},
                    "subdivisions": [{"geoname_id": city.region_id}],
                    "city": {"geoname_id": city.id, "names": {"en": city.name}},
                }
                continue
            lines, phones = quarter.subnets()
            if kind == "isp":
                made[str(lines)], made[str(phones)] = {"isp": place.line}, {"isp": place.carrier}
            else:
                made[str(lines)] = {"connection_type": "Cable/DSL"}
                made[str(phones)] = {"connection_type": "Cellular"}
    return made
