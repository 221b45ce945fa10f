"""Who gets through, as sentences made from the conditions of an offer.

docs/spec/tracking.md#restrictions-and-targeting-groups
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from trackyard.api.offers.view import OfferFields
from trackyard.api.offers.view_affiliate import FullAffiliateOfferView
from trackyard.api.offers.view_parts import SharedTargetingView, TargetingView
from trackyard.base.texts.languages import ENGLISH, spoken
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.offers_shown.hours import TimeOf, schedule_clauses
from trackyard.console.offers_shown.words import Phrase, Sentence, joined
from trackyard.domain.offers.offers import AllowDenySubs, OrganizationLists, OsVersion, RestrictedOs, TextLists
from trackyard.domain.platform.geo import city_name, countries, regions

_DEVICES: Final[Mapping[str, str]] = {
    "mobile": lazy_gettext("phones"), "tablet": lazy_gettext("tablets"), "desktop": lazy_gettext("computers"),
    "tv": lazy_gettext("TVs"), "console": lazy_gettext("game consoles"), "ereader": lazy_gettext("e-readers"),
    "smartwatch": lazy_gettext("watches"), "mediahub": lazy_gettext("media hubs"),
}  # fmt: skip
_COMPARED: Final = {
    "LT": lazy_gettext("{} older than {}"), "LTE": lazy_gettext("{} up to {}"), "EQ": "{} {}",
    "GT": lazy_gettext("{} newer than {}"), "GTE": lazy_gettext("{} {} or newer"),
}  # fmt: skip
_NAMES: Final[Mapping[str, str]] = {
    "from": lazy_gettext("countries"),
    "not from": lazy_gettext("countries left out"),
    "on": lazy_gettext("devices"),
    "with": lazy_gettext("systems"),
    "on devices of": lazy_gettext("device brands"),
    "not on devices of": lazy_gettext("device brands left out"),
    "of the providers": lazy_gettext("providers"),
    "over": lazy_gettext("connections"),
    "not with": lazy_gettext("left out together"),
    "with the browsers": lazy_gettext("browsers"),
    "not with the browsers": lazy_gettext("browsers left out"),
    "from the IP addresses": lazy_gettext("IP addresses"),
    "not from the IP addresses": lazy_gettext("IP addresses left out"),
    "not on": lazy_gettext("devices left out"),
    "without": lazy_gettext("systems left out"),
    "not over": lazy_gettext("connections left out"),
    "with the postal codes": lazy_gettext("postal codes"),
    "not with the postal codes": lazy_gettext("postal codes left out"),
    "on the models": lazy_gettext("models"),
    "not on the models": lazy_gettext("models left out"),
    "in networks of": lazy_gettext("organizations"),
    "not in networks of": lazy_gettext("organizations left out"),
    "with a referrer like": lazy_gettext("referrers"),
    "not with a referrer like": lazy_gettext("referrers left out"),
    "with a user agent like": lazy_gettext("user agents"),
    "not with a user agent like": lazy_gettext("user agents left out"),
    "in the regions": lazy_gettext("regions"),
    "not in the regions": lazy_gettext("regions left out"),
    "in the cities": lazy_gettext("cities"),
    "not in the cities": lazy_gettext("cities left out"),
    "The offer is meant for": lazy_gettext("The offer is meant for"),
}
"""The beginnings of clauses as names of a list, for languages in which clauses make no sentence."""
_MOST: Final = 40
"""Values that a sentence names; it counts the others."""

ShownOffer = OfferFields | FullAffiliateOfferView
"""An offer as staff see it, or as an affiliate sees it."""


def sentences(offer: ShownOffer, time_of: TimeOf, *, is_own: bool = False) -> list[Sentence]:
    """Return who gets through an offer. time_of: in the zone of the person.

    is_own: it is an affiliate's view, which has groups for itself and for everyone, without their targets.
    """
    own = [*_restrictions(offer), *schedule_clauses(offer, time_of), *_repeated(offer)]
    found = [_sentence(gettext("Visitors"), own)] if own else []
    found += _groups(offer, is_own=is_own)
    if not found:
        found = [(Phrase(gettext("Every visitor gets through.")),)]
    return [*found, *_meant_for(offer)]


def _groups(offer: ShownOffer, *, is_own: bool) -> list[Sentence]:
    """Return a sentence for each targeting group.

    Groups of single affiliates come first, as in a decision."""
    groups = [group for group in offer.targeting if not isinstance(group, TargetingView) or group.enabled]
    personal = [group for group in groups if group.affiliate_id]
    general = [group for group in groups if not group.affiliate_id]
    only = offer.consider_personal_targeting_only
    found = [_group(group, _affiliates(group, only=only or not general, is_own=is_own)) for group in personal]
    others = gettext("Or visitors") if is_own else gettext("For everyone else visitors")
    beginnings = [others if personal else gettext("Targeting takes visitors"), gettext("Or visitors")]
    found += [_group(group, beginnings[min(index, 1)]) for index, group in enumerate(general)]
    if personal and not general and not is_own:
        found.append((Phrase(gettext("Targeting does not limit other affiliates.")),))
    return found


def _affiliates(group: SharedTargetingView, *, only: bool, is_own: bool) -> str:
    if is_own:
        return gettext("For you only visitors") if only else gettext("For you also visitors")
    numbers = [str(each) for each in group.affiliate_id]
    count, named = len(numbers), joined(numbers)
    if only:
        return ngettext(
            "For affiliate %(named)s only visitors", "For affiliates %(named)s only visitors", count, named=named
        )
    return ngettext(
        "For affiliate %(named)s also visitors", "For affiliates %(named)s also visitors", count, named=named
    )


def _group(group: SharedTargetingView, beginning: str) -> Sentence:
    clauses = list(_conditions(group))
    target = _target(group) if isinstance(group, TargetingView) else ""
    led = (Phrase(f" {gettext('They are led to')} "), Phrase(target, strong=True), Phrase(".")) if target else ()
    if not clauses:
        return (Phrase(gettext("%(beginning)s of every kind.", beginning=beginning)), *led)
    if group.condition == "or" and len(clauses) > 1:
        beginning = gettext("%(beginning)s that fit any of these:", beginning=beginning)
    return (*_sentence(beginning, clauses), *led)


def _target(group: TargetingView) -> str:
    """Return where a group leads its visitors; "" = to the target of the offer."""
    return group.url or (gettext("several pages by weight") if group.urls else "")


def _sentence(beginning: str, clauses: Sequence[Sentence]) -> Sentence:
    """Return clauses as a sentence: Visitors from A, on phones, every day; outside English as a list."""
    first, further = (" ", ", ") if spoken().code == ENGLISH else (": ", "; ")
    parts = [Phrase(beginning)]
    for index, clause in enumerate(clauses):
        parts += [Phrase(further if index else first), *clause]
    return (*parts, Phrase("."))


def _clause(lead: str, values: Iterable[str], word: str = "or", tail: str = "") -> Iterator[Sentence]:
    """Yield a clause unless there are no values: on *phones or tablets*."""
    named = [value for value in values if value]
    if named:
        more = [gettext("%(number)s more", number=len(named) - _MOST)] if len(named) > _MOST else []
        ending = (Phrase(tail),) if tail else ()
        yield (Phrase(_lead(lead)), Phrase(joined([*named[:_MOST], *more], word), strong=True), *ending)


def _lead(lead: str) -> str:
    """Return the beginning of a clause: "on ", or "devices: " in a list."""
    if spoken().code == ENGLISH:
        return f"{lead} "
    return f"{_NAMES.get(lead, lead)}: "


def _restrictions(offer: ShownOffer) -> Iterator[Sentence]:
    if offer.strictly_country:
        yield from _clause("from", _countries(offer.countries))
    yield from _clause("on", (_DEVICES.get(each, each) for each in offer.strictly_devices))
    yield from _clause("with", (_restricted_os(each) for each in offer.restriction_os))
    yield from _clause("on devices of", offer.strictly_brands)
    isps = [(each.country, each.name) for each in offer.restriction_isp]
    yield from _clause("of the providers", (_in_country(name, country) for country, name in isps))
    yield from _clause("over", [offer.strictly_connection_type])
    for row in offer.sub_restrictions:
        yield from _clause(
            "not with",
            [f"{name} {value or gettext('empty')}" for name, value in row.items()],
            "and",
            f" {gettext('together')}",
        )
    for number, each in sorted(offer.sub_accounts.items()):
        lead = gettext("with any sub%(number)s but", number=number) if each.refused else _with_sub(number)
        yield from _clause(lead, each.value.split(","))
    if offer.search_empty_sub:
        yield (Phrase(f"{gettext('with a value in')} "), Phrase(f"sub{offer.search_empty_sub}", strong=True))


def _repeated(offer: ShownOffer) -> Iterator[Sentence]:
    if offer.uniq_ip_only:
        yield (
            Phrase(gettext("only the") + " "),
            Phrase(gettext("first click of an IP address in 24 hours"), strong=True),
        )


def _meant_for(offer: ShownOffer) -> Iterator[Sentence]:
    """Yield the countries that are named and reject no visitor."""
    if offer.countries and not offer.strictly_country:
        [clause] = _clause("The offer is meant for", _countries(offer.countries), "and")
        yield (*clause, Phrase(f". {gettext('Visitors from elsewhere are not rejected for it.')}"))


def _conditions(group: SharedTargetingView) -> Iterator[Sentence]:
    yield from _clause("from", _countries(group.country.allow))
    yield from _clause("not from", _countries(group.country.deny))
    yield from _places(group)
    yield from _clause("with the postal codes", group.zip.allow)
    yield from _clause("not with the postal codes", group.zip.deny)
    devices = (_DEVICES.get(each, each) for each in group.device_type)
    yield from _clause("not on" if group.device_type_deny else "on", devices)
    systems = (_system(each) for each in group.os.allow)
    yield from _clause("without" if group.os_deny else "with", systems)
    yield from _clause("with the browsers", group.browser.allow)
    yield from _clause("not with the browsers", group.browser.deny)
    yield from _clause("with the browsers", (_system(each) for each in group.browser_version.allow))
    yield from _clause("not with the browsers", (_system(each) for each in group.browser_version.deny))
    yield from _clause("on devices of", group.brand.allow)
    yield from _clause("not on devices of", group.brand.deny)
    yield from _clause("on the models", group.device_model.allow)
    yield from _clause("not on the models", group.device_model.deny)
    isps = [(country, name) for country, named in group.isp.allow.items() for name in named]
    yield from _clause("of the providers", (_in_country(name, country) for country, name in isps))
    yield from _organizations(group.isp_organization)
    yield from _clause("not over" if group.connection_deny else "over", group.connection)
    yield from _clause("from the IP addresses", group.ip.allow)
    yield from _clause("not from the IP addresses", group.ip.deny)
    if group.ip.ipv6_deny:
        yield from _clause("not from the IP addresses", ["IPv6"])
    yield from _texts(group)
    yield from _subs(group.sub)
    if group.block_proxy:
        yield (Phrase(gettext("not through") + " "), Phrase(gettext("proxies"), strong=True))
    if group.block_known_bots or group.ua.deny_crawlers:
        yield (Phrase(gettext("no known bots"), strong=True),)


def _organizations(lists: OrganizationLists) -> Iterator[Sentence]:
    yield from _clause("in networks of", lists.allow)
    left_out = [*lists.deny, *([gettext("unknown organizations")] if lists.deny_empty else [])]
    yield from _clause("not in networks of", left_out)


def _texts(group: SharedTargetingView) -> Iterator[Sentence]:
    """Yield the conditions on texts that browsers send."""
    referrer, agent = group.referrer, group.ua
    yield from _clause("with a referrer like", referrer.allow)
    yield from _clause("not with a referrer like", _left_out(referrer))
    yield from _clause("with a user agent like", agent.allow)
    yield from _clause("not with a user agent like", _left_out(agent))


def _left_out(lists: OrganizationLists | TextLists) -> list[str]:
    return [*lists.deny, *([gettext("empty")] if lists.deny_empty else [])]


def _with_sub(number: str | int) -> str:
    return gettext("with sub%(number)s", number=number)


def _places(group: SharedTargetingView) -> Iterator[Sentence]:
    yield from _clause("in the regions", _regions(group.region.allow))
    yield from _clause("in the cities", _cities(group.city.allow))
    yield from _clause("not in the regions", _regions(group.region.deny))
    yield from _clause("not in the cities", _cities(group.city.deny))


def _subs(sub: AllowDenySubs) -> Iterator[Sentence]:
    for number, values in sub.allow.items():
        yield from _clause(_with_sub(number), (value or gettext("empty") for value in values))
    for number, values in sub.deny.items():
        yield from _clause(
            gettext("not with sub%(number)s", number=number), (value or gettext("empty") for value in values)
        )
    for row in sub.deny_groups:
        named = [f"sub{number} {value or gettext('empty')}" for number, value in row.items()]
        yield from _clause("not with", named, "and", f" {gettext('together')}")


def _countries(codes: Iterable[str]) -> list[str]:
    names = {country.code: country.name for country in countries(spoken().code)}
    return [names.get(code, code) for code in codes]


def _regions(by_country: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for country, numbers in by_country.items():
        names = {region.id: region.name for region in regions().get(country, ())}
        yield from (_in_country(names.get(number, str(number)), country) for number in numbers)


def _cities(by_country: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for country, numbers in by_country.items():
        yield from (_in_country(city_name(number, "en") or str(number), country) for number in numbers)


def _in_country(name: str, country: str) -> str:
    return f"{name} ({_countries([country])[0]})" if country else name


def _system(system: OsVersion) -> str:
    form = _COMPARED.get(system.comparison)
    return form.format(system.name, system.version) if form else system.name


def _restricted_os(item: RestrictedOs) -> str:
    """Return a system and its versions: iOS 12, 15 or newer."""
    versions = []
    for version in item.versions:
        if version.startswith(">="):
            versions.append(gettext("%(version)s or newer", version=version[2:].strip()))
        elif version.startswith("<"):
            versions.append(gettext("older than %(version)s", version=version[1:].strip()))
        else:
            versions.append(version)
    return " ".join([item.os, joined(versions, "or")]).strip()
