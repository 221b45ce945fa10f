"""Hosts that tracking links may begin with (docs/api/domains.md)."""

from sqlalchemy import Connection, delete, select, update

from trackyard.domain.platform.domains import Domain
from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import domain, offer, smartlink_category


def add_domain(conn: Connection, url: str, use_https: bool, now_ms: int) -> Domain | None:
    """Return the new domain; None when its host is taken."""
    values = {"url": url, "use_https": use_https, "created_at": now_ms, "updated_at": now_ms}
    statement = upsert(conn, domain).values(**values).on_conflict_do_nothing(index_elements=["url"])
    domain_id = conn.execute(statement.returning(domain.c.id)).scalar_one_or_none()
    return None if domain_id is None else Domain(domain_id, url, use_https, now_ms, now_ms)


def find_domain(conn: Connection, domain_id: int, *, lock: bool = False) -> Domain | None:
    """Return the domain of an id; with `lock` no other transaction changes it meanwhile."""
    statement = select(domain).where(domain.c.id == domain_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else Domain(**row._mapping)


def list_domains(conn: Connection) -> list[Domain]:
    """Return all, by id."""
    return [Domain(**row._mapping) for row in conn.execute(select(domain).order_by(domain.c.id))]


def is_taken(conn: Connection, url: str, *, excluding: int) -> bool:
    """Return whether a domain other than `excluding` has this host."""
    query = select(domain.c.id).where(domain.c.url == url, domain.c.id != excluding)
    return conn.execute(query).first() is not None


def edit_domain(conn: Connection, domain_id: int, url: str, use_https: bool, now_ms: int) -> None:
    """Set the host and scheme of a domain."""
    values = {"url": url, "use_https": use_https, "updated_at": now_ms}
    conn.execute(update(domain).where(domain.c.id == domain_id).values(**values))


def is_used(conn: Connection, domain_id: int) -> bool:
    """Return whether an offer, removed ones too as their links stay, or a SmartLink category has it."""
    used = (select(table.c.id).where(table.c.domain_id == domain_id).limit(1) for table in (offer, smartlink_category))
    return any(conn.execute(query).first() is not None for query in used)


def remove_domain(conn: Connection, domain_id: int) -> None:
    """Remove a domain."""
    conn.execute(delete(domain).where(domain.c.id == domain_id))
