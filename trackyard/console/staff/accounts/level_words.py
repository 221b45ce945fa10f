"""Features of staff users and levels, in words (docs/spec/console.md#levels-of-permissions)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.permissions import PermissionLevel
from trackyard.domain.people.presets import PresetKind


@dataclass(frozen=True, slots=True)
class LevelSection:
    """Features that pages show together. features: "area.feature" to its words."""

    title: str
    features: Mapping[str, str]


SECTIONS: Final = (
    LevelSection(
        lazy_gettext("General"),
        {
            "users.entity-affiliate": lazy_gettext("Affiliates"),
            "users.entity-advertiser": lazy_gettext("Advertisers"),
            "general.billing": lazy_gettext("Balances, payments and invoices"),
            "general.marketplace": lazy_gettext("Lists of offers to join"),
        },
    ),
    LevelSection(
        lazy_gettext("Logs and reports"),
        {
            "stats.conversions-list": lazy_gettext("Conversions"),
            "stats.conversions-import": lazy_gettext("Import of conversions"),
            "stats.conversions-export": lazy_gettext("Files of conversions and clicks"),
            "stats.clicks-list": lazy_gettext("Clicks"),
            "stats.affiliate-postback": lazy_gettext("Postbacks to affiliates"),
            "stats.server-postback": lazy_gettext("Postbacks of advertisers"),
            "stats.view-custom": lazy_gettext("Custom report and saved reports"),
            "stats.stats-export": lazy_gettext("Files of the custom report"),
            "stats.view-retention-rate": lazy_gettext("Retention"),
            "stats.referral": lazy_gettext("Referrals"),
        },
    ),
    LevelSection(
        lazy_gettext("Slices of reports"),
        {
            "stats.slice-offer_id": lazy_gettext("Offer"),
            "stats.slice-affiliate_id": lazy_gettext("Affiliate"),
            "stats.slice-affiliate_manager_id": lazy_gettext("Affiliate manager"),
            "stats.slice-advertiser_id": lazy_gettext("Advertiser"),
            "stats.slice-account_manager_id": lazy_gettext("Account manager"),
            "stats.slice-day": lazy_gettext("Day"),
            "stats.slice-goal": lazy_gettext("Goal"),
            "stats.slice-smart_id": lazy_gettext("SmartLink"),
            "stats.slice-sub1": lazy_gettext("Sub 1"),
            "stats.slice-sub2": lazy_gettext("Sub 2"),
            "stats.slice-country": lazy_gettext("Country"),
            "stats.slice-city": lazy_gettext("City"),
            "stats.slice-device": lazy_gettext("Device"),
            "stats.slice-os": lazy_gettext("System"),
            "stats.slice-browser": lazy_gettext("Browser"),
            "stats.slice-connection-type": lazy_gettext("Connection"),
            "stats.slice-mobile-carrier": lazy_gettext("Carrier"),
            "stats.slice-landing": lazy_gettext("Landing page"),
            "stats.slice-prelanding": lazy_gettext("Transit page"),
            "stats.slice-trafficback_reason": lazy_gettext("Trafficback reason"),
        },
    ),
)
"""Every feature that has an effect for staff, in the order of pages."""

LEVEL_WORDS: Final[Mapping[str, str]] = {
    PermissionLevel.WRITE: lazy_gettext("Read and write"),
    PermissionLevel.READ: lazy_gettext("Only read"),
    PermissionLevel.DENY: lazy_gettext("Denied"),
}
KIND_WORDS: Final[Mapping[str, str]] = {
    PresetKind.COMMON_MANAGER: lazy_gettext("All managers"),
    PresetKind.AFFILIATE_MANAGER: lazy_gettext("Affiliate managers"),
    PresetKind.ACCOUNT_MANAGER: lazy_gettext("Account managers"),
}
"""The kind of a preset to the staff users that it is meant for."""
