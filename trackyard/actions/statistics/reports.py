"""Statistics and lists of clicks and conversions, for what a caller may see, with the names of what they mention."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.cities import find_city_ids
from trackyard.analytics.reports.clicks import ClickQuery, ListedClick, list_clicks
from trackyard.analytics.reports.dimensions import DIMENSIONS, NO_MANAGER
from trackyard.analytics.reports.query import Report, Values
from trackyard.analytics.reports.reports import StatsPage, StatsRow, run_report
from trackyard.base.errors import NotFound
from trackyard.domain.people.affiliates import AffiliateName
from trackyard.domain.people.callers import Caller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.domain.platform.geo import city_name
from trackyard.store.conversions import lists as conversion_lists
from trackyard.store.conversions.lists import ConversionFilter, ListedConversion
from trackyard.store.engine.database import Connection
from trackyard.store.money.affiliate_payments import payment_statuses_of
from trackyard.store.offers import offers
from trackyard.store.offers.offers import OfferName
from trackyard.store.people import advertisers, affiliates, staff

FAR_FUTURE_MS: Final = 2**53
"""A moment behind every other, UTC ms."""

_MANAGED: Final[Mapping[str, Callable[[Connection, Scope], Mapping[Any, str]]]] = {
    "manager": affiliates.managers_by_affiliate,
    "advertiser_manager": advertisers.managers_by_advertiser,
}
"""Slice by manager → who manages what today."""
_TITLES: Final[Mapping[str, Callable[[Connection, Scope], Mapping[Any, str]]]] = {
    "advertiser": advertisers.titles_in,
    "affiliate": affiliates.titles_in,
    "offer": lambda conn, _scope: offers.all_titles(conn),
    "manager": lambda conn, _scope: _manager_titles(conn),
    "advertiser_manager": lambda conn, _scope: _manager_titles(conn),
}
"""Slice → the titles that its values are shown with and ordered by."""
UNDEFINED: Final = "Undefined"
"""The name of the manager of those who have none."""
_NO_CITIES: Final[Mapping[str, str]] = MappingProxyType({})
_MANAGERS: Final = tuple(part.key for name in _MANAGED for part in DIMENSIONS[name].parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery:
    """What is asked of statistics; see Report for what the fields mean.

    filters, excluded: by name of the analytic store · affiliate_managers, advertiser_managers: ids of staff · tags: any
    of them; not_…: the same of what is left out. Managers and tags are today's: they choose affiliates, advertisers and
    offers. Empty asks nothing · locale: one of domain/platform/geo.py LANGUAGES, for names of cities.
    """

    dimensions: tuple[str, ...]
    since: int
    until: int
    zone: str
    filters: Mapping[str, Values]
    affiliate_managers: tuple[str, ...] = ()
    advertiser_managers: tuple[str, ...] = ()
    affiliate_tags: tuple[str, ...] = ()
    advertiser_tags: tuple[str, ...] = ()
    offer_tags: tuple[str, ...] = ()
    excluded: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    not_affiliate_managers: tuple[str, ...] = ()
    not_advertiser_managers: tuple[str, ...] = ()
    not_affiliate_tags: tuple[str, ...] = ()
    not_advertiser_tags: tuple[str, ...] = ()
    not_offer_tags: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    descending: bool = False
    separate_not_found: bool = False
    nonzero: bool = False
    by_payout: bool = False
    page: int = 1
    limit: int = 100
    locale: str = "en"


@dataclass(frozen=True, slots=True)
class EntityNames:
    """Today's names by id; what does not exist any more is absent. cities: by their stored name."""

    offers: dict[int, OfferName] = field(default_factory=dict)
    affiliates: dict[int, AffiliateName] = field(default_factory=dict)
    advertisers: dict[str, str] = field(default_factory=dict)
    managers: dict[str, Staff] = field(default_factory=dict)
    cities: dict[str, str] = field(default_factory=dict)


def list_statistics_rows(
    deps: Deps, caller: Caller, permission: Permission, report_query: ReportQuery
) -> tuple[StatsPage, EntityNames]:
    """A page of statistics rows. Raises TooHeavy."""
    with deps.database.read() as conn:
        report = report_of(conn, caller, permission, report_query)
    found = run_report(deps.analytics, report)
    with deps.database.read() as conn:
        names = names_in_rows(conn, found.rows)
    return found, replace(names, cities=cities_in_rows(deps, report, found.rows, report_query.locale))


