"""Statistics within a caller's scope, with the names that they mention."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.statistics.ad_costs import with_costs
from trackyard.actions.statistics.day_rates import with_day_rates
from trackyard.actions.statistics.names import EntityNames
from trackyard.actions.statistics.payments import with_payment_statuses
from trackyard.analytics.progress import find_rows_read
from trackyard.analytics.reports.cities import find_city_ids
from trackyard.analytics.reports.periods import find_record_period
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.people.callers import Access, AffiliateCaller, Caller
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.domain.platform.geo import city_name
from trackyard.domain.statistics.reports import Report, StatsPage, StatsRow, Values
from trackyard.domain.statistics.slices import NO_MANAGER, SLICES
from trackyard.domain.statistics.switches import Switches
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import advertisers, affiliates, staff
from trackyard.store.platform import settings

_MANAGED: Final[Mapping[str, Callable[[Connection, Scope], Mapping[Any, str]]]] = {
    "manager": affiliates.managers_by_affiliate,
    "advertiser_manager": advertisers.managers_by_advertiser,
}
"""Slice by manager → today's manager by id."""
_TITLES: Final[Mapping[str, Callable[[Connection, Scope], Mapping[Any, str]]]] = {
    "advertiser": advertisers.titles_in,
    "affiliate": affiliates.titles_in,
    "offer": lambda conn, _scope: offers.all_titles(conn),
    "manager": lambda conn, _scope: _manager_titles(conn),
    "advertiser_manager": lambda conn, _scope: _manager_titles(conn),
}
"""Slice → the titles that its values are shown with and ordered by."""
_GROUPS: Final[Mapping[str, tuple[str, Callable[[Connection, Sequence[str]], Iterable[Any]]]]] = {
    "affiliate_manager": ("affiliate", affiliates.ids_managed_by),
    "affiliate_tag": ("affiliate", affiliates.ids_with_tags),
    "advertiser_manager": ("advertiser", advertisers.ids_managed_by),
    "advertiser_tag": ("advertiser", advertisers.ids_with_tags),
    "offer_tag": ("offer", offers.ids_with_tags),
}
"""Group → the filter that it narrows, and its ids of today."""
UNDEFINED: Final = "Undefined"
"""The name for records without a manager."""
_NO_CITIES: Final[Mapping[str, str]] = MappingProxyType({})
_MANAGERS: Final = tuple(part.key for name in _MANAGED for part in SLICES[name].parts)


def list_statistics_rows(deps: Deps, access: Access, report: Report) -> tuple[StatsPage, EntityNames]:
    """Return a page of statistics rows and their names. Raises ReportTooHeavy."""
    with deps.database.read() as conn:
        report = in_scope(deps, conn, access, report)
    found = run_report(deps.analytics, report)
    with deps.database.read() as conn:
        names = names_in_rows(conn, found.rows)
    return found, replace(names, cities=cities_in_rows(deps, report, found.rows))


def in_scope(deps: Deps, conn: Connection, access: Access, report: Report) -> Report:
    """Return a report within the caller's scope, with today's managers, titles, groups, costs and rates.

    Raises BadInput for a currency without a rate.
    """
    scope = scope_of(conn, access)
    scoped = replace(
        report,
        scope=scope,
        filters=_narrowed(conn, access, scope, report),
        excluded=_widened(conn, access, scope, report),
        managers={name: _MANAGED[name](conn, scope) for name in report.dimensions if name in _MANAGED},
        titles={name: _TITLES[name](conn, scope) for name in report.order if name in _TITLES},
    )
    return with_day_rates(deps, conn, with_payment_statuses(conn, with_costs(conn, scoped)))


def names_in_rows(conn: Connection, rows: Iterable[StatsRow]) -> EntityNames:
    """Return the names that statistics rows mention."""
    keys = [row.keys for row in rows]
    return EntityNames(
        offers=offers.names_of(conn, {int(key["offer"]) for key in keys if "offer" in key}),
        affiliates=affiliates.names_of(conn, {int(key["affiliate"]) for key in keys if "affiliate" in key}),
        advertisers=advertisers.titles_of(conn, {str(key["advertiser"]) for key in keys if "advertiser" in key}),
        managers=staff.staff_of(conn, {str(key[part]) for key in keys for part in _MANAGERS if part in key}),
    )


