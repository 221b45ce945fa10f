"""SmartLink categories of offers (docs/api/smartlinks.md), shared by all staff."""

from dataclasses import dataclass, replace

from trackyard.actions.deps import Deps
from trackyard.actions.offers.offers import remove_from_offers
from trackyard.base.errors import BadInput, required
from trackyard.base.ids import new_id
from trackyard.domain.offers.categories import SmartLink
from trackyard.domain.people.callers import AffiliateCaller, Caller
from trackyard.domain.platform.domains import Domain
from trackyard.store.engine.database import Connection
from trackyard.store.offers import smartlinks
from trackyard.store.platform import domains
from trackyard.store.tracking import rulesets


@dataclass(frozen=True, slots=True)
class SmartLinkRecord:
    """A SmartLink category, its domain (None = the platform's), and its number of offers."""

    smartlink: SmartLink
    domain: Domain | None
    offers: int


def list_smartlinks(deps: Deps, ids: list[str] | None) -> list[SmartLinkRecord]:
    """Return all SmartLink categories, or the ones with these ids, oldest first."""
    with deps.database.read() as conn:
        return _records(conn, smartlinks.list_smartlinks(conn, ids))


def get_smartlink(deps: Deps, smartlink_id: str) -> SmartLinkRecord:
    """Return the SmartLink category of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _record(conn, required(smartlinks.find_smartlink(conn, smartlink_id)))


def count_offers(deps: Deps, caller: Caller, record: SmartLinkRecord) -> int:
    """Return the number of offers of a SmartLink category; for an affiliate the visible active ones."""
    if not isinstance(caller, AffiliateCaller):
        return record.offers
    with deps.database.read() as conn:
        return smartlinks.count_visible(conn, record.smartlink.id, caller.id)


def add_smartlink(deps: Deps, name: str, domain_id: int | None, description: str | None) -> SmartLinkRecord:
    """Create a SmartLink category; domain_id None = the platform's. Raises BadInput."""
    now = deps.clock.now_ms()
    new = SmartLink(new_id(now), name, domain_id, description, created_at=now, updated_at=now)
    with deps.database.write() as conn:
        _check_domain(conn, domain_id)
        smartlinks.add_smartlink(conn, new)
        rulesets.touch(conn, smartlinks.LABEL_KIND, new.id)
        return _record(conn, new)


def edit_smartlink(deps: Deps, smartlink_id: str, changes: dict[str, str | int | None]) -> SmartLinkRecord:
    """Change the given of name, domain_id and description. Raises NotFound, BadInput."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(smartlinks.find_smartlink(conn, smartlink_id, lock=True))
        after = replace(found, **changes, updated_at=now)  # type: ignore[arg-type]
        _check_domain(conn, after.domain_id)
        smartlinks.edit_smartlink(conn, after.id, {**changes, "updated_at": now})
        return _record(conn, after)


def remove_smartlink(deps: Deps, smartlink_id: str) -> SmartLinkRecord:
    """Remove a SmartLink category, also from its offers, and return it. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(smartlinks.find_smartlink(conn, smartlink_id, lock=True))
        record = _record(conn, found)
        remove_from_offers(conn, smartlinks.LABEL_KIND, "smartlink_categories", found.id, now)
        smartlinks.remove_smartlink(conn, found.id)
    return record


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
