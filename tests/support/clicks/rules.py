"""Rules as an edge reads them, for tests."""

from collections.abc import Sequence
from typing import Any

import msgspec

from trackyard.decision.routes import Ruleset
from trackyard.domain.tracking.ruleset import (
    Restrictions,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetFullCaps,
    RulesetOffer,
    RulesetPixels,
    RulesetPlatform,
    RulesetRow,
    RulesetSmartLink,
)

ADVERTISER = "a" * 24
HASH = "b" * 24


def make_offer(offer_id: int = 3, **changed: object) -> RulesetOffer:
    """A public, active offer of ADVERTISER, with what differs."""
    plain = RulesetOffer(
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


def entry_of(row: RulesetRow) -> tuple[str, str, bytes]:
    """The (kind, key, payload) a row travels as."""
    payload = msgspec.msgpack.encode(row)
    match row:
        case RulesetPlatform():
            return "platform", "platform", payload
        case RulesetAdvertiser() | RulesetAffiliate() | RulesetOffer():
            return type(row).__name__.removeprefix("Ruleset").lower().removeprefix("ruleset"), str(row.id), payload
        case RulesetConnections():
            return "connections", str(row.offer), payload
        case RulesetFullCaps():
            return "full_caps", str(row.offer), payload
        case RulesetSmartLink():
            return "smartlink", row.id, payload
        case RulesetPixels():
            return "pixels", f"{row.offer}-{row.affiliate}", payload


def make_ruleset(rows: Sequence[RulesetRow]) -> Ruleset:
    """Rules in memory made of rows."""
    return Ruleset.of(entry_of(row) for row in rows)
