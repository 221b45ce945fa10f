"""The levels of staff users in the tree of permissions of affiliates.

Existing programs read it (docs/spec/callers.md#roles-of-staff).
"""

from collections.abc import Iterable
from typing import Final

from trackyard.domain.people.permissions import DEFAULTS, PermissionLevel
from trackyard.domain.people.roles import Permission, Role, permissions_of

_P = Permission

_REQUIRED: Final[dict[str, Permission]] = {
    "automation": _P.SETTINGS_WRITE,
    "general.marketplace": _P.OFFERS_READ,
    "general.settings": _P.SETTINGS_WRITE,
    "notificator": _P.SETTINGS_WRITE,
    "stats": _P.STATS_OTHER,
    "stats.affiliate-postback": _P.STATS_PARTNER_POSTBACK,
    "stats.clicks-list": _P.STATS_CLICKS,
    "stats.comparison-report": _P.STATS_COMMON,
    "stats.conversions-export": _P.STATS_CONVERSION,
    "stats.conversions-import": _P.CONVERSIONS_WRITE,
    "stats.conversions-list": _P.STATS_CONVERSION,
    "stats.referral": _P.STATS_REFERRAL,
    "stats.server-postback": _P.STATS_SERVER_POSTBACK,
    "stats.slice-advertiser_id": _P.STATS_SUPPLIER,
    "stats.slice-affiliate_id": _P.STATS_PARTNER,
    "stats.slice-browser": _P.STATS_DEVICE,
    "stats.slice-city": _P.STATS_CITY,
    "stats.slice-connection-type": _P.STATS_DEVICE,
    "stats.slice-country": _P.STATS_COUNTRY,
    "stats.slice-day": _P.STATS_COMMON,
    "stats.slice-device": _P.STATS_DEVICE,
    "stats.slice-goal": _P.STATS_GOAL,
    "stats.slice-mobile-carrier": _P.STATS_DEVICE,
    "stats.slice-offer_id": _P.STATS_OFFER,
    "stats.slice-os": _P.STATS_OS,
    "stats.slice-smart_id": _P.STATS_COMMON,
    "stats.stats-export": _P.STATS_COMMON,
    "stats.view-custom": _P.STATS_COMMON,
    "stats.view-kpi": _P.STATS_COMMON,
    "users": _P.USERS_WRITE,
    "users.entity-advertiser": _P.ADVERTISERS_WRITE,
    "users.entity-affiliate": _P.AFFILIATES_WRITE,
}
"""Feature to the needed permission; the entry of an area is for its other features."""


def staff_levels(roles: Iterable[Role]) -> dict[str, dict[str, PermissionLevel]]:
    """Return the level of every feature of every area.

    It is deny without the permission, write with a permission to change, otherwise read.
    """
    held = permissions_of(roles)
    return {
        area: {feature: _level(_REQUIRED.get(f"{area}.{feature}") or _REQUIRED[area], held) for feature in features}
        for area, features in DEFAULTS.items()
    }


def _level(needed: Permission, held: frozenset[Permission]) -> PermissionLevel:
    if needed not in held:
        return PermissionLevel.DENY
    return PermissionLevel.WRITE if needed.endswith(".write") else PermissionLevel.READ
