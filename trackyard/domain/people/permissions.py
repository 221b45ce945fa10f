"""The permissions of affiliates: a tree of areas and features, each at a level.

A feature is named "area.feature". The default levels are here; an installation and an affiliate may override some
(docs/spec/callers.md#permissions-of-affiliates).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.slices import SLICES


class PermissionLevel(StrEnum):
    """The level at which an affiliate may use a feature."""

    READ = "read"
    WRITE = "write"
    DENY = "deny"


_READ, _WRITE, _DENY = PermissionLevel

DEFAULTS: Final[dict[str, dict[str, PermissionLevel]]] = {
    "automation": {"checker": _DENY},
    "general": {"billing": _READ, "marketplace": _READ, "settings": _WRITE},
    "notificator": {"client-subscription": _WRITE, "transport-configuration": _WRITE, "user-subscription": _WRITE},
    "stats": {
        "affiliate-postback": _READ,
        "clicks-list": _READ,
        "comparison-report": _READ,
        "conversions-export": _READ,
        "conversions-import": _DENY,
        "conversions-list": _READ,
        "entity-account-manager": _DENY,
        "entity-affiliate-manager": _READ,
        "referral": _READ,
        "server-postback": _DENY,
        "slice-account_manager_id": _DENY,
        "slice-advertiser_id": _DENY,
        "slice-affiliate_id": _READ,
        "slice-affiliate_manager_id": _READ,
        "slice-browser": _READ,
        "slice-city": _READ,
        "slice-connection-type": _READ,
        "slice-country": _READ,
        "slice-day": _READ,
        "slice-device": _READ,
        "slice-events": _READ,
        "slice-goal": _READ,
        "slice-landing": _READ,
        "slice-mobile-carrier": _READ,
        "slice-offer_id": _READ,
        "slice-os": _READ,
        "slice-prelanding": _READ,
        "slice-smart_id": _READ,
        "slice-sub1": _READ,
        "slice-sub2": _READ,
        "slice-trafficback_reason": _DENY,
        "stats-export": _READ,
        "view-custom": _READ,
        "view-kpi": _READ,
        "view-retention-rate": _READ,
    },
    "users": {
        "entity-account-manager": _DENY,
        "entity-advertiser": _DENY,
        "entity-affiliate": _DENY,
        "entity-affiliate-manager": _DENY,
        "entity-common-manager": _DENY,
        "entity-preset": _DENY,
        "view-users": _DENY,
    },
}
"""Area to feature to its default level."""

UNENFORCED: Final = frozenset(
    {"automation.checker"}
    | {f"notificator.{name}" for name in DEFAULTS["notificator"]}
    | {f"stats.{name}" for name in ("comparison-report", "server-postback", "view-kpi")}
    | {f"stats.entity-{name}" for name in ("account-manager", "affiliate-manager")}
    | {f"stats.slice-{name}" for name in ("account_manager_id", "advertiser_id", "smart_id")}
    | {"stats.slice-events"}
    | {f"users.{name}" for name in DEFAULTS["users"]}
)
"""Features that no method for affiliates asks for. Their levels are kept for programs that send the whole tree."""
ONLY_WRITES: Final = frozenset({"general.settings", "stats.conversions-import"})
"""Features of methods that write: the level read is not enough."""
SHOWN_NAMES: Final = {"automation.checker": "automation.affise-checker"}
"""Feature to its name in requests and answers, where existing programs know it by another one than its own."""
SPELLINGS: Final = {shown: feature for feature, shown in SHOWN_NAMES.items()}
"""The shown name of a feature to its own; both are read."""

FEATURES: Final[dict[str, PermissionLevel]] = {
    f"{area}.{feature}": level for area, features in DEFAULTS.items() for feature, level in features.items()
}

_STATS_EXPORT: Final = "stats.stats-export"
_CONVERSIONS_EXPORT: Final = "stats.conversions-export"
EXPORT_FEATURES: Final = {
    Permission.STATS_COMMON: _STATS_EXPORT,
    Permission.STATS_SUPPLIER: _STATS_EXPORT,
    Permission.STATS_OFFER: _STATS_EXPORT,
    Permission.STATS_PARTNER: _STATS_EXPORT,
    Permission.STATS_COUNTRY: _STATS_EXPORT,
    Permission.STATS_CITY: _STATS_EXPORT,
    Permission.STATS_OS: _STATS_EXPORT,
    Permission.STATS_GOAL: _STATS_EXPORT,
    Permission.STATS_DEVICE: _STATS_EXPORT,
    Permission.STATS_OTHER: _STATS_EXPORT,
    Permission.STATS_LIMITS: _STATS_EXPORT,
    Permission.STATS_CONVERSION: _CONVERSIONS_EXPORT,
    Permission.STATS_CLICKS: _CONVERSIONS_EXPORT,
    Permission.STATS_PARTNER_POSTBACK: _CONVERSIONS_EXPORT,
    Permission.STATS_SERVER_POSTBACK: _CONVERSIONS_EXPORT,
}
"""The permission of a report to the feature that its file needs (docs/spec/callers.md#permissions-of-affiliates).

Referral payments (STATS_REFERRAL) are the person's own money, as payments are: their file needs nothing more.
"""


@dataclass(frozen=True, slots=True)
class EffectiveLevel:
    """The effective level of a feature. default: its level without an own one."""

    level: str
    default: str


def slice_features(slices: Iterable[str]) -> tuple[str, ...]:
    """Return the features that a report by these slices needs."""
    shown = dict.fromkeys(each for name in slices for each in (name, SLICES[name].within) if each)
    return tuple(f"stats.slice-{SLICES[name].feature}" for name in shown if SLICES[name].feature)


def denied_features(installation: Mapping[str, str], own: Mapping[str, str]) -> frozenset[str]:
    """Return the features that are denied to an affiliate.

    installation, own: feature to level, where it differs.
    """
    levels = {**FEATURES, **installation, **own}
    return frozenset(feature for feature in FEATURES if _is_denied(feature, levels[feature]))


def _is_denied(feature: str, level: str) -> bool:
    return level == PermissionLevel.DENY or (level == PermissionLevel.READ and feature in ONLY_WRITES)


def new_empty_denials(given: Mapping[str, str], *known: Mapping[str, str]) -> list[str]:
    """Return the features of `given` that would be denied without any effect.

    known: levels that are stored or inherited. A program may send back a denial that is one of them.
    """
    return [
        feature
        for feature, level in given.items()
        if level == PermissionLevel.DENY
        and feature in UNENFORCED
        and all(levels.get(feature) != PermissionLevel.DENY for levels in (FEATURES, *known))
    ]


def shown_name(feature: str) -> str:
    """Return the name of a feature in answers."""
    return SHOWN_NAMES.get(feature, feature)


def merge_levels(before: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return own levels after a change; `default` removes one."""
    levels = {**before, **given}
    return {feature: level for feature, level in levels.items() if level != "default"}


def permission_tree(installation: Mapping[str, str], own: Mapping[str, str]) -> dict[str, dict[str, EffectiveLevel]]:
    """Return the effective levels by area and feature.

    installation, own: feature to level, where it differs.
    """
    tree: dict[str, dict[str, EffectiveLevel]] = {}
    for area, features in DEFAULTS.items():
        for feature, level in features.items():
            name = f"{area}.{feature}"
            common = installation.get(name, level)
            tree.setdefault(area, {})[feature] = EffectiveLevel(own.get(name, common), common)
    return tree
