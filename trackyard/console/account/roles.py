"""The roles of staff users in words (docs/spec/callers.md#roles-of-staff)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trackyard.domain.people.roles import Role


@dataclass(frozen=True, slots=True)
class RoleWords:
    """A role as pages name it. may: what it lets a person do."""

    name: str
    may: str


ROLE_WORDS: Final[dict[Role, RoleWords]] = {
    Role.ADMIN: RoleWords("Administrator", "Everything: edits staff users, settings and money, decides held changes."),
    Role.MANAGER_AFFILIATE: RoleWords(
        "Affiliate manager",
        "Reads and edits the affiliates it manages, connects them to offers, decides their requests, sees their "
        "statistics, logs, postbacks and pixels. Reads offers.",
    ),
    Role.MANAGER_SALES: RoleWords(
        "Sales manager",
        "Reads and edits the advertisers it manages, their offers, invoices and conversions, and sees their "
        "statistics. Reads all offers.",
    ),
    Role.SECTION_OFFER: RoleWords("Offers", "Reads and writes all offers, sources, SmartLinks; connects affiliates."),
    Role.SECTION_SUPPLIER: RoleWords("Advertisers", "Reads and writes all advertisers and invoices."),
    Role.SECTION_STATS: RoleWords("All statistics", "Reads every report."),
    Role.SECTION_DASHBOARD: RoleWords("Overview", "Reads what the first page shows."),
    Role.SECTION_NEWS: RoleWords("News", "Writes news."),
    Role.SECTION_CATEGORY: RoleWords("Categories", "Reads and writes categories of offers."),
    Role.SECTION_PARTNER: RoleWords("Affiliates", "Reads and writes all affiliates, their postbacks and pixels."),
    Role.SECTION_PAYMENT: RoleWords("Payments", "Balances, payments, invoices, currencies and payment systems."),
    Role.SECTION_TICKET: RoleWords("Requests", "Decides requests of affiliates."),
    Role.STATS_COMMON: RoleWords("Statistics by date and slices", "Reads reports by date, by hour, and by any slices."),
    Role.STATS_CONVERSION: RoleWords("Conversions", "Reads conversions."),
    Role.STATS_SUPPLIER: RoleWords("Statistics by advertiser", "Reads the report by advertiser."),
    Role.STATS_OFFER: RoleWords("Statistics by offer", "Reads the report by offer."),
    Role.STATS_PARTNER: RoleWords("Statistics by affiliate", "Reads the report by affiliate."),
    Role.STATS_COUNTRY: RoleWords("Statistics by country", "Reads the report by country."),
    Role.STATS_CITY: RoleWords("Statistics by city", "Reads the report by city."),
    Role.STATS_OS: RoleWords("Statistics by system", "Reads reports by operating system and version."),
    Role.STATS_GOAL: RoleWords("Statistics by goal", "Reads the report by goal."),
    Role.STATS_DEVICE: RoleWords(
        "Statistics by device", "Reads reports by device, model, browser, connection and carrier."
    ),
    Role.STATS_LIMITS: RoleWords("Caps", "Reads how full caps are."),
    Role.STATS_PARTNER_POSTBACK: RoleWords("Postbacks to affiliates", "Reads the log of postbacks to affiliates."),
    Role.STATS_SERVER_POSTBACK: RoleWords("Postbacks of advertisers", "Reads the log of postbacks of advertisers."),
}
"""Role to its words, in the order in which pages list them."""


@dataclass(frozen=True, slots=True)
class RolePreset:
    """Roles that are often given together. name, may: as pages say it."""

    name: str
    may: str
    roles: tuple[Role, ...]


PRESETS: Final[dict[str, RolePreset]] = {
    "administrator": RolePreset("Administrator", "Everything, settings and staff users too.", (Role.ADMIN,)),
    "affiliate-manager": RolePreset(
        "Affiliate manager",
        "The affiliates that the person manages: approval, connections, requests, postbacks, statistics, news to read.",
        (Role.MANAGER_AFFILIATE, Role.SECTION_DASHBOARD),
    ),
    "account-manager": RolePreset(
        "Account manager",
        "The advertisers that the person manages, with their offers, conversions, invoices and statistics.",
        (Role.MANAGER_SALES, Role.SECTION_DASHBOARD),
    ),
    "finance": RolePreset(
        "Finance",
        "Payments, invoices, balances, currencies and payment systems, and every report.",
        (Role.SECTION_PAYMENT, Role.SECTION_STATS),
    ),
    "analyst": RolePreset(
        "Analyst",
        "Reads the overview and every report, conversion, click and log. Changes nothing.",
        (Role.SECTION_STATS, Role.SECTION_DASHBOARD),
    ),
}
"""Presets of roles by the name that a form sends, in the order in which it lists them."""


def role_names(roles: Iterable[str]) -> list[str]:
    """Return what pages call these roles, in the order of the table."""
    held = set(roles)
    return [words.name for role, words in ROLE_WORDS.items() if role in held]
