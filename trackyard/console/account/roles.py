"""The roles of staff users in words (docs/spec/callers.md#roles-of-staff)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.roles import Role


@dataclass(frozen=True, slots=True)
class RoleWords:
    """A role as pages name it. may: what it lets a person do."""

    name: str
    may: str


ROLE_WORDS: Final[dict[Role, RoleWords]] = {
    Role.ADMIN: RoleWords(
        lazy_gettext("Administrator"),
        lazy_gettext("Everything: edits staff users, settings and money, decides held changes."),
    ),
    Role.MANAGER_AFFILIATE: RoleWords(
        lazy_gettext("Affiliate manager"),
        lazy_gettext(
            "Reads and edits the affiliates it manages, connects them to offers, decides their requests, sees their "
            "statistics, logs, postbacks and pixels. Reads offers."
        ),
    ),
    Role.MANAGER_SALES: RoleWords(
        lazy_gettext("Sales manager"),
        lazy_gettext(
            "Reads and edits the advertisers it manages, their offers, invoices and conversions, and sees their "
            "statistics. Reads all offers."
        ),
    ),
    Role.SECTION_OFFER: RoleWords(
        lazy_gettext("Offers"), lazy_gettext("Reads and writes all offers, sources, SmartLinks; connects affiliates.")
    ),
    Role.SECTION_SUPPLIER: RoleWords(
        lazy_gettext("Advertisers"), lazy_gettext("Reads and writes all advertisers and invoices.")
    ),
    Role.SECTION_STATS: RoleWords(lazy_gettext("All statistics"), lazy_gettext("Reads every report.")),
    Role.SECTION_DASHBOARD: RoleWords(lazy_gettext("Overview"), lazy_gettext("Reads what the first page shows.")),
    Role.SECTION_NEWS: RoleWords(lazy_gettext("News"), lazy_gettext("Writes news.")),
    Role.SECTION_CATEGORY: RoleWords(
        lazy_gettext("Categories"), lazy_gettext("Reads and writes categories of offers.")
    ),
    Role.SECTION_PARTNER: RoleWords(
        lazy_gettext("Affiliates"), lazy_gettext("Reads and writes all affiliates, their postbacks and pixels.")
    ),
    Role.SECTION_PAYMENT: RoleWords(
        lazy_gettext("Payments"), lazy_gettext("Balances, payments, invoices, currencies and payment systems.")
    ),
    Role.SECTION_TICKET: RoleWords(lazy_gettext("Requests"), lazy_gettext("Decides requests of affiliates.")),
    Role.STATS_COMMON: RoleWords(
        lazy_gettext("Statistics by date and slices"),
        lazy_gettext("Reads reports by date, by hour, and by any slices."),
    ),
    Role.STATS_CONVERSION: RoleWords(lazy_gettext("Conversions"), lazy_gettext("Reads conversions.")),
    Role.STATS_SUPPLIER: RoleWords(
        lazy_gettext("Statistics by advertiser"), lazy_gettext("Reads the report by advertiser.")
    ),
    Role.STATS_OFFER: RoleWords(lazy_gettext("Statistics by offer"), lazy_gettext("Reads the report by offer.")),
    Role.STATS_PARTNER: RoleWords(
        lazy_gettext("Statistics by affiliate"), lazy_gettext("Reads the report by affiliate.")
    ),
    Role.STATS_COUNTRY: RoleWords(lazy_gettext("Statistics by country"), lazy_gettext("Reads the report by country.")),
    Role.STATS_CITY: RoleWords(lazy_gettext("Statistics by city"), lazy_gettext("Reads the report by city.")),
    Role.STATS_OS: RoleWords(
        lazy_gettext("Statistics by system"), lazy_gettext("Reads reports by operating system and version.")
    ),
    Role.STATS_GOAL: RoleWords(lazy_gettext("Statistics by goal"), lazy_gettext("Reads the report by goal.")),
    Role.STATS_DEVICE: RoleWords(
        lazy_gettext("Statistics by device"),
        lazy_gettext("Reads reports by device, model, browser, connection and carrier."),
    ),
    Role.STATS_LIMITS: RoleWords(lazy_gettext("Caps"), lazy_gettext("Reads how full caps are.")),
    Role.STATS_PARTNER_POSTBACK: RoleWords(
        lazy_gettext("Postbacks to affiliates"), lazy_gettext("Reads the log of postbacks to affiliates.")
    ),
    Role.STATS_SERVER_POSTBACK: RoleWords(
        lazy_gettext("Postbacks of advertisers"), lazy_gettext("Reads the log of postbacks of advertisers.")
    ),
}
"""Role to its words, in the order in which pages list them."""


@dataclass(frozen=True, slots=True)
class RolePreset:
    """Roles that are often given together. name, may: as pages say it."""

    name: str
    may: str
    roles: tuple[Role, ...]


PRESETS: Final[dict[str, RolePreset]] = {
    "administrator": RolePreset(
        lazy_gettext("Administrator"), lazy_gettext("Everything, settings and staff users too."), (Role.ADMIN,)
    ),
    "affiliate-manager": RolePreset(
        lazy_gettext("Affiliate manager"),
        lazy_gettext(
            "The affiliates that the person manages: approval, connections, requests, postbacks, statistics, "
            "news to read."
        ),
        (Role.MANAGER_AFFILIATE, Role.SECTION_DASHBOARD),
    ),
    "account-manager": RolePreset(
        lazy_gettext("Account manager"),
        lazy_gettext(
            "The advertisers that the person manages, with their offers, conversions, invoices and statistics."
        ),
        (Role.MANAGER_SALES, Role.SECTION_DASHBOARD),
    ),
    "finance": RolePreset(
        lazy_gettext("Finance"),
        lazy_gettext("Payments, invoices, balances, currencies and payment systems, and every report."),
        (Role.SECTION_PAYMENT, Role.SECTION_STATS),
    ),
    "analyst": RolePreset(
        lazy_gettext("Analyst"),
        lazy_gettext("Reads the overview and every report, conversion, click and log. Changes nothing."),
        (Role.SECTION_STATS, Role.SECTION_DASHBOARD),
    ),
}
"""Presets of roles by the name that a form sends, in the order in which it lists them."""


def role_names(roles: Iterable[str]) -> list[str]:
    """Return the names of these roles on pages, in the order of the table."""
    held = set(roles)
    return [str(words.name) for role, words in ROLE_WORDS.items() if role in held]
