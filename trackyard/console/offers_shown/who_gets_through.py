"""Who gets through, as sentences made from the conditions of an offer.

docs/spec/tracking.md#restrictions-and-targeting-groups. The conditions are those of the API's answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from trackyard.console.offers_shown.hours import schedule_clauses
from trackyard.console.offers_shown.words import Phrase, Sentence, joined
from trackyard.domain.platform.geo import city_name, countries, regions

_DEVICES: Final[Mapping[str, str]] = {
    "mobile": "phones", "tablet": "tablets", "desktop": "computers", "tv": "TVs", "console": "game consoles",
    "ereader": "e-readers", "smartwatch": "watches", "mediahub": "media hubs",
}  # fmt: skip
_COMPARED: Final = {
    "LT": "{} older than {}", "LTE": "{} up to {}", "EQ": "{} {}", "GT": "{} newer than {}", "GTE": "{} {} or newer",
}  # fmt: skip
_MOST: Final = 40
"""Values that a sentence names; it counts the others."""


Conditions = Mapping[str, Any]


def sentences(offer: Conditions, *, is_own: bool = False) -> list[Sentence]:
    """Return who gets through an offer. offer: of the API.

    is_own: it is an affiliate's view, which has groups for itself and for everyone, without their targets.
    """
    own = [*_restrictions(offer), *schedule_clauses(offer), *_repeated(offer)]
    found = [_sentence("Visitors", own)] if own else []
    found += _groups(offer, is_own=is_own)
    if not found:
        found = [(Phrase("Every visitor gets through."),)]
    return [*found, *_meant_for(offer)]


def _groups(offer: Conditions, *, is_own: bool) -> list[Sentence]:
    """Return a sentence for each targeting group: those of named affiliates come first, as in a decision."""
    groups = offer["targeting"]
    personal = [group for group in groups if group["affiliate_id"]]
    general = [group for group in groups if not group["affiliate_id"]]
    only = bool(offer["consider_personal_targeting_only"])
    found = [_group(group, _affiliates(group, only=only or not general, is_own=is_own)) for group in personal]
    others = "Or visitors" if is_own else "For everyone else visitors"
    beginnings = [others if personal else "Targeting takes visitors", "Or visitors"]
    found += [_group(group, beginnings[min(index, 1)]) for index, group in enumerate(general)]
    if personal and not general and not is_own:
        found.append((Phrase("Targeting does not limit other affiliates."),))
    return found


def _affiliates(group: Conditions, *, only: bool, is_own: bool) -> str:
    if is_own:
        return f"For you {'only' if only else 'also'} visitors"
    numbers = [str(each) for each in group["affiliate_id"]]
    noun = "affiliate" if len(numbers) == 1 else "affiliates"
    return f"For {noun} {joined(numbers)} {'only' if only else 'also'} visitors"


def _group(group: Conditions, beginning: str) -> Sentence:
    clauses = list(_conditions(group))
    target = group.get("url") or ("several pages by weight" if group.get("urls") else "")
    led = (Phrase(" They are led to "), Phrase(target, strong=True), Phrase(".")) if target else ()
    if not clauses:
        return (Phrase(f"{beginning} of every kind."), *led)
    return (*_sentence(beginning, clauses), *led)


def _sentence(beginning: str, clauses: Sequence[Sentence]) -> Sentence:
    """Return clauses as a sentence: Visitors from A, on phones, every day."""
    parts = [Phrase(beginning)]
    for index, clause in enumerate(clauses):
        parts += [Phrase(", " if index else " "), *clause]
    return (*parts, Phrase("."))


def _clause(lead: str, values: Iterable[str], word: str = "or", tail: str = "") -> Iterator[Sentence]:
    """Yield a clause unless there are no values: on *phones or tablets*."""
    named = [value for value in values if value]
    if named:
        more = [f"{len(named) - _MOST} more"] if len(named) > _MOST else []
        ending = (Phrase(tail),) if tail else ()
        yield (Phrase(f"{lead} " if lead else ""), Phrase(joined([*named[:_MOST], *more], word), strong=True), *ending)


def _restrictions(offer: Conditions) -> Iterator[Sentence]:
    if offer["strictly_country"]:
        yield from _clause("from", _countries(offer["countries"]))
    yield from _clause("on", (_DEVICES.get(each, each) for each in offer["strictly_devices"]))
    yield from _clause("with", (_restricted_os(each) for each in offer["restriction_os"]))
    yield from _clause("on devices of", offer["strictly_brands"])
    isps = [(each["country"], each["name"]) for each in offer["restriction_isp"]]
    yield from _clause("of the providers", (_in_country(name, country) for country, name in isps))
    yield from _clause("over", [offer["strictly_connection_type"]])
    for row in offer["sub_restrictions"]:
        yield from _clause(
            "not with", [f"{name} {value or 'empty'}" for name, value in row.items()], "and", " together"
        )
    for number, each in sorted(offer["sub_accounts"].items()):
        lead = f"with any sub{number} but" if each["except"] else f"with sub{number}"
        yield from _clause(lead, each["value"].split(","))
    if offer["search_empty_sub"]:
        yield (Phrase("with a value in "), Phrase(f"sub{offer['search_empty_sub']}", strong=True))


def _repeated(offer: Conditions) -> Iterator[Sentence]:
    if offer["uniq_ip_only"]:
        yield (Phrase("only the "), Phrase("first click of an address in 24 hours", strong=True))


def _meant_for(offer: Conditions) -> Iterator[Sentence]:
    """Yield the countries that are named and reject no visitor."""
    if offer["countries"] and not offer["strictly_country"]:
        [clause] = _clause("The offer is meant for", _countries(offer["countries"]), "and")
        yield (*clause, Phrase(". Visitors from elsewhere are not rejected for it."))


def _conditions(group: Conditions) -> Iterator[Sentence]:
    yield from _clause("from", _countries(group["country"]["allow"]))
    yield from _clause("not from", _countries(group["country"]["deny"]))
    yield from _places(group)
    yield from _clause("on", (_DEVICES.get(each, each) for each in group["device_type"]))
    yield from _clause("with", (_system(each) for each in group["os"]["allow"]))
    yield from _clause("with the browsers", group["browser"]["allow"])
    yield from _clause("not with the browsers", group["browser"]["deny"])
    yield from _clause("on devices of", group["brand"]["allow"])
    yield from _clause("not on devices of", group["brand"]["deny"])
    isps = [(country, name) for country, named in group["isp"]["allow"].items() for name in named]
    yield from _clause("of the providers", (_in_country(name, country) for country, name in isps))
    yield from _clause("over", group["connection"])
    yield from _clause("from the addresses", group["ip"]["allow"])
    yield from _clause("not from the addresses", group["ip"]["deny"])
    yield from _subs(group["sub"])
    if group["block_proxy"]:
        yield (Phrase("not through "), Phrase("proxies", strong=True))


def _places(group: Conditions) -> Iterator[Sentence]:
    for lead, kind in (("in", "allow"), ("not in", "deny")):
        yield from _clause(f"{lead} the regions", _regions(group["region"][kind]))
        yield from _clause(f"{lead} the cities", _cities(group["city"][kind]))


def _subs(sub: Conditions) -> Iterator[Sentence]:
    for number, values in sub["allow"].items():
        yield from _clause(f"with sub{number}", (value or "empty" for value in values))
    for number, values in sub["deny"].items():
        yield from _clause(f"not with sub{number}", (value or "empty" for value in values))
    for row in sub["deny_groups"]:
        named = [f"sub{number} {value or 'empty'}" for number, value in row.items()]
        yield from _clause("not with", named, "and", " together")


def _countries(codes: Iterable[str]) -> list[str]:
    names = {country.code: country.name for country in countries()}
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


def _system(system: Conditions) -> str:
    form = _COMPARED.get(system["comparison"] or "")
    return form.format(system["name"], system["version"]) if form else str(system["name"])


def _restricted_os(item: Conditions) -> str:
    """Return a system and its versions: iOS 12, 15 or newer."""
    versions = []
    for version in item["versions"]:
        if version.startswith(">="):
            versions.append(f"{version[2:].strip()} or newer")
        elif version.startswith("<"):
            versions.append(f"older than {version[1:].strip()}")
        else:
            versions.append(version)
    return " ".join([item["os"], joined(versions, "or")]).strip()
