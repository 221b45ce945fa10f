"""Compiles restrictions into checks, in the order of their reasons.

Checks of the same short lists are one object, because many offers have equal restrictions: a hundred thousand offers
with some hundred lists of countries hold some hundred sets.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from trackyard.decision.targeting import checks
from trackyard.decision.targeting.checks import SUBS, PlaceCheck, TargetingCheck, TextCheck, WordCheck
from trackyard.decision.targeting.ip_lists import AddressSet
from trackyard.decision.targeting.sub_checks import BlockedSubCheck, SubAccountCheck, SubCheck, SubValues
from trackyard.decision.targeting.texts import find_match
from trackyard.decision.targeting.versions import VersionSet, versions_of
from trackyard.domain.offers.offers import (
    AllowDeny,
    AllowDenyGeo,
    AllowDenySubs,
    BrowserVersions,
    OrganizationLists,
    OsVersion,
    SubAccountList,
    TargetingGroup,
    TextLists,
)
from trackyard.domain.tracking.ruleset import Restrictions

_CACHE_SIZE: Final = 4096

Texts = tuple[str, ...]


def checks_of_group(group: TargetingGroup) -> tuple[TargetingCheck, ...]:
    """Return the checks of a targeting group."""
    wanted = (
        _ip_check(group.ip.allow, group.ip.deny),
        _IPV6 if group.ip.ipv6_deny else None,
        _country_check(group.country),
        _place_check(checks.RegionCheck, group.region),
        _place_check(checks.CityCheck, group.city),
        _word_check(checks.ZipCheck, group.zip),
        _isp_check((country, names) for country, names in group.isp.items()),
        _organization_check(group.isp_organization),
        _os_check(_wanted_versions(group.os), denies=group.os_deny),
        _word_check(checks.DeviceCheck, _sides(group.device_type, group.device_type_deny)),
        _word_check(checks.ModelCheck, group.device_model),
        _word_check(checks.BrowserCheck, group.browser),
        _browser_version_check(group.browser_version),
        _word_check(checks.BrandCheck, group.brand),
        _word_check(checks.ConnectionCheck, _sides(group.connection, group.connection_deny)),
        _PROXY if group.block_proxy else None,
        _KNOWN_BOT if group.block_known_bots else None,
        _text_check(checks.ReferrerCheck, group.referrer),
        _CRAWLER if group.ua.deny_crawlers else None,
        _text_check(checks.AgentCheck, group.ua),
        _subs_check(group.sub),
    )
    return tuple(check for check in wanted if check is not None)


def checks_of_offer(restrictions: Restrictions) -> tuple[TargetingCheck, ...]:
    """Return the checks of an offer's own restrictions, without its targeting groups."""
    connection = restrictions.connection
    wanted = (
        _country_check(AllowDeny(allow=restrictions.countries)),
        _isp_check((item.country, (item.name,)) for item in restrictions.isps),
        _os_check((item.os, tuple(map(_parse_version, item.versions))) for item in restrictions.os),
        _word_check(checks.DeviceCheck, AllowDeny(allow=restrictions.devices)),
        _word_check(checks.BrandCheck, AllowDeny(allow=restrictions.brands)),
        _word_check(checks.ConnectionCheck, AllowDeny(allow=(connection,) if connection else ())),
        _sub_rows(restrictions.subs),
        find_sub_accounts("offer", restrictions.sub_accounts),
    )
    return tuple(check for check in wanted if check is not None)


def find_sub_accounts(owner: str, accounts: Mapping[str, SubAccountList]) -> TargetingCheck | None:
    """Return the check of sub accounts; None when they name no value. `owner` is part of the detail."""
    lists = tuple(
        (SUBS[int(number)], frozenset(held.values), held.exclude)
        for number, held in sorted(accounts.items())
        if held.values
    )
    return SubAccountCheck(owner, lists) if lists else None


def checks_of_blocks(restrictions: Restrictions) -> dict[int, TargetingCheck]:
    """Return the check of blocked subs by affiliate."""
    return {
        affiliate: BlockedSubCheck((SUBS[number], frozenset(values)) for number, values in sorted(subs.items()))
        for affiliate, subs in restrictions.blocked.items()
    }


_PROXY: Final = checks.ProxyCheck()
_IPV6: Final = checks.Ipv6Check()
_KNOWN_BOT: Final = checks.KnownBotCheck()
_CRAWLER: Final = checks.CrawlerCheck()


def _sides(values: Texts, denies: bool) -> AllowDeny:
    return AllowDeny(deny=values) if denies else AllowDeny(allow=values)


@lru_cache(_CACHE_SIZE)
def _words(values: Texts) -> frozenset[str]:
    return frozenset(word for value in values if (word := value.strip().casefold()))


def _ip_check(allow: Texts, deny: Texts) -> TargetingCheck | None:
    if not allow and not deny:
        return None
    return checks.IpCheck(AddressSet(allow) if allow else None, AddressSet(deny) if deny else None)


