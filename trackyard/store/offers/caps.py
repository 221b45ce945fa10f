"""The caps and commission tiers of stored offers, ready to be counted (domain/offers/caps.py,
domain/offers/tiers.py)."""

from collections.abc import Iterable
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.base.zones import find_zone
from trackyard.domain.offers.caps import NO_CAPS, Caps, compile_caps
from trackyard.domain.offers.offers import Cap, PersonalLimit, Tier
from trackyard.domain.offers.tiers import TierGroup, tier_groups_of
from trackyard.store.tables import offer

COLUMNS: Final = tuple(
    offer.c[name]
    for name in (
        *("caps", "personal_limits", "caps_status", "caps_timezone", "caps_goal_overcap", "is_redirect_overcap"),
        *("notice_percent_overcap", "enabled_commission_tiers", "commission_tiers"),
    )
)
"""What the functions here read of an offer's row, beside its id."""


def compile_stored_caps(row: Any, zone: ZoneInfo) -> Caps:
    """The caps of an offer that count conversions. row: an Offer, or a row with its id and COLUMNS · zone: the
    platform's."""
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
    """The ladders of an offer, as compile_stored_caps takes it; none while its tiers are not enabled."""
    if not row.enabled_commission_tiers or not row.commission_tiers:
        return ()
    return tier_groups_of(row.id, _items(row.commission_tiers, Tier), _zone(row, zone))


def _items(stored: Iterable[Any], kind: type[Any]) -> list[Any]:
    """Structs, of documents or of themselves."""
    return [item if isinstance(item, kind) else msgspec.convert(item, kind, strict=False) for item in stored]


def _zone(row: Any, zone: ZoneInfo) -> ZoneInfo:
    return (find_zone(row.caps_timezone) if row.caps_timezone else None) or zone
