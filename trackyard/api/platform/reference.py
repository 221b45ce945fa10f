"""Reference lists of values that parameters accept (docs/api/reference.md)."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from http import HTTPStatus
from typing import Annotated, TypeVar

from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.api.paging import Paging
from trackyard.base.errors import NotFound, ReportTooHeavy
from trackyard.decision.visitor import names
from trackyard.decision.visitor.providers import Provider, find_providers
from trackyard.decision.visitor.visitor import DEVICES
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform import geo
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, CommaList, NoParams, Params
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

PAGE_MAX = 10_000
WAIT_SECONDS = 5
"""How long a call waits for the first reading of the provider database."""

CountryCode = Annotated[str, s.BoundedText(pattern="[A-Za-z]{2}", has_no_comma=True)]
ProviderId = Annotated[int, s.WholeNumber(minimum=0, maximum=2**48 - 1)]
Language = Annotated[str, s.BoundedText(pattern="|".join(geo.LANGUAGES))]

T = TypeVar("T")

routes = Routes[Deps]()


class ReferenceAnswer(Answer, kw_only=True, rename={"status_code": "statusCode"}):
    """The base of reference answers. statusCode: 200, under 3.1 alone, where programs read it."""

    status_code: int | UnsetType = UNSET


class ListCities(Paging):
    """The filters of a list. q: part of the name; code: ids of cities."""

    country: AnyOf[CountryCode]
    q: s.Text = ""
    code: AnyOf[s.Id] = ()
    locale: Language = "en"


class CityView(View):
    """A city. id: of GeoNames; region_code: the id of its region, "" when unknown."""

    id: int
    name: str
    country_code: str
    region_code: str
    time_zone: str


class CitiesAnswer(ReferenceAnswer):
    """Cities, by their English name."""

    cities: list[CityView]
    pagination: Pagination


@routes.get("/cities", for_callers(Permission.OFFERS_READ), id="cities.list", page_max=PAGE_MAX)
def list_cities(request: ApiRequest[Deps], params: ListCities) -> CitiesAnswer:
    """List the cities of countries, with their time zones.

    A name that is not known in `locale` is the usual one. `q` matches a part of the usual name or of that in `locale`,
    in any case.
    """
    part, ids = params.q.strip().casefold(), set(params.code)
    known = [
        city
        for country in _codes(params.country)
        for city in geo.cities().get(country, ())
        if (not ids or city.id in ids)
        and (part in city.name.casefold() or part in city.name_in(params.locale).casefold())
    ]
    page, found = _page(request, params, known)
    views = [
        CityView(
            id=city.id,
            name=city.name_in(params.locale),
            country_code=city.country,
            region_code=str(city.region_id or ""),
            time_zone=city.zone,
        )
        for city in found
    ]
    return CitiesAnswer(cities=views, pagination=page, status_code=_status_code(request))


class ListProviders(Paging):
    """The filters of a list. q: part of the name; code: ids of providers."""

    q: s.Text = ""
    country: AnyOf[CountryCode] = ()
    code: AnyOf[ProviderId] = ()


class ProviderView(View):
    """An internet provider in a country.

    id: the same for the same name and country, whatever the database.
    """

    id: int
    country: str
    name: str


class ProvidersAnswer(ReferenceAnswer):
    """Providers, by name. isps: the same again, under 3.1."""

    isp: list[ProviderView]
    pagination: Pagination
    isps: list[ProviderView] | UnsetType = UNSET


@routes.get("/isp", for_callers(Permission.OFFERS_READ), id="isp.list", page_max=PAGE_MAX)
def list_providers(request: ApiRequest[Deps], params: ListProviders) -> ProvidersAnswer:
    """List internet providers; none unless a provider database is configured."""
    part, countries, ids = params.q.strip().casefold(), set(_codes(params.country)), set(params.code)
    known = [
        each
        for each in _providers(request.deps)
        if part in each.name.casefold()
        and (not countries or each.country in countries)
        and (not ids or provider_id(each) in ids)
    ]
    page, found = _page(request, params, known)
    views = [view_of(ProviderView, each, id=provider_id(each)) for each in found]
    again = views if request.version == "3.1" else UNSET
    return ProvidersAnswer(isp=views, isps=again, pagination=page, status_code=_status_code(request))


def provider_id(provider: Provider) -> int:
    """Return the id of a provider: 48 bits of a digest of its country and name.

    Databases have no ids of their own.
    """
    named = f"{provider.country}\0{provider.name}".encode()
    return int.from_bytes(blake2b(named, digest_size=6).digest(), "big")


def _providers(deps: Deps) -> tuple[Provider, ...]:
    if deps.isp_database is None:
        return ()
    known = find_providers(deps.isp_database, WAIT_SECONDS)
    if known is None:
        raise ReportTooHeavy("The provider database is being read for the first time: ask again in a minute")
    return known


class LanguageParams(Params):
    """The language of each name."""

    locale: Language = "en"


class CountryView(View):
    """A country. code: ISO 3166."""

    code: str
    name: str


class CountriesAnswer(ReferenceAnswer):
    """Countries, by name."""

    countries: list[CountryView]


@routes.get("/countries", for_callers(Permission.OFFERS_READ), id="countries.list")
def list_countries(request: ApiRequest[Deps], params: LanguageParams) -> CountriesAnswer:
    """List the countries."""
    views = [view_of(CountryView, each) for each in geo.countries(params.locale)]
    return CountriesAnswer(countries=views, status_code=_status_code(request))


class ListRegions(Params):
    """The filters of a list; none = all. code: ids of regions."""

    country: CommaList[CountryCode] = ()
    code: CommaList[s.Id] = ()


class RegionView(View):
    """A first-order division of a country. id: of GeoNames, as IP address databases give it."""

    id: int
    name: str
    country_code: str


class RegionsAnswer(ReferenceAnswer):
    """Regions, by country and name."""

    regions: list[RegionView]


@routes.get("/regions", for_callers(Permission.OFFERS_READ), id="regions.list")
def list_regions(request: ApiRequest[Deps], params: ListRegions) -> RegionsAnswer:
    """List the regions, of some countries or of all."""
    wanted, ids = _codes(params.country) or sorted(geo.regions()), set(params.code)
    found = [region for code in wanted for region in geo.regions().get(code, ()) if not ids or region.id in ids]
    views = [view_of(RegionView, each, country_code=each.country) for each in found]
    return RegionsAnswer(regions=views, status_code=_status_code(request))


class SystemsAnswer(ReferenceAnswer):
    """Operating systems: id → name."""

    oses: dict[str, str]
    pagination: Pagination


@routes.get("/oses", for_callers(Permission.OFFERS_READ), id="oses.list", page_max=PAGE_MAX)
def list_systems(request: ApiRequest[Deps], params: Paging) -> SystemsAnswer:
    """List the operating systems that clicks are read as."""
    page, found = _page(request, params, names.systems())
    return SystemsAnswer(oses={_slug(name): name for name in found}, pagination=page, status_code=_status_code(request))


class VersionsAnswer(ReferenceAnswer):
    """Versions, oldest first."""

    versions: list[str]
    pagination: Pagination


def find_system(request: ApiRequest[Deps]) -> str:
    """Return the system of the id or name in the path. Raises NotFound."""
    wanted = _slug(request.path["os"])
    for name in names.systems():
        if _slug(name) == wanted:
            return name
    raise NotFound


@routes.get("/oses/{os}", for_callers(Permission.OFFERS_READ), id="oses.versions", find=find_system, page_max=PAGE_MAX)
def list_versions(request: ApiRequest[Deps], params: Paging) -> VersionsAnswer:
    """List the known versions of an operating system."""
    page, found = _page(request, params, names.versions(request.subject))
    return VersionsAnswer(versions=list(found), pagination=page, status_code=_status_code(request))


class ListVendors(Params):
    """The filter of a list. q: part of the name."""

    q: s.Text = ""


class VendorsAnswer(ReferenceAnswer):
    """Makers of devices, by name."""

    vendors: list[str]


@routes.get("/vendors", for_callers(Permission.OFFERS_READ), id="vendors.list")
def list_vendors(request: ApiRequest[Deps], params: ListVendors) -> VendorsAnswer:
    """List the makers of devices that clicks are read as. `q` matches a part of the name, in any case."""
    part = params.q.strip().casefold()
    found = [name for name in names.vendors() if part in name.casefold()]
    return VendorsAnswer(vendors=found, status_code=_status_code(request))


class BrowsersAnswer(ReferenceAnswer):
    """Browsers, by name."""

    browsers: list[str]
    pagination: Pagination


@routes.get("/browsers", for_callers(Permission.OFFERS_READ), id="browsers.list", page_max=PAGE_MAX)
def list_browsers(request: ApiRequest[Deps], params: Paging) -> BrowsersAnswer:
    """List the browsers that clicks are read as."""
    page, found = _page(request, params, names.browsers())
    return BrowsersAnswer(browsers=list(found), pagination=page, status_code=_status_code(request))


class TypesAnswer(ReferenceAnswer):
    """Words that a parameter takes."""

    types: list[str]


@routes.get("/devices", for_callers(Permission.OFFERS_READ), id="devices.list")
def list_devices(request: ApiRequest[Deps], _params: NoParams) -> TypesAnswer:
    """List the kinds of devices."""
    return TypesAnswer(types=list(DEVICES), status_code=_status_code(request))


@routes.get("/connection-types", for_callers(Permission.OFFERS_READ), id="connection-types.list")
def list_connection_types(request: ApiRequest[Deps], _params: NoParams) -> TypesAnswer:
    """List the kinds of connections."""
    return TypesAnswer(types=["wi-fi", "cellular"], status_code=_status_code(request))


def _status_code(request: ApiRequest[Deps]) -> int | UnsetType:
    return HTTPStatus.OK if request.version == "3.1" else UNSET


def _codes(countries: Sequence[str]) -> list[str]:
    """Country codes in capitals, each once."""
    return list(dict.fromkeys(code.upper() for code in countries))


def _page(request: ApiRequest[Deps], params: Paging, known: Sequence[T]) -> tuple[Pagination, Sequence[T]]:
    place = params.place(request)
    end = place["page"] * place["limit"]
    return params.pagination(request, len(known)), known[end - place["limit"] : end]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
