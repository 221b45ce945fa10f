"""Advertisers (spec: Advertiser)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from trackyard.domain.scope import Scope
from trackyard.store.tables import advertiser


@dataclass(frozen=True, slots=True)
class Advertiser:
    """A row of the table. Times UTC ms · sub_accounts: "1" and "2" to {value, except}."""

    id: str
    title: str
    contact: str | None
    email: str | None
    url: str | None
    skype: str | None
    note: str | None
    manager_id: str | None
    allowed_ip: list[str]
    disallowed_ip: list[str]
    hash_password: str | None
    address_1: str | None
    address_2: str | None
    city: str | None
    country: str | None
    zip_code: str | None
    vat_code: str | None
    sub_accounts: dict[str, Any]
    consider_personal_targeting_only: bool
    tags: list[str]
    created_at: int
    updated_at: int


def add_advertiser(conn: Connection, new: Advertiser) -> None:
    """Stores a new one."""
    conn.execute(insert(advertiser).values(**asdict(new)))


def find_advertiser(conn: Connection, scope: Scope, advertiser_id: str) -> Advertiser | None:
    """The advertiser of an id; None when there is none in scope."""
    if not scope.has_advertiser(advertiser_id):
        return None
    row = conn.execute(select(advertiser).where(advertiser.c.id == advertiser_id)).one_or_none()
    return None if row is None else Advertiser(**row._mapping)


def ids_of_managers(conn: Connection, staff_ids: Iterable[str]) -> frozenset[str]:
    """The advertisers whose manager is one of these."""
    rows = conn.execute(select(advertiser.c.id).where(advertiser.c.manager_id.in_(list(staff_ids))))
    return frozenset(rows.scalars())


def titles_of(conn: Connection, ids: Iterable[str]) -> dict[str, str]:
    """Title by id, of those that exist."""
    rows = conn.execute(select(advertiser.c.id, advertiser.c.title).where(advertiser.c.id.in_(set(ids))))
    return {row.id: row.title for row in rows}


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[str]:
    """The advertisers that have any of the tags."""
    wanted = set(tags)
    rows = conn.execute(select(advertiser.c.id, advertiser.c.tags))
    return {row.id for row in rows if wanted.intersection(row.tags)}