def report_of(conn: Connection, caller: Caller, permission: Permission, report_query: ReportQuery) -> Report:
    """What the analytic store is asked, within the caller's scope."""
    scope = scope_of(conn, caller, permission)
    filters = _filters(conn, report_query)
    managers = {name: _MANAGED[name](conn, scope) for name in report_query.dimensions if name in _MANAGED}
    return Report(
        scope=scope,
        since=report_query.since,
        until=report_query.until,
        dimensions=report_query.dimensions,
        filters=filters,
        excluded=_excluded(conn, report_query),
        managers=managers,
        titles={name: _TITLES[name](conn, scope) for name in report_query.order if name in _TITLES},
        zone=report_query.zone,
        order=report_query.order,
        descending=report_query.descending,
        separate_not_found=report_query.separate_not_found,
        nonzero=report_query.nonzero,
        by_payout=report_query.by_payout,
        page=report_query.page,
        limit=report_query.limit,
    )


def names_in_rows(conn: Connection, rows: Iterable[StatsRow]) -> EntityNames:
    """The names that statistics rows mention."""
    keys = [row.keys for row in rows]
    return EntityNames(
        offers=offers.names_of(conn, {int(key["offer"]) for key in keys if "offer" in key}),
        affiliates=affiliates.names_of(conn, {int(key["affiliate"]) for key in keys if "affiliate" in key}),
        advertisers=advertisers.titles_of(conn, {str(key["advertiser"]) for key in keys if "advertiser" in key}),
        managers=staff.staff_of(conn, {str(key[part]) for key in keys for part in _MANAGERS if part in key}),
    )


def cities_in_rows(
    deps: Deps, report: Report, rows: Iterable[StatsRow], locale: str, known: Mapping[str, str] = _NO_CITIES
) -> dict[str, str]:
    """What the cities that statistics rows of a report mention are called in a language, else as they are stored; those
    that are `known` are not looked up again. Raises TooHeavy."""
    new = {str(row.keys["city"]) for row in rows if "city" in row.keys} - known.keys()
    if locale == "en" or not new:
        return dict(known)
    ids = find_city_ids(deps.analytics, report, new)
    return {**known, **{name: city_name(ids.get(name, 0), locale) or name for name in new}}


def list_visible_clicks(
    deps: Deps, caller: Caller, permission: Permission, query: ClickQuery
) -> tuple[list[ListedClick], int, EntityNames]:
    """A page of accepted clicks, how many there are, and names. The query's scope becomes the caller's."""
    with deps.database.read() as conn:
        query = replace(query, scope=scope_of(conn, caller, permission))
    page = list_clicks(deps.analytics, query)
    with deps.database.read() as conn:
        return page.clicks, page.total_count, names_in_clicks(conn, page.clicks)


def list_visible_conversions(
    deps: Deps, caller: Caller, permission: Permission, chosen: ConversionFilter, *, page: int, limit: int
) -> tuple[list[ListedConversion], int, EntityNames]:
    """A page of conversions, how many there are, and names."""
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, permission)
        found, total = conversion_lists.list_conversions(conn, scope, chosen, page=page, limit=limit)
        return with_payments(conn, found), total, names_in_conversions(conn, found)


def with_payments(conn: Connection, found: Sequence[ListedConversion]) -> list[ListedConversion]:
    """Conversions with the state of the payment that each is in."""
    paid = payment_statuses_of(conn, [item.id for item in found])
    return [replace(item, in_payment=paid.get(item.id)) for item in found]


def get_conversion(
    deps: Deps, caller: Caller, permission: Permission, conversion_id: str
) -> tuple[ListedConversion, EntityNames, Staff | None]:
    """A conversion in the caller's scope, names, and its affiliate's manager. Raises NotFound."""
    chosen = ConversionFilter(since=0, until=FAR_FUTURE_MS, ids=frozenset({conversion_id}))
    found, _, names = list_visible_conversions(deps, caller, permission, chosen, page=1, limit=1)
    if not found:
        raise NotFound
    [item] = found
    with deps.database.read() as conn:
        manager_id = affiliates.managers_of(conn, [item.affiliate_id]).get(item.affiliate_id)
        return item, names, None if manager_id is None else staff.find_staff(conn, manager_id)


def empty_scope() -> Scope:
    """A scope that shows nothing, until the caller's is known."""
    return Scope(affiliate_ids=frozenset(), advertiser_ids=frozenset(), sees_charge=False)


