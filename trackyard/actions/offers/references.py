"""Check the names that an offer refers to: countries, systems, browsers, brands, regions and cities.

An unknown name is rejected (docs/spec/api-conventions.md#errors). A name that the stored offer already has is kept,
with a warning: the lists change, and an edit must not fail because of a part that it leaves alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from msgspec.structs import asdict

from trackyard.decision.visitor import names
from trackyard.domain.offers.edits import FieldError, WrittenFields
from trackyard.domain.offers.offers import AllowDeny, AllowDenyGeo, Offer
from trackyard.domain.platform import geo


class Reference(NamedTuple):
    """A name that an offer refers to.

    place: wire name of the parameter.
    kind: a key of _KINDS.
    country: the country of a region or city, else "".
    """

    place: str
    kind: str
    name: str | int
    country: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Return the key of a reference; names are compared without letter case."""
        return self.kind, str(self.name).casefold(), self.country


class ReferenceCheck(NamedTuple):
    """The errors of references, and warnings about stored unknown ones."""

    faults: list[FieldError]
    warnings: list[str]


class _Kind(NamedTuple):
    noun: str
    exists: Callable[[Reference], bool]
    hint: str


def check_references(before: Offer, written: WrittenFields) -> ReferenceCheck:
    """Check every name that is written to `before`."""
    unknown = [each for each in _references(written) if not _KINDS[each.kind].exists(each)]
    if not unknown:
        return ReferenceCheck([], [])
    stored = {each.key for each in _references({name: getattr(before, name) for name in _FIELDS})}
    faults = [(each.place, _sentence(each)) for each in unknown if each.key not in stored]
    kept = [f"{each.place}: {_sentence(each)} The offer had it before, so it was kept." for each in unknown]
    return ReferenceCheck(faults, [] if faults else kept)


def _sentence(reference: Reference) -> str:
    kind = _KINDS[reference.kind]
    within = f" of {reference.country}" if reference.country else ""
    return f"{kind.noun} {reference.name}{within} does not exist: {kind.hint}."


def _references(values: Mapping[str, Any]) -> Iterator[Reference]:
    """Yield the references in fields of an offer, stored or written."""
    for name, kind in (("countries", "country"), ("strictly_brands", "brand")):
        yield from _each(name, kind, values.get(name, ()))
    for name, inner in (("caps", "country"), ("commission_tiers", "countries")):
        for place, item in enumerate(values.get(name, ())):
            yield from _each(f"{name}[{place}][{inner}]", "country", getattr(item, inner))
    for name in ("payments", "partner_payments"):
        for place, item in enumerate(values.get(name, ())):
            yield from _of_payment(f"{name}[{place}]", item if isinstance(item, dict) else asdict(item))
    yield from _of_restrictions(values)
    for place, group in enumerate(values.get("targeting", ())):
        yield from _of_group(f"targeting[{place}]", group)


def _of_restrictions(values: Mapping[str, Any]) -> Iterator[Reference]:
    for place, item in enumerate(values.get("restriction_os", ())):
        yield Reference(f"restriction_os[{place}][os]", "os", item.os)
    for place, item in enumerate(values.get("strictly_os", ())):
        yield Reference(f"strictly_os[{place}]", "os", item.os)
    for place, item in enumerate(values.get("restriction_isp", ())):
        if item.country:
            yield Reference(f"restriction_isp[{place}][country]", "country", item.country)


def _of_payment(place: str, item: Mapping[str, Any]) -> Iterator[Reference]:
    for name, kind in (("countries", "country"), ("cities", "city"), ("os", "os")):
        yield from _each(f"{place}[{name}]", kind, item.get(name, ()))


def _of_group(place: str, group: Any) -> Iterator[Reference]:
    for name, kind in (("country", "country"), ("browser", "browser"), ("brand", "brand")):
        sides: AllowDeny = getattr(group, name)
        yield from _each(f"{place}[{name}][allow]", kind, sides.allow)
        yield from _each(f"{place}[{name}][deny]", kind, sides.deny)
    for name in ("region", "city"):
        held: AllowDenyGeo = getattr(group, name)
        for side, listed in (("allow", held.allow), ("deny", held.deny)):
            for code, numbers in listed.items():
                yield Reference(f"{place}[{name}][{side}][{code}]", "country", code)
                yield from _each(f"{place}[{name}][{side}][{code}]", name, numbers, code)
    for index, system in enumerate(group.os):
        yield Reference(f"{place}[os][allow][{index}][name]", "os", system.name)
    for side, browsers in (("allow", group.browser_version.allow), ("deny", group.browser_version.deny)):
        for index, browser in enumerate(browsers):
            yield Reference(f"{place}[browser_version][{side}][{index}][name]", "browser", browser.name)
    for code in group.isp:
        if code:
            yield Reference(f"{place}[isp][allow][{code}]", "country", code)


def _each(place: str, kind: str, values: Iterable[str | int], country: str = "") -> Iterator[Reference]:
    for index, value in enumerate(values):
        yield Reference(f"{place}[{index}]", kind, value, country)


@cache
def _folded(listed: Callable[[], tuple[str, ...]]) -> frozenset[str]:
    return frozenset(name.casefold() for name in listed())


def _is_listed(listed: Callable[[], tuple[str, ...]]) -> Callable[[Reference], bool]:
    return lambda reference: str(reference.name).casefold() in _folded(listed)


def _is_region(reference: Reference) -> bool:
    return any(region.id == reference.name for region in geo.regions().get(reference.country, ()))


def _is_city(reference: Reference) -> bool:
    country = geo.country_of_city(int(reference.name))
    return country != "" and reference.country in ("", country)


_FIELDS: Final = (
    *("countries", "strictly_brands", "caps", "commission_tiers", "payments", "partner_payments", "restriction_os"),
    *("restriction_isp", "targeting"),
)

_KINDS: Final[dict[str, _Kind]] = {
    "country": _Kind("A country", lambda each: geo.is_country(str(each.name)), "codes follow ISO 3166-1, such as DE"),
    "os": _Kind("An operating system", _is_listed(names.systems), "GET /3.1/oses lists their names"),
    "browser": _Kind("A browser", _is_listed(names.browsers), "GET /3.1/browsers lists their names"),
    "brand": _Kind("A brand", _is_listed(names.vendors), "GET /3.1/vendors lists their names"),
    "region": _Kind("A region", _is_region, "GET /3.1/regions lists their ids"),
    "city": _Kind("A city", _is_city, "GET /3.0/cities lists their ids"),
}
