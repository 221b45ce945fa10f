"""The caps and commission tiers of stored offers (domain/offers/caps.py, domain/offers/tiers.py)."""

from collections.abc import Iterable
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import Connection, select

from trackyard.base.zones import find_zone
from trackyard.domain.offers.caps import NO_CAPS, Caps, compile_caps
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.offers import Cap, PersonalLimit, Tier
from trackyard.domain.offers.tiers import TierGroup, tier_groups_of
from trackyard.store.tables import offer, offer_label

COLUMNS: Final = tuple(
    offer.c[name]
    for name in (
        *("caps", "personal_limits", "caps_status", "caps_timezone", "caps_goal_overcap", "is_redirect_overcap"),
        *("notice_percent_overcap", "enabled_commission_tiers", "commission_tiers"),
    )
)
"""The columns that the functions here need, besides the id."""


def compile_stored_caps(row: Any, zone: ZoneInfo) -> Caps:
    """Return the caps of an offer that count conversions.

    row: an Offer, or a row with its id and COLUMNS.
    zone: the platform's.
    """
    if not row.caps and not row.personal_limits:
        return NO_CAPS
    return compile_caps(
        row.id,
        _items(row.caps, Cap),
        _items(row.personal_limits, PersonalLimit),
        row.caps_status,
        _zone(row, zone),
        redirects=row.is_redirect_overcap,
        overcap_goal=row.caps_goal_overcap,
        notice_percent=row.notice_percent_overcap,
    )


def tier_groups_in(row: Any, zone: ZoneInfo) -> tuple[TierGroup, ...]:
    """Return the tiers of an offer in groups; none while they are not enabled.

    row, zone: as of `compile_stored_caps`.
    """
    if not row.enabled_commission_tiers or not row.commission_tiers:
        return ()
    return tier_groups_of(row.id, _items(row.commission_tiers, Tier), _zone(row, zone))


def offers_with_click_notice(conn: Connection) -> list[int]:
    """Return the offers with a cap of clicks and a notice_percent_overcap, the newest first."""
    clicks = (offer_label.c.kind == "cap_type") & (offer_label.c.value == CapType.CLICKS)
    query = (
        select(offer.c.id)
        .join(offer_label, offer_label.c.offer_id == offer.c.id)
        .where(clicks, offer.c.notice_percent_overcap.is_not(None), offer.c.removed_at.is_(None))
    )
    return list(conn.execute(query.order_by(offer.c.id.desc())).scalars())


def _items(stored: Iterable[Any], kind: type[Any]) -> list[Any]:
    """Return structs, of documents or of structs."""
    return [item if isinstance(item, kind) else msgspec.convert(item, kind, strict=False) for item in stored]


def _zone(row: Any, zone: ZoneInfo) -> ZoneInfo:
    return (find_zone(row.caps_timezone) if row.caps_timezone else None) or zone
