"""Rules as an edge reads them, for tests."""

from collections.abc import Sequence
from typing import Any

import msgspec

from trackyard.decision.routes import Rules
from trackyard.domain.tracking.ruleset import (
    Advertiser,
    Affiliate,
    Connections,
    FullCaps,
    Offer,
    Pixels,
    Platform,
    Restrictions,
    Row,
    SmartLink,
)

ADVERTISER = "a" * 24
HASH = "b" * 24


def an_offer(offer_id: int = 3, **changed: object) -> Offer:
    """A public, active offer of ADVERTISER, with what differs."""
    plain = Offer(
        id=offer_id,
        hash=HASH,
        title="An offer",
        advertiser=ADVERTISER,
        url="http://shop.example/?c={clickid}",
        active=True,
        open=True,
    )
    return msgspec.structs.replace(plain, **changed)


def packed(**restrictions: Any) -> bytes:
    """Fields of Restrictions as the row of an offer carries them."""
    return msgspec.msgpack.encode(Restrictions(**restrictions))


def entry_of(row: Row) -> tuple[str, str, bytes]:
    """The (kind, key, payload) a row travels as."""
    payload = msgspec.msgpack.encode(row)
    match row:
        case Platform():
            return "platform", "platform", payload
        case Advertiser() | Affiliate() | Offer():
            return type(row).__name__.lower(), str(row.id), payload
        case Connections():
            return "connections", str(row.offer), payload
        case FullCaps():
            return "full_caps", str(row.offer), payload
        case SmartLink():
            return "smartlink", row.id, payload
        case Pixels():
            return "pixels", f"{row.offer}-{row.affiliate}", payload


def rules_of(rows: Sequence[Row]) -> Rules:
    """Rules in memory made of rows."""
    return Rules.of(entry_of(row) for row in rows)
