"""Rows that tests begin with, written past the API."""

from decimal import Decimal
from typing import Any

import msgspec
from sqlalchemy import Connection, insert

from tests.support.models.events import NOON, new_click
from trackyard.base.ids import new_id
from trackyard.store.tables import advertiser, affiliate, affiliate_postback, connection, conversion, offer, staff

SEEDED_AT = 1_700_000_000_000


def add_advertiser(conn: Connection, **columns: Any) -> str:
    """An advertiser; its id."""
    values: dict[str, Any] = {
        "id": new_id(SEEDED_AT),
        "title": "Shop",
        "allowed_ip": [],
        "disallowed_ip": [],
        "sub_accounts": {},
        "tags": [],
        "created_at": SEEDED_AT,
        "updated_at": SEEDED_AT,
    }
    values |= columns
    conn.execute(insert(advertiser).values(values))
    return str(values["id"])


def add_affiliate(conn: Connection, **columns: Any) -> int:
    """An active affiliate; its id."""
    name = new_id(SEEDED_AT)
    values: dict[str, Any] = {
        "email": f"{name}@example.com",
        "login": name,
        "password_hash": "x",
        "status": "active",
        "payment_systems": [],
        "custom_fields": {},
        "tags": [],
        "sub_accounts": {},
        "postback_secret": "5ec2e7",
        "created_at": SEEDED_AT,
        "updated_at": SEEDED_AT,
    }
    values |= columns
    return int(conn.execute(insert(affiliate).values(values).returning(affiliate.c.id)).scalar_one())


def add_staff(conn: Connection, **columns: Any) -> str:
    """A staff user without a role; its id."""
    name = new_id(SEEDED_AT)
    values: dict[str, Any] = {
        "id": name,
        "email": f"{name}@example.com",
        "roles": [],
        "created_at": SEEDED_AT,
        "updated_at": SEEDED_AT,
    }
    values |= columns
    conn.execute(insert(staff).values(values))
    return str(values["id"])


def add_offer(conn: Connection, advertiser_id: str, **columns: Any) -> int:
    """An active public offer that pays 5 of 10 USD for goal "1"; its id."""
    values: dict[str, Any] = {
        "hash": new_id(SEEDED_AT),
        "advertiser_id": advertiser_id,
        "title": "Offer",
        "url": "https://shop.example/?c={clickid}",
        "status": "active",
        "privacy": "public",
        "payments": [{"goal": "1", "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"}],
        "partner_payments": [],
        "landings": [],
        "description_lang": {},
        "tags": [],
        "created_at": SEEDED_AT,
        "updated_at": SEEDED_AT,
    }
    values |= columns
    return int(conn.execute(insert(offer).values(values).returning(offer.c.id)).scalar_one())


def add_connection(conn: Connection, offer_id: int, affiliate_id: int, *, enabled: bool = True) -> None:
    """A connection of an affiliate to an offer."""
    conn.execute(
        insert(connection).values(offer_id=offer_id, affiliate_id=affiliate_id, enabled=enabled, changed_at=SEEDED_AT)
    )


def add_postback(conn: Connection, affiliate_id: int, url: str, **columns: Any) -> int:
    """A postback of an affiliate, global unless `offer_id` is given; its id."""
    values: dict[str, Any] = {
        "affiliate_id": affiliate_id,
        "url": url,
        "created_at": SEEDED_AT,
        "updated_at": SEEDED_AT,
    }
    values |= columns
    return int(conn.execute(insert(affiliate_postback).values(values).returning(affiliate_postback.c.id)).scalar_one())


def add_conversion(conn: Connection, number: int, **columns: Any) -> None:
    """A confirmed conversion of offer 1 and affiliate 1, charge 2 and payout 1 USD, and nothing more."""
    values: dict[str, Any] = {
        "id": f"{number:024x}", "offer_id": 1, "goal": "1", "identity": f"c:{number}", "version": 1,
        "affiliate_id": 1, "advertiser_id": "a", "status": "confirmed", "sent_status": "confirmed", "goal_title": "G",
        "payment_type": "fixed", "currency": "USD", "rate": 1, "sum": 0, "charge": 2, "payout": 1, "charge_base": 2,
        "payout_base": 1, "custom_fields": {"1": "x"}, "click_id": "c", "click_time": NOON,
        "click": msgspec.structs.asdict(new_click(number, sub1=f"s{number}")), "created_at": NOON + number,
        "updated_at": NOON + number,
    }  # fmt: skip
    for name in ("rate", "sum", "charge", "payout", "charge_base", "payout_base"):
        values[name] = Decimal(values[name])
    conn.execute(insert(conversion).values(values | columns))
