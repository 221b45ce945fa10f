"""What offers are filed under: traffic sources, categories, SmartLink categories
(docs/api/sources.md, docs/api/categories.md, docs/api/smartlinks.md). All of the platform's staff share them: no scope
confines them."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.ids import new_id
from trackyard.domain.people.callers import AffiliateCaller, Caller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.domains import Domain
from trackyard.store.engine.database import Connection
from trackyard.store.offers import categories, labels, offers, smartlinks, sources
from trackyard.store.offers.categories import Category
from trackyard.store.offers.smartlinks import SmartLink
from trackyard.store.offers.sources import Source
from trackyard.store.platform import domains
from trackyard.store.tracking import rulesets

T = TypeVar("T")

_TITLE_NEEDED: Final = "A title in one language at least is needed."


@dataclass(frozen=True, slots=True)
class SmartLinkRecord:
    """A SmartLink category with its domain (None = the platform's) and how many offers are in it."""

    smartlink: SmartLink
    domain: Domain | None
    offers: int


def _present(found: T | None) -> T:
    if found is None:
        raise NotFound
    return found


def list_sources(deps: Deps) -> list[Source]:
    """Every traffic source, oldest first."""
    with deps.database.read() as conn:
        return sources.list_sources(conn)


def get_source(deps: Deps, source_id: str) -> Source:
    """The source of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _present(sources.find_source(conn, source_id))


def add_source(deps: Deps, titles: dict[str, str]) -> Source:
    """Makes a traffic source with a title by language. Raises BadInput when there is none."""
    now = deps.clock.now_ms()
    new = Source(id=new_id(now), title_lang=_titles({}, titles), created_at=now, updated_at=now)
    with deps.database.write() as conn:
        sources.add_source(conn, new)
    return new


def edit_source(deps: Deps, source_id: str, titles: dict[str, str]) -> Source:
    """Sets the titles that are given, an empty one takes its language away. Raises NotFound, BadInput."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _present(sources.find_source(conn, source_id, lock=True))
        after = replace(found, title_lang=_titles(found.title_lang, titles), updated_at=now)
        sources.edit_source(conn, after.id, after.title_lang, now)
    return after


def remove_source(deps: Deps, source_id: str) -> Source:
    """Removes a source, from the offers that allow it too. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _present(sources.find_source(conn, source_id, lock=True))
        _remove_from_offers(conn, "source", "sources", found.id, now)
        sources.remove_source(conn, found.id)
    return found


def list_categories(
    deps: Deps, ids: Collection[str] | None, order: str, *, descending: bool, page: int, limit: int
) -> tuple[list[Category], int]:
    """Return a page of the categories with these ids (None: of all), and how many there are."""
    with deps.database.read() as conn:
        rows = categories.list_categories(conn, ids, order, descending=descending, page=page, limit=limit)
        return rows, categories.count_categories(conn, ids)


def get_category(deps: Deps, category_id: str) -> Category:
    """The category of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _present(categories.find_category(conn, category_id))


def add_category(deps: Deps, title: str) -> Category:
    """Makes a category of offers."""
    now = deps.clock.now_ms()
    new = Category(id=new_id(now), title=title, created_at=now, updated_at=now)
    with deps.database.write() as conn:
        categories.add_category(conn, new)
    return new


def edit_category(deps: Deps, category_id: str, title: str) -> Category:
    """Renames a category. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _present(categories.find_category(conn, category_id, lock=True))
        categories.edit_category(conn, found.id, title, now)
    return replace(found, title=title, updated_at=now)


def list_smartlinks(deps: Deps, ids: list[str] | None) -> list[SmartLinkRecord]:
    """Every SmartLink category, or those of these ids, oldest first."""
    with deps.database.read() as conn:
        return _records(conn, smartlinks.list_smartlinks(conn, ids))


def get_smartlink(deps: Deps, smartlink_id: str) -> SmartLinkRecord:
    """The SmartLink category of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _record(conn, _present(smartlinks.find_smartlink(conn, smartlink_id)))


def count_offers(deps: Deps, caller: Caller, record: SmartLinkRecord) -> int:
    """How many offers of a SmartLink category there are, for an affiliate those active ones it may know of."""
    if not isinstance(caller, AffiliateCaller):
        return record.offers
    with deps.database.read() as conn:
        return smartlinks.count_visible(conn, record.smartlink.id, caller.id)


def add_smartlink(deps: Deps, name: str, domain_id: int | None, description: str | None) -> SmartLinkRecord:
    """Makes a SmartLink category; domain_id None = the platform's domain. Raises BadInput for an unknown domain."""
    now = deps.clock.now_ms()
    new = SmartLink(new_id(now), name, domain_id, description, created_at=now, updated_at=now)
    with deps.database.write() as conn:
        _check_domain(conn, domain_id)
        smartlinks.add_smartlink(conn, new)
        rulesets.touch(conn, smartlinks.LABEL_KIND, new.id)
        return _record(conn, new)


def edit_smartlink(deps: Deps, smartlink_id: str, changes: dict[str, str | int | None]) -> SmartLinkRecord:
    """Changes name, domain_id, description, those that are given. Raises NotFound, BadInput."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _present(smartlinks.find_smartlink(conn, smartlink_id, lock=True))
        after = replace(found, **changes, updated_at=now)  # type: ignore[arg-type]
        _check_domain(conn, after.domain_id)
        smartlinks.edit_smartlink(conn, after.id, after.name, after.domain_id, after.description, now)
        return _record(conn, after)


def remove_smartlink(deps: Deps, smartlink_id: str) -> SmartLinkRecord:
    """Removes a SmartLink category, from the offers in it too; as it was. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _present(smartlinks.find_smartlink(conn, smartlink_id, lock=True))
        record = _record(conn, found)
        _remove_from_offers(conn, smartlinks.LABEL_KIND, "smartlink_categories", found.id, now)
        smartlinks.remove_smartlink(conn, found.id)
    return record


def _remove_from_offers(conn: Connection, kind: str, field: str, value: str, now: int) -> None:
    """Takes a value out of a list of every offer that names it."""
    labelled_offers = offers.list_by_id(conn, Scope.everything(), labels.offers_with(conn, kind, value), lock=True)
    for offer in labelled_offers:
        remaining = tuple(item for item in getattr(offer, field) if item != value)
        offers.edit_offer(conn, offer, {field: remaining, "updated_at": now})
    rulesets.touch_all(conn, "offer", [offer.id for offer in labelled_offers])
    if kind == smartlinks.LABEL_KIND:
        rulesets.touch(conn, smartlinks.LABEL_KIND, value)


def _titles(before: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    remaining = {language: title for language, title in (before | given).items() if title.strip()}
    if not remaining:
        raise BadInput({"title_lang": [_TITLE_NEEDED]})
    return remaining


def _check_domain(conn: Connection, domain_id: int | None) -> None:
    if domain_id is not None and domains.find_domain(conn, domain_id) is None:
        raise BadInput({"domain_id": [f"A domain {domain_id} does not exist."]})


def _record(conn: Connection, found: SmartLink) -> SmartLinkRecord:
    [record] = _records(conn, [found])
    return record


def _records(conn: Connection, found: list[SmartLink]) -> list[SmartLinkRecord]:
    hosts = {host.id: host for host in domains.list_domains(conn)}
    counts = smartlinks.offer_counts(conn, [item.id for item in found])
    return [
        SmartLinkRecord(item, None if item.domain_id is None else hosts[item.domain_id], counts.get(item.id, 0))
        for item in found
    ]
