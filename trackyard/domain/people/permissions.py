"""The permissions of affiliates: a tree of areas and features, each at a level.

A feature is named "area.feature". The default levels are here; an installation and an affiliate may override some
(docs/spec/callers.md#permissions-of-affiliates).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from trackyard.domain.statistics.slices import SLICES

Level = Literal["read", "write", "deny"]
LEVELS: Final[tuple[Level, ...]] = ("read", "write", "deny")

DEFAULTS: Final[dict[str, dict[str, Level]]] = {
    "automation": {"checker": "deny"},
    "general": {"marketplace": "read", "settings": "write"},
    "notificator": {"client-subscription": "write", "transport-configuration": "write", "user-subscription": "write"},
    "stats": {
        "affiliate-postback": "read",
        "clicks-list": "read",
        "comparison-report": "read",
        "conversions-export": "read",
        "conversions-import": "deny",
        "conversions-list": "read",
        "entity-account-manager": "deny",
        "entity-affiliate-manager": "read",
        "referral": "read",
        "server-postback": "deny",
        "slice-account_manager_id": "deny",
        "slice-advertiser_id": "deny",
        "slice-affiliate_id": "read",
        "slice-affiliate_manager_id": "read",
        "slice-browser": "read",
        "slice-city": "read",
        "slice-connection-type": "read",
        "slice-country": "read",
        "slice-day": "read",
        "slice-device": "read",
        "slice-goal": "read",
        "slice-landing": "read",
        "slice-mobile-carrier": "read",
        "slice-offer_id": "read",
        "slice-os": "read",
        "slice-prelanding": "read",
        "slice-smart_id": "read",
        "slice-sub1": "read",
        "slice-sub2": "read",
        "slice-trafficback_reason": "deny",
        "stats-export": "read",
        "view-custom": "read",
        "view-kpi": "read",
        "view-retention-rate": "read",
    },
    "users": {
        "entity-account-manager": "deny",
        "entity-advertiser": "deny",
        "entity-affiliate": "deny",
        "entity-affiliate-manager": "deny",
        "entity-common-manager": "deny",
        "entity-preset": "deny",
        "view-users": "deny",
    },
}
"""Area to feature to its default level."""

FEATURES: Final[dict[str, Level]] = {
    f"{area}.{feature}": level for area, features in DEFAULTS.items() for feature, level in features.items()
}


@dataclass(frozen=True, slots=True)
class EffectiveLevel:
    """The effective level of a feature. default: its level without an own one."""

    level: str
    default: str


def slice_features(slices: Iterable[str]) -> tuple[str, ...]:
    """Return the features that a report by these slices needs."""
    return tuple(f"stats.slice-{SLICES[name].feature}" for name in slices if SLICES[name].feature)


def denied_features(installation: Mapping[str, str], own: Mapping[str, str]) -> frozenset[str]:
    """Return the features that are denied to an affiliate.

    installation, own: feature to level, where it differs.
    """
    levels = {**FEATURES, **installation, **own}
    return frozenset(feature for feature in FEATURES if levels[feature] == "deny")


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
