"""Hosts that tracking links may begin with (docs/api/domains.md)."""

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, or_, select

from trackyard.domain.platform.domains import Domain
from trackyard.store.engine.rows import Rows, has_rows
from trackyard.store.tables import domain, offer, smartlink_category

_ROWS: Final = Rows[Domain, int](domain, Domain)
find_domain = _ROWS.find
edit_domain = _ROWS.edit
remove_domain = _ROWS.remove


def add_domain(conn: Connection, new: Domain) -> Domain | None:
    """Store a new domain and return it with its id; None when its host is taken."""
    number = _ROWS.add_if_free(conn, new, "url")
    return None if number is None else replace(new, id=number)


def list_domains(conn: Connection) -> list[Domain]:
    """Return all, by id."""
    return _ROWS.read(conn, select(domain).order_by(domain.c.id))


def is_taken(conn: Connection, url: str, *, excluding: int) -> bool:
    """Return whether a domain other than `excluding` has this host."""
    return has_rows(conn, select(domain.c.id).where(domain.c.url == url, domain.c.id != excluding))


def has_host(conn: Connection, name: str) -> bool:
    """Return whether a domain has this host, with any port."""
    return has_rows(
        conn,
        select(domain.c.id).where(or_(domain.c.url == name, domain.c.url.startswith(f"{name}:", autoescape=True))),
    )


def is_used(conn: Connection, domain_id: int) -> bool:
    """Return whether an offer or a SmartLink category has it. Removed offers count, as their links stay."""
    tables = (offer, smartlink_category)
    return any(has_rows(conn, select(table.c.id).where(table.c.domain_id == domain_id)) for table in tables)