@lru_cache(_CACHE_SIZE)
def _country_check(sides: AllowDeny) -> TargetingCheck | None:
    allow, deny = (
        frozenset(code for value in values if (code := value.strip().upper())) for values in (sides.allow, sides.deny)
    )
    return checks.CountryCheck(allow, deny) if allow or deny else None


@lru_cache(_CACHE_SIZE)
def _word_check(check: type[WordCheck], sides: AllowDeny) -> TargetingCheck | None:
    allow, deny = _words(sides.allow), _words(sides.deny)
    return check(allow, deny) if allow or deny else None


@lru_cache(_CACHE_SIZE)
def _organization_check(sides: OrganizationLists) -> TargetingCheck | None:
    allow, deny = _words(sides.allow), _words(sides.deny)
    if sides.deny_empty:
        deny |= {""}
    return checks.OrganizationCheck(allow, deny) if allow or deny else None


def _text_check(check: type[TextCheck], lists: TextLists) -> TargetingCheck | None:
    allow, deny = (find_match(values, lists.is_regexp) for values in (lists.allow, lists.deny))
    return check(allow, deny, lists.deny_empty) if allow or deny or lists.deny_empty else None


def _place_check(check: type[PlaceCheck], places: AllowDenyGeo) -> TargetingCheck | None:
    allow, deny = (frozenset(i for ids in side.values() for i in ids if i) for side in (places.allow, places.deny))
    return check(allow, _whole_countries(places.allow.items()), deny) if allow or deny else None


def _whole_countries(allow: Iterable[tuple[str, tuple[int, ...] | Texts]]) -> frozenset[str]:
    """Return the countries with an empty list: an empty allow allows all."""
    return frozenset(country.upper() for country, entries in allow if not entries and country)


def _isp_check(allow: Iterable[tuple[str, Texts]]) -> TargetingCheck | None:
    entries = list(allow)
    names = frozenset((country.upper(), word) for country, values in entries for word in _words(values))
    return checks.IspCheck(names, _whole_countries(entries)) if names else None


NamedWants = Iterable[tuple[str, tuple[tuple[str, str], ...]]]
"""Names of systems or browsers, each with pairs of (comparison, version)."""


def _os_check(wanted: NamedWants, *, denies: bool = False) -> TargetingCheck | None:
    named = _named_versions(wanted)
    return checks.OsCheck(named, denies) if named else None


def _browser_version_check(sides: BrowserVersions) -> TargetingCheck | None:
    allow, deny = (_named_versions(_wanted_versions(side)) for side in (sides.allow, sides.deny))
    return checks.BrowserVersionCheck(allow, deny) if allow or deny else None


def _named_versions(wanted: NamedWants) -> dict[str, VersionSet | None]:
    """Return the versions by name; no version = all, two entries add up."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    any_version: set[str] = set()
    for name, versions in wanted:
        if word := name.strip().casefold():
            named = [(comparison, text) for comparison, text in versions if text.strip()]
            pairs.setdefault(word, []).extend(named)
            if not named:
                any_version.add(word)
    return {word: None if word in any_version else _versions(tuple(named)) for word, named in pairs.items()}


@lru_cache(_CACHE_SIZE)
def _versions(wanted: tuple[tuple[str, str], ...]) -> VersionSet:
    return versions_of(wanted)


def _wanted_versions(items: Iterable[OsVersion]) -> NamedWants:
    """Yield each system of a targeting group; a version without a comparison is ignored."""
    for item in items:
        yield item.name, ((item.comparison, item.version if item.comparison else ""),)


def _parse_version(version: str) -> tuple[str, str]:
    """Return (comparison, version) of a version of RestrictedOs, which may begin with a sign."""
    for sign, comparison in ((">=", "GTE"), ("<", "LT")):
        if version.startswith(sign):
            return comparison, version[len(sign) :]
    return "", version


def _subs_check(sides: AllowDenySubs) -> TargetingCheck | None:
    together = tuple(tuple(sorted((SUBS[number], value) for number, value in row.items())) for row in sides.deny_groups)
    return _sub_check(tuple(_sub_lists(sides.allow)), tuple(_sub_lists(sides.deny)), together)


def _sub_rows(rows: Iterable[Mapping[str, str]]) -> TargetingCheck | None:
    return _sub_check((), (), tuple(tuple(sorted(row.items())) for row in rows))


def _sub_lists(lists: Mapping[int, Texts]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield values of subs by parameter, in the order of the subs."""
    for number, values in sorted(lists.items()):
        if values:
            yield SUBS[number], frozenset(values)


def _sub_check(
    allow: tuple[tuple[str, frozenset[str]], ...],
    deny: tuple[tuple[str, frozenset[str]], ...],
    together: tuple[SubValues, ...],
) -> TargetingCheck | None:
    rows = tuple(row for row in together if row)
    return SubCheck(allow, deny, rows) if allow or deny or rows else None
