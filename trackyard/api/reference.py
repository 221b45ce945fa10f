"""Reference lists: what parameters may name (spec: Offers and reference data; behaviour.md §10)."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.api.paging import Paging
from trackyard.base.errors import NotFound, TooHeavy
from trackyard.decide import names
from trackyard.decide.providers import Provider, find_providers
from trackyard.decide.visitor import DEVICES
from trackyard.domain import places
from trackyard.domain.roles import Permission
from trackyard.wire import scalars as s
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.envelope import Answer, Pagination, View, pagination
from trackyard.wire.params import CommaList, NoParams, Params

PAGE_MAX = 10_000
WAIT_SECONDS = 5
"""How long a call waits for the first reading of the provider database."""

CountryCode = Annotated[str, s.Words(pattern="[A-Za-z]{2}")]
Language = Annotated[str, s.Words(pattern="|".join(places.LANGUAGES))]

T = TypeVar("T")


class ListCities(Paging):
    """The cities of a country."""

    country: CountryCode
    locale: Language = "en"


class CityView(View):
    """A city. id: of GeoNames · region_code: the id of its region, "" when unknown · time_zone: IANA name."""

    id: int
    name: str
    country_code: str
    region_code: str
    time_zone: str


class CitiesAnswer(Answer):
    """Cities, by their English name."""

    cities: list[CityView]
    pagination: Pagination


def list_cities(call: Call[Deps], params: ListCities) -> CitiesAnswer:
    """List the cities of a country, with their time zones; a name that is not known in `locale` is the usual one."""
    page, found = _page(call, params, places.cities().get(params.country.upper(), ()))
    views = [
        CityView(
            id=city.id,
            name=city.called(params.locale),
            country_code=city.country,
            region_code=str(city.region_id or ""),
            time_zone=city.zone,
        )
        for city in found
    ]
    return CitiesAnswer(cities=views, pagination=page)


class ListProviders(Paging):
    """Internet providers whose name holds `q`."""

    q: s.Text = ""


class ProviderView(View):
    """An internet provider in a country."""

    country: str
    name: str


class ProvidersAnswer(Answer):
    """Providers, by name. isps: the same again, under 3.1."""

    isp: list[ProviderView]
    pagination: Pagination
    isps: list[ProviderView] | UnsetType = UNSET


def list_providers(call: Call[Deps], params: ListProviders) -> ProvidersAnswer:
    """List internet providers; none unless a provider database is configured."""
    known = _providers(call.deps)
    wanted = params.q.strip().casefold()
    page, found = _page(call, params, [each for each in known if wanted in each.name.casefold()])
    views = [ProviderView(country=each.country, name=each.name) for each in found]
    return ProvidersAnswer(isp=views, isps=views if call.version == "3.1" else UNSET, pagination=page)


def _providers(deps: Deps) -> tuple[Provider, ...]:
    if deps.isp_database is None:
        return ()
    known = find_providers(deps.isp_database, WAIT_SECONDS)
    if known is None:
        raise TooHeavy("The provider database is being read for the first time: ask again in a minute")
    return known


class InLanguage(Params):
    """The language of names."""

    locale: Language = "en"


class CountryView(View):
    """A country. code: ISO 3166."""

    code: str
    name: str


class CountriesAnswer(Answer):
    """Countries, by name."""

    countries: list[CountryView]


def list_countries(_call: Call[Deps], params: InLanguage) -> CountriesAnswer:
    """List the countries."""
    found = places.countries(params.locale)
    return CountriesAnswer(countries=[CountryView(code=each.code, name=each.name) for each in found])


class OfCountries(Params):
    """Countries to choose from; none = all."""

    country: CommaList[CountryCode] = ()


class RegionView(View):
    """A first-order division of a country. id: of GeoNames, as address databases give it."""

    id: int
    name: str
    country_code: str


class RegionsAnswer(Answer):
    """Regions, by country and name."""

    regions: list[RegionView]


def list_regions(_call: Call[Deps], params: OfCountries) -> RegionsAnswer:
    """List the regions, of some countries or of all."""
    wanted = [code.upper() for code in params.country] or sorted(places.regions())
    found = [region for code in dict.fromkeys(wanted) for region in places.regions().get(code, ())]
    views = [RegionView(id=each.id, name=each.name, country_code=each.country) for each in found]
    return RegionsAnswer(regions=views)


class SystemsAnswer(Answer):
    """Operating systems: id → name."""

    oses: dict[str, str]
    pagination: Pagination


def list_systems(call: Call[Deps], params: Paging) -> SystemsAnswer:
    """List the operating systems that clicks are read as."""
    page, found = _page(call, params, names.systems())
    return SystemsAnswer(oses={_slug(name): name for name in found}, pagination=page)


class VersionsAnswer(Answer):
    """Versions, oldest first."""

    versions: list[str]
    pagination: Pagination


def find_system(call: Call[Deps]) -> str:
    """The system that a path names by its id or name. Raises NotFound."""
    wanted = _slug(call.path["os"])
    for name in names.systems():
        if _slug(name) == wanted:
            return name
    raise NotFound


def list_versions(call: Call[Deps], params: Paging) -> VersionsAnswer:
    """List the known versions of an operating system."""
    page, found = _page(call, params, names.versions(call.subject))
    return VersionsAnswer(versions=list(found), pagination=page)


class VendorsAnswer(Answer):
    """Makers of devices, by name."""

    vendors: list[str]


def list_vendors(_call: Call[Deps], _params: NoParams) -> VendorsAnswer:
    """List the makers of devices that clicks are read as."""
    return VendorsAnswer(vendors=list(names.vendors()))


class BrowsersAnswer(Answer):
    """Browsers, by name."""

    browsers: list[str]
    pagination: Pagination


def list_browsers(call: Call[Deps], params: Paging) -> BrowsersAnswer:
    """List the browsers that clicks are read as."""
    page, found = _page(call, params, names.browsers())
    return BrowsersAnswer(browsers=list(found), pagination=page)


class TypesAnswer(Answer):
    """Words that a parameter takes."""

    types: list[str]


def list_devices(_call: Call[Deps], _params: NoParams) -> TypesAnswer:
    """List the kinds of devices."""
    return TypesAnswer(types=list(DEVICES))


def list_connection_types(_call: Call[Deps], _params: NoParams) -> TypesAnswer:
    """List the kinds of connections."""
    return TypesAnswer(types=["wi-fi", "cellular"])


def _page(call: Call[Deps], params: Paging, known: Sequence[T]) -> tuple[Pagination, Sequence[T]]:
    limit = params.clamped(call)
    start = (params.page - 1) * limit
    return pagination(page=params.page, per_page=limit, total=len(known)), known[start : start + limit]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _listing(
    name: str, path: str, params: type[Params], answer: type[Answer], handle: Callable[[Call[Deps], Any], Answer]
) -> Endpoint[Deps]:
    return Endpoint(
        id=name,
        method="GET",
        path=path,
        permission=Permission.OFFERS_READ,
        params=params,
        answer=answer,
        handle=handle,
        page_max=PAGE_MAX if issubclass(params, Paging) else 1000,
    )


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    _listing("cities.list", "/cities", ListCities, CitiesAnswer, list_cities),
    _listing("isp.list", "/isp", ListProviders, ProvidersAnswer, list_providers),
    _listing("countries.list", "/countries", InLanguage, CountriesAnswer, list_countries),
    _listing("regions.list", "/regions", OfCountries, RegionsAnswer, list_regions),
    _listing("oses.list", "/oses", Paging, SystemsAnswer, list_systems),
    Endpoint(
        id="oses.versions",
        method="GET",
        path="/oses/{os}",
        permission=Permission.OFFERS_READ,
        params=Paging,
        answer=VersionsAnswer,
        find=find_system,
        handle=list_versions,
        page_max=PAGE_MAX,
    ),
    _listing("vendors.list", "/vendors", NoParams, VendorsAnswer, list_vendors),
    _listing("devices.list", "/devices", NoParams, TypesAnswer, list_devices),
    _listing("browsers.list", "/browsers", Paging, BrowsersAnswer, list_browsers),
    _listing("connection-types.list", "/connection-types", NoParams, TypesAnswer, list_connection_types),
)