def names_in_clicks(conn: Connection, found: Sequence[ListedClick]) -> EntityNames:
    """The names that clicks mention."""
    offer_ids, affiliate_ids = ({getattr(item.click, name) for item in found} for name in ("offer", "affiliate"))
    return with_names(conn, EntityNames(), offer_ids=offer_ids, affiliate_ids=affiliate_ids)


def names_in_conversions(conn: Connection, found: Sequence[ListedConversion]) -> EntityNames:
    """The names that conversions mention."""
    offer_ids = {item.offer_id for item in found}
    return with_names(
        conn,
        EntityNames(),
        offer_ids=offers.existing_titles(conn, offer_ids),  # a removed one is null
        affiliate_ids={item.affiliate_id for item in found},
        advertiser_ids={item.advertiser_id for item in found},
    )


def with_names(
    conn: Connection,
    known: EntityNames,
    *,
    offer_ids: Iterable[int],
    affiliate_ids: Iterable[int],
    advertiser_ids: Iterable[str] = (),
) -> EntityNames:
    """The names of ids, and those that are `known`, which are not looked up again."""
    return EntityNames(
        offers=known.offers | offers.names_of(conn, set(offer_ids) - known.offers.keys()),
        affiliates=known.affiliates | affiliates.names_of(conn, set(affiliate_ids) - known.affiliates.keys()),
        advertisers=known.advertisers | advertisers.titles_of(conn, set(advertiser_ids) - known.advertisers.keys()),
    )


def _filters(conn: Connection, report_query: ReportQuery) -> dict[str, Values]:
    """The filters with managers and tags turned into the ids they stand for today."""
    chosen = dict(report_query.filters)
    if report_query.affiliate_managers:
        _narrow(chosen, "affiliate", affiliates.ids_managed_by(conn, report_query.affiliate_managers))
    if report_query.affiliate_tags:
        _narrow(chosen, "affiliate", affiliates.ids_with_tags(conn, report_query.affiliate_tags))
    if report_query.advertiser_managers:
        _narrow(chosen, "advertiser", advertisers.ids_managed_by(conn, report_query.advertiser_managers))
    if report_query.advertiser_tags:
        _narrow(chosen, "advertiser", advertisers.ids_with_tags(conn, report_query.advertiser_tags))
    if report_query.offer_tags:
        _narrow(chosen, "offer", offers.ids_with_tags(conn, report_query.offer_tags))
    return chosen


def _excluded(conn: Connection, report_query: ReportQuery) -> dict[str, Values]:
    """Return what is left out, with managers and tags turned into the ids they stand for today."""
    chosen = dict(report_query.excluded)
    if report_query.not_affiliate_managers:
        _widen(chosen, "affiliate", affiliates.ids_managed_by(conn, report_query.not_affiliate_managers))
    if report_query.not_affiliate_tags:
        _widen(chosen, "affiliate", affiliates.ids_with_tags(conn, report_query.not_affiliate_tags))
    if report_query.not_advertiser_managers:
        _widen(chosen, "advertiser", advertisers.ids_managed_by(conn, report_query.not_advertiser_managers))
    if report_query.not_advertiser_tags:
        _widen(chosen, "advertiser", advertisers.ids_with_tags(conn, report_query.not_advertiser_tags))
    if report_query.not_offer_tags:
        _widen(chosen, "offer", offers.ids_with_tags(conn, report_query.not_offer_tags))
    return {name: values for name, values in chosen.items() if values}


def _widen(chosen: dict[str, Values], name: str, ids: Iterable[int] | Iterable[str]) -> None:
    chosen[name] = tuple(sorted({*chosen.get(name, ()), *ids}))


def manager_title(user: Staff | None) -> str:
    """Return the title of a manager, "Undefined" without one."""
    return UNDEFINED if user is None else f"{user.first_name} {user.last_name}".strip()


def _manager_titles(conn: Connection) -> dict[str, str]:
    titles = {user.id: manager_title(user) for user in staff.all_staff(conn)}
    return {NO_MANAGER: manager_title(None), **titles}


def _narrow(chosen: dict[str, Values], name: str, ids: Iterable[int] | Iterable[str]) -> None:
    allowed = set(ids)
    given = chosen.get(name)
    chosen[name] = tuple(sorted(allowed if given is None else allowed.intersection(given)))  # type: ignore[type-var, assignment]
