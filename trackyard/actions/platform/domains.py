"""Domains that tracking links may begin with (docs/api/domains.md)."""

from dataclasses import replace
from operator import attrgetter
from urllib.parse import urlsplit

from trackyard.actions.deps import Deps
from trackyard.base.errors import Conflict, required
from trackyard.domain.platform.domains import Domain
from trackyard.store.platform import domains


def list_domains(deps: Deps, order: str = "id", *, descending: bool = False) -> list[Domain]:
    """Return all domains by a field of them, equal ones by id."""
    with deps.database.read() as conn:
        found = domains.list_domains(conn)
    return sorted(found, key=attrgetter(order), reverse=descending)


def is_tracking_host(deps: Deps, name: str) -> bool:
    """Return whether tracking links may begin with a host: that of the settings, or one of a domain."""
    host = name.lower().rstrip(".")
    if not host or ":" in host:
        return False
    if host == urlsplit(deps.tracking_url).hostname:
        return True
    with deps.database.read() as conn:
        return domains.has_host(conn, host)


def get_domain(deps: Deps, domain_id: int) -> Domain:
    """Return the domain of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return required(domains.find_domain(conn, domain_id))


def add_domain(deps: Deps, url: str, *, use_https: bool) -> Domain:
    """Create a domain. Raises Conflict for a taken host."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        made = domains.add_domain(conn, Domain(0, url, use_https, created_at=now, updated_at=now))
    if made is None:
        raise _taken(url)
    return made


def edit_domain(deps: Deps, domain_id: int, url: str | None, use_https: bool | None) -> Domain:
    """Change the given fields. Raises NotFound, Conflict."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(domains.find_domain(conn, domain_id, lock=True))
        after = replace(
            found,
            url=found.url if url is None else url,
            use_https=found.use_https if use_https is None else use_https,
            updated_at=now,
        )
        if domains.is_taken(conn, after.url, excluding=after.id):
            raise _taken(after.url)
        values = {"url": after.url, "use_https": after.use_https, "updated_at": now}
        domains.edit_domain(conn, after.id, values)
    return after


def remove_domain(deps: Deps, domain_id: int) -> Domain:
    """Remove an unused domain and return it. Raises NotFound, Conflict."""
    with deps.database.write() as conn:
        found = required(domains.find_domain(conn, domain_id, lock=True))
        if domains.is_used(conn, found.id):
            raise Conflict({"id": ["Offers or SmartLink categories use this domain."]})
        domains.remove_domain(conn, found.id)
    return found


def _taken(url: str) -> Conflict:
    return Conflict({"url": [f"The domain {url} is taken."]})
