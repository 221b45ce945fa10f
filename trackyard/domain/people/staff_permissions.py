"""The levels of staff users in the tree of permissions, which narrow what their roles give.

docs/spec/callers.md#levels-of-staff.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from trackyard.domain.people.permissions import DEFAULTS, ONLY_WRITES, EffectiveLevel, PermissionLevel
from trackyard.domain.people.roles import Permission, Role, permissions_of

_P = Permission

_REQUIRED: Final[dict[str, Permission]] = {
    "automation": _P.SETTINGS_WRITE,
    "general.billing": _P.BALANCES_READ,
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

_WRITES: Final[dict[str, frozenset[Permission]]] = {
    "general.billing": frozenset({_P.PAYMENTS_WRITE, _P.INVOICES_WRITE}),
    "stats.conversions-list": frozenset({_P.CONVERSIONS_WRITE}),
    "users.entity-advertiser": frozenset({_P.ADVERTISERS_WRITE}),
    "users.entity-affiliate": frozenset({_P.AFFILIATES_WRITE}),
}
"""Feature to the permissions that the levels read and deny take away."""

_READS: Final[dict[str, frozenset[Permission]]] = {
    "general.billing": frozenset({_P.BALANCES_READ}),
    "stats.affiliate-postback": frozenset({_P.STATS_PARTNER_POSTBACK}),
    "stats.clicks-list": frozenset({_P.STATS_CLICKS}),
    "stats.conversions-list": frozenset({_P.STATS_CONVERSION}),
    "stats.server-postback": frozenset({_P.STATS_SERVER_POSTBACK}),
    "users.entity-advertiser": frozenset({_P.ADVERTISERS_READ}),
    "users.entity-affiliate": frozenset({_P.AFFILIATES_READ}),
}
"""Feature to the permissions that the level deny takes away besides the ones of `_WRITES`."""

WITHOUT_EFFECT: Final = frozenset(
    {"automation.checker", "general.settings"}
    | {f"notificator.{name}" for name in DEFAULTS["notificator"]}
    | {f"stats.{name}" for name in ("comparison-report", "view-kpi")}
    | {f"stats.entity-{name}" for name in ("account-manager", "affiliate-manager")}
    | {"stats.slice-events"}
    | {f"users.entity-{name}" for name in ("account-manager", "affiliate-manager", "common-manager", "preset")}
    | {"users.view-users"}
)
"""Features that no method requires of staff, and features of methods for administrators only.

Their levels are not stored for staff users.
"""


def withheld_by(own: Mapping[str, str], roles: Iterable[Role]) -> tuple[frozenset[str], frozenset[Permission]]:
    """Return the features that are denied to a staff user, and the permissions that its levels take away.

    own: feature to level. Administrators have everything.
    """
    if Role.ADMIN in set(roles):
        return frozenset(), frozenset()
    denied = {feature for feature, level in own.items() if _is_denied(feature, level)}
    taken = [_WRITES[feature] for feature in own if feature in _WRITES and own[feature] != PermissionLevel.WRITE]
    taken += [_READS[feature] for feature in own if feature in _READS and own[feature] == PermissionLevel.DENY]
    return frozenset(denied), frozenset[Permission]().union(*taken)


def _is_denied(feature: str, level: str) -> bool:
    return level == PermissionLevel.DENY or (level == PermissionLevel.READ and feature in ONLY_WRITES)


def staff_levels(roles: Iterable[Role]) -> dict[str, dict[str, PermissionLevel]]:
    """Return the level of every feature of every area that roles come to.

    It is deny without the permission, write with a permission to change, otherwise read.
    """
    held = permissions_of(roles)
    return {
        area: {feature: _level(f"{area}.{feature}", held) for feature in features}
        for area, features in DEFAULTS.items()
    }


def staff_tree(roles: Iterable[Role], own: Mapping[str, str]) -> dict[str, dict[str, EffectiveLevel]]:
    """Return the effective levels of a staff user: the lower one of its roles' and its own.

    own: feature to level. Administrators have what their role gives.
    """
    given = set(roles)
    kept = {} if Role.ADMIN in given else own
    return {
        area: {
            feature: EffectiveLevel(_lower(level, kept.get(f"{area}.{feature}", level)), level)
            for feature, level in features.items()
        }
        for area, features in staff_levels(given).items()
    }


def _lower(first: str, second: str) -> str:
    order = (PermissionLevel.DENY, PermissionLevel.READ, PermissionLevel.WRITE)
    return min(first, second, key=lambda level: order.index(PermissionLevel(level)))


def _level(feature: str, held: frozenset[Permission]) -> PermissionLevel:
    area = feature.partition(".")[0]
    needed = _REQUIRED.get(feature) or _REQUIRED[area]
    if needed not in held:
        return PermissionLevel.DENY
    writes = needed.endswith(".write") or not held.isdisjoint(_WRITES.get(feature, ()))
    return PermissionLevel.WRITE if writes else PermissionLevel.READ


def split_levels(given: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the levels that have an effect for staff, and the features with ineffective levels."""
    kept = {feature: level for feature, level in given.items() if feature not in WITHOUT_EFFECT}
    return kept, sorted(given.keys() - kept.keys())