def cities_in_rows(
    deps: Deps, report: Report, rows: Iterable[StatsRow], known: Mapping[str, str] = _NO_CITIES
) -> dict[str, str]:
    """Return the names of the cities in rows, in the language of the report.

    A city without a name keeps its stored one. Names in `known` are not read again. Raises ReportTooHeavy.
    """
    new = {str(row.keys["city"]) for row in rows if "city" in row.keys} - known.keys()
    if report.locale == "en" or not new:
        return dict(known)
    ids = find_city_ids(deps.analytics, report, new)
    return {**known, **{name: city_name(ids.get(name, 0), report.locale) or name for name in new}}


def _narrowed(conn: Connection, access: Access, scope: Scope, report: Report) -> dict[str, Values]:
    """Return the filters, with managers and tags as the ids that they have today."""
    chosen = dict(report.filters)
    for group, values in report.groups.items():
        name, allowed = _grouped_ids(conn, access, scope, group, values)
        given = chosen.get(name)
        chosen[name] = tuple(sorted(allowed if given is None else allowed.intersection(given)))
    return chosen


def _widened(conn: Connection, access: Access, scope: Scope, report: Report) -> dict[str, Values]:
    """Return the excluded values of each slice, with managers and tags as the ids that they have today."""
    chosen = dict(report.excluded)
    for group, values in report.excluded_groups.items():
        name, ids = _grouped_ids(conn, access, scope, group, values)
        chosen[name] = tuple(sorted({*chosen.get(name, ()), *ids}))
    return {name: values for name, values in chosen.items() if values}


def _grouped_ids(
    conn: Connection, access: Access, scope: Scope, group: str, values: Sequence[str]
) -> tuple[str, set[Any]]:
    """Return the filter that a group narrows, and its ids in scope: a tag of others is as one of none.

    An affiliate knows tags only of offers that it sees.
    """
    name, ids_of = _GROUPS[group]
    ids = set(ids_of(conn, values))
    if name == "affiliate" and scope.affiliate_ids is not None:
        ids &= scope.affiliate_ids
    if name == "advertiser" and scope.advertiser_ids is not None:
        ids &= scope.advertiser_ids
    if name == "offer" and access.affiliate_id is not None:
        ids = offers.visible_among(conn, ids, access.affiliate_id)
    return name, ids


def manager_title(user: Staff | None) -> str:
    """Return the title of a manager, "Undefined" without one."""
    return UNDEFINED if user is None else f"{user.first_name} {user.last_name}".strip()


def _manager_titles(conn: Connection) -> dict[str, str]:
    titles = {user.id: manager_title(user) for user in staff.all_staff(conn)}
    return {NO_MANAGER: manager_title(None), **titles}


def data_span(deps: Deps) -> tuple[int, int] | None:
    """Return the first and the last moment that can have data, UTC ms; None without traffic.

    They are the first traffic and now, or the last record when it is later. Raises ReportTooHeavy.
    """
    found = find_record_period(deps.analytics)
    return None if found is None else (found[0], max(found[1], deps.clock.now_ms()))


def rows_read(deps: Deps) -> tuple[int, int]:
    """Return the rows that running reports of this request have read, and about how many they will.

    (0, 0) while none runs. Raises Unavailable.
    """
    found = find_rows_read(deps.analytics)
    return found.read, found.total


def switches_of(deps: Deps, caller: Caller) -> Switches:
    """Return a caller's switches (docs/compatibility.md).

    The key's switches come first, then the caller's, then the platform's, then the defaults.
    """
    with deps.database.read() as conn:
        platform = {name: settings.find_setting(conn, name) for name in settings.STATISTICS_SWITCHES}
        if isinstance(caller, AffiliateCaller):
            own = affiliates.find_switches(conn, caller.id)
        else:
            own = staff.find_switches(conn, caller.id)
    switches = Switches().overridden(platform).overridden(own)
    return switches if caller.key is None else switches.overridden(caller.key.switches)
