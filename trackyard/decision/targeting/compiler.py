"""Checks made from what staff wrote: only those that restrict something, in the order of their reasons.

Many offers are restricted alike, so checks made of the same short lists are one: a hundred thousand offers with some
hundred lists of countries hold some hundred sets.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from trackyard.decision.targeting import checks
from trackyard.decision.targeting.checks import SUBS, Check
from trackyard.decision.targeting.ip_lists import Addresses
from trackyard.decision.targeting.versions import Versions, versions_of
from trackyard.domain.offers.offers import OsVersion, Places, Sides, SubAccount, SubSides, TargetingGroup
from trackyard.domain.tracking.ruleset import Restrictions

_KEPT: Final = 4096

Strings = tuple[str, ...]


def checks_of_group(group: TargetingGroup) -> tuple[Check, ...]:
    """The checks of a targeting group."""
    wanted = (
        _ips(group.ip.allow, group.ip.deny),
        _countries(group.country),
        _regions(group.region),
        _cities(group.city),
        _providers((country, names) for country, names in group.isp.items()),
        _systems((item.name, ((item.comparison, item.version),)) for item in map(_with_comparison, group.os)),
        _devices(group.device_type),
        _browsers(group.browser),
        _brands(group.brand),
        _connections(group.connection),
        _PROXY if group.block_proxy else None,
        _subs(group.sub),
    )
    return tuple(check for check in wanted if check is not None)


def checks_of_offer(restrictions: Restrictions) -> tuple[Check, ...]:
    """The checks of an offer's own restrictions, its targeting groups apart."""
    connection = restrictions.connection
    wanted = (
        _countries(Sides(allow=restrictions.countries)),
        _providers((item.country, (item.name,)) for item in restrictions.isps),
        _systems((item.os, tuple(map(_compared, item.versions))) for item in restrictions.os),
        _devices(restrictions.devices),
        _brands(Sides(allow=restrictions.brands)),
        _connections((connection,) if connection else ()),
        _sub_rows(restrictions.subs),
        find_sub_accounts("offer", restrictions.sub_accounts),
    )
    return tuple(check for check in wanted if check is not None)


def find_sub_accounts(owner: str, accounts: Mapping[str, SubAccount]) -> Check | None:
    """The check of sub accounts by number of the sub; None when they name no value. `owner` stands in the detail."""
    lists = tuple(
        (SUBS[int(number)], frozenset(held.values), held.exclude)
        for number, held in sorted(accounts.items())
        if held.values
    )
    return checks.SubAccount(owner, lists) if lists else None


_PROXY: Final = checks.Proxy()


@lru_cache(_KEPT)
def _words(values: Strings) -> frozenset[str]:
    return frozenset(word for value in values if (word := value.strip().casefold()))


def _ips(allow: Strings, deny: Strings) -> Check | None:
    if not allow and not deny:
        return None
    return checks.Ip(Addresses(allow) if allow else None, Addresses(deny) if deny else None)


@lru_cache(_KEPT)
def _countries(sides: Sides) -> Check | None:
    allow, deny = (
        frozenset(code for value in values if (code := value.strip().upper())) for values in (sides.allow, sides.deny)
    )
    return checks.Country(allow, deny) if allow or deny else None


@lru_cache(_KEPT)
def _devices(kinds: Strings) -> Check | None:
    return checks.Device(_words(kinds)) if _words(kinds) else None


@lru_cache(_KEPT)
def _browsers(sides: Sides) -> Check | None:
    allow, deny = _words(sides.allow), _words(sides.deny)
    return checks.Browser(allow, deny) if allow or deny else None


@lru_cache(_KEPT)
def _brands(sides: Sides) -> Check | None:
    allow, deny = _words(sides.allow), _words(sides.deny)
    return checks.Brand(allow, deny) if allow or deny else None


@lru_cache(_KEPT)
def _connections(kinds: Strings) -> Check | None:
    return checks.Connection(_words(kinds)) if _words(kinds) else None


def _regions(places: Places) -> Check | None:
    allow, whole, deny = _ids(places)
    return checks.Region(allow, whole, deny) if allow or deny else None


def _cities(places: Places) -> Check | None:
    allow, whole, deny = _ids(places)
    return checks.City(allow, whole, deny) if allow or deny else None


def _ids(places: Places) -> tuple[frozenset[int], frozenset[str], frozenset[int]]:
    """(ids that are let in, countries of which all are, ids that are kept out)."""
    allow, deny = (frozenset(i for ids in side.values() for i in ids if i) for side in (places.allow, places.deny))
    return allow, _whole(places.allow.items()), deny


def _whole(allow: Iterable[tuple[str, tuple[int, ...] | Strings]]) -> frozenset[str]:
    """Countries without a list of their own beside others that have one: an empty allow allows all."""
    return frozenset(country.upper() for country, listed in allow if not listed and country)


def _providers(allow: Iterable[tuple[str, Strings]]) -> Check | None:
    listed = list(allow)
    names = frozenset((country.upper(), word) for country, values in listed for word in _words(values))
    return checks.Isp(names, _whole(listed)) if names else None


def _systems(allow: Iterable[tuple[str, tuple[tuple[str, str], ...]]]) -> Check | None:
    """Systems with the versions wanted of each, as of versions_of; none = all. One that is named twice has both."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    every: set[str] = set()
    for name, versions in allow:
        if word := name.strip().casefold():
            named = [(comparison, text) for comparison, text in versions if text.strip()]
            wanted.setdefault(word, []).extend(named)
            if not named:
                every.add(word)
    if not wanted:
        return None
    return checks.Os({word: None if word in every else _versions(tuple(named)) for word, named in wanted.items()})


@lru_cache(_KEPT)
def _versions(wanted: tuple[tuple[str, str], ...]) -> Versions:
    return versions_of(wanted)


def _with_comparison(item: OsVersion) -> OsVersion:
    """A targeting group's system; without a comparison its version narrows nothing."""
    return item if item.comparison else OsVersion(name=item.name)


def _compared(version: str) -> tuple[str, str]:
    """(comparison, version) of a version of RestrictedOs, which may begin with a sign."""
    for sign, comparison in ((">=", "GTE"), ("<", "LT")):
        if version.startswith(sign):
            return comparison, version[len(sign) :]
    return "", version


def _subs(sides: SubSides) -> Check | None:
    together = tuple(tuple(sorted((SUBS[number], value) for number, value in row.items())) for row in sides.deny_groups)
    return _sub(tuple(_sub_lists(sides.allow)), tuple(_sub_lists(sides.deny)), together)


def _sub_rows(rows: Iterable[Mapping[str, str]]) -> Check | None:
    return _sub((), (), tuple(tuple(sorted(row.items())) for row in rows))


def _sub_lists(lists: Mapping[int, Strings]) -> Iterator[tuple[str, frozenset[str]]]:
    """Values of subs by parameter; the order in which staff wrote them is not that in which they are told of."""
    for number, values in sorted(lists.items()):
        if values:
            yield SUBS[number], frozenset(values)


def _sub(
    allow: tuple[tuple[str, frozenset[str]], ...],
    deny: tuple[tuple[str, frozenset[str]], ...],
    together: tuple[checks.Subs, ...],
) -> Check | None:
    rows = tuple(row for row in together if row)
    return checks.Sub(allow, deny, rows) if allow or deny or rows else None
