"""Postbacks of affiliates: the URLs that are called (spec: Partner postback)."""

from dataclasses import asdict, dataclass

from sqlalchemy import Connection, insert

from trackyard.store.tables import affiliate_postback


@dataclass(frozen=True, slots=True)
class NewPostback:
    """What a new row holds. offer_id None = global · status None = any · goal None = any · times UTC ms."""

    affiliate_id: int
    offer_id: int | None
    url: str
    status: str | None
    goal: str | None
    forced: bool
    created_at: int
    updated_at: int


def add_postback(conn: Connection, new: NewPostback) -> int:
    """The new postback's id."""
    statement = insert(affiliate_postback).values(**asdict(new)).returning(affiliate_postback.c.id)
    return int(conn.execute(statement).scalar_one())
