"""The permissions of each staff role (docs/spec/callers.md#roles-of-staff)."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Permission(StrEnum):
    """The permission to call a method; the code of the 403 contains it."""

    NONE = "none"  # for methods without a caller
    ACCOUNT = "account.own"
    COMPANY = "company.people"  # the people of an affiliate or an advertiser, and what its owner alone does
    OFFERS_READ = "offers.read"
    OFFERS_WRITE = "offers.write"
    OFFERS_CONNECT = "offers.connect"
    SOURCES_WRITE = "sources.write"
    SMARTLINKS_WRITE = "smartlinks.write"
    CATEGORIES_READ = "categories.read"
    CATEGORIES_WRITE = "categories.write"
    AFFILIATES_READ = "affiliates.read"
    AFFILIATES_WRITE = "affiliates.write"
    POSTBACKS_WRITE = "postbacks.write"
    PIXELS_WRITE = "pixels.write"
    ADVERTISERS_READ = "advertisers.read"
    ADVERTISERS_WRITE = "advertisers.write"
    INVOICES_WRITE = "invoices.write"
    BALANCES_READ = "balances.read"
    PAYMENTS_WRITE = "payments.write"
    PAYMENTS_CONFIRM = "payments.confirm"
    PAYMENT_SYSTEMS_READ = "payment_systems.read"
    CURRENCIES_READ = "currencies.read"
    CURRENCIES_WRITE = "currencies.write"
    THREADS = "threads.write"  # what staff and a company write to each other
    TICKETS_READ = "tickets.read"
    TICKETS_WRITE = "tickets.write"
    NEWS_READ = "news.read"
    NEWS_WRITE = "news.write"
    USERS_WRITE = "users.write"
    SETTINGS_WRITE = "settings.write"
    AUDIT_READ = "audit.read"
    RULES_WRITE = "rules.write"
    STATS_COMMON = "stats.common"
    STATS_CONVERSION = "stats.conversion"
    CONVERSIONS_WRITE = "conversions.write"
    STATS_CLICKS = "stats.clicks"
    STATS_SUPPLIER = "stats.supplier"
    STATS_OFFER = "stats.offer"
    STATS_PARTNER = "stats.partner"
    STATS_COUNTRY = "stats.country"
    STATS_CITY = "stats.city"
    STATS_OS = "stats.os"
    STATS_GOAL = "stats.goal"
    STATS_DEVICE = "stats.device"
    STATS_OTHER = "stats.other"
    STATS_LIMITS = "stats.limits"
    STATS_REFERRAL = "stats.referral"
    STATS_PARTNER_POSTBACK = "stats.partner_postback"
    STATS_SERVER_POSTBACK = "stats.server_postback"


class Role(StrEnum):
    """A role of a staff user (docs/spec/callers.md#roles-of-staff)."""

    ADMIN = "ROLE_ADMIN"
    MANAGER_AFFILIATE = "ROLE_MANAGER_AFFILIATE"
    MANAGER_SALES = "ROLE_MANAGER_SALES"
    SECTION_OFFER = "ROLE_SECTION_OFFER"
    SECTION_SUPPLIER = "ROLE_SECTION_SUPPLIER"
    SECTION_STATS = "ROLE_SECTION_STATS"
    SECTION_DASHBOARD = "ROLE_SECTION_DASHBOARD"
    SECTION_NEWS = "ROLE_SECTION_NEWS"
    SECTION_CATEGORY = "ROLE_SECTION_CATEGORY"
    SECTION_PARTNER = "ROLE_SECTION_PARTNER"
    SECTION_PAYMENT = "ROLE_SECTION_PAYMENT"
    SECTION_TICKET = "ROLE_SECTION_TICKET"
    STATS_COMMON = "ROLE_SECTION_STATS_COMMON"
    STATS_CONVERSION = "ROLE_SECTION_STATS_CONVERSION"
    STATS_SUPPLIER = "ROLE_SECTION_STATS_SUPPLIER"
    STATS_OFFER = "ROLE_SECTION_STATS_OFFER"
    STATS_PARTNER = "ROLE_SECTION_STATS_PARTNER"
    STATS_COUNTRY = "ROLE_SECTION_STATS_COUNTRY"
    STATS_CITY = "ROLE_SECTION_STATS_CITY"
    STATS_OS = "ROLE_SECTION_STATS_OS"
    STATS_GOAL = "ROLE_SECTION_STATS_GOAL"
    STATS_DEVICE = "ROLE_SECTION_STATS_DEVICE"
    STATS_LIMITS = "ROLE_SECTION_STATS_LIMITS"
    STATS_PARTNER_POSTBACK = "ROLE_SECTION_STATS_PARTNER_POSTBACK"
    STATS_SERVER_POSTBACK = "ROLE_SECTION_STATS_SERVER_POSTBACK"


_P = Permission
STATISTICS_PERMISSIONS: Final = frozenset(p for p in Permission if p.startswith("stats."))

_GRANTED: Final[dict[Role, frozenset[Permission]]] = {
    Role.ADMIN: frozenset(Permission),
    Role.MANAGER_AFFILIATE: STATISTICS_PERMISSIONS
    | {_P.OFFERS_READ, _P.OFFERS_CONNECT, _P.AFFILIATES_READ, _P.AFFILIATES_WRITE, _P.POSTBACKS_WRITE}
    | {_P.PIXELS_WRITE, _P.BALANCES_READ, _P.TICKETS_WRITE, _P.CATEGORIES_READ},
    Role.MANAGER_SALES: STATISTICS_PERMISSIONS
    | {_P.OFFERS_READ, _P.OFFERS_WRITE, _P.CATEGORIES_READ, _P.ADVERTISERS_READ, _P.ADVERTISERS_WRITE}
    | {_P.INVOICES_WRITE, _P.CONVERSIONS_WRITE},
    Role.SECTION_OFFER: frozenset({_P.OFFERS_READ, _P.OFFERS_WRITE, _P.OFFERS_CONNECT, _P.CATEGORIES_READ})
    | {_P.SOURCES_WRITE, _P.SMARTLINKS_WRITE},
    Role.SECTION_SUPPLIER: frozenset({_P.ADVERTISERS_READ, _P.ADVERTISERS_WRITE, _P.INVOICES_WRITE}),
    Role.SECTION_STATS: STATISTICS_PERMISSIONS,
    Role.SECTION_DASHBOARD: frozenset({_P.STATS_COMMON, _P.STATS_OFFER, _P.STATS_PARTNER, _P.STATS_SUPPLIER})
    | {_P.STATS_COUNTRY, _P.TICKETS_READ},
    Role.SECTION_NEWS: frozenset({_P.NEWS_WRITE}),
    Role.SECTION_CATEGORY: frozenset({_P.CATEGORIES_READ, _P.CATEGORIES_WRITE}),
    Role.SECTION_PARTNER: frozenset({_P.AFFILIATES_READ, _P.AFFILIATES_WRITE, _P.POSTBACKS_WRITE})
    | {_P.PIXELS_WRITE, _P.BALANCES_READ},
    Role.SECTION_PAYMENT: frozenset({_P.BALANCES_READ, _P.PAYMENTS_WRITE, _P.INVOICES_WRITE, _P.CURRENCIES_WRITE})
    | {_P.STATS_REFERRAL},
    Role.SECTION_TICKET: frozenset({_P.TICKETS_WRITE}),
    Role.STATS_COMMON: frozenset({_P.STATS_COMMON}),
    Role.STATS_CONVERSION: frozenset({_P.STATS_CONVERSION}),
    Role.STATS_SUPPLIER: frozenset({_P.STATS_SUPPLIER}),
    Role.STATS_OFFER: frozenset({_P.STATS_OFFER}),
    Role.STATS_PARTNER: frozenset({_P.STATS_PARTNER}),
    Role.STATS_COUNTRY: frozenset({_P.STATS_COUNTRY}),
    Role.STATS_CITY: frozenset({_P.STATS_CITY}),
    Role.STATS_OS: frozenset({_P.STATS_OS}),
    Role.STATS_GOAL: frozenset({_P.STATS_GOAL}),
    Role.STATS_DEVICE: frozenset({_P.STATS_DEVICE}),
    Role.STATS_LIMITS: frozenset({_P.STATS_LIMITS}),
    Role.STATS_PARTNER_POSTBACK: frozenset({_P.STATS_PARTNER_POSTBACK}),
    Role.STATS_SERVER_POSTBACK: frozenset({_P.STATS_SERVER_POSTBACK}),
}

_IMPLIED: Final[dict[Permission, frozenset[Permission]]] = {
    _P.INVOICES_WRITE: frozenset({_P.CURRENCIES_READ}),
    _P.CURRENCIES_WRITE: frozenset({_P.CURRENCIES_READ}),
    _P.AFFILIATES_WRITE: frozenset({_P.PAYMENT_SYSTEMS_READ, _P.COMPANY, _P.THREADS}),
    _P.ADVERTISERS_WRITE: frozenset({_P.COMPANY, _P.THREADS}),
    _P.PAYMENTS_WRITE: frozenset({_P.PAYMENT_SYSTEMS_READ}),
    _P.TICKETS_WRITE: frozenset({_P.TICKETS_READ}),
}
"""Permission to implied permissions: lists of values that a write names, and the people of a company."""

COMMON_PERMISSIONS: Final = frozenset({_P.NEWS_READ, _P.ACCOUNT})
"""The permissions of every staff user."""


def _with_implied(given: frozenset[Permission]) -> frozenset[Permission]:
    return COMMON_PERMISSIONS | given.union(*(_IMPLIED.get(permission, frozenset()) for permission in given))


ROLE_PERMISSIONS: Final[dict[Role, frozenset[Permission]]] = {
    role: _with_implied(given) for role, given in _GRANTED.items()
}
"""Role to its permissions. The manager roles have them within their scope (actions/people/scope.py)."""


def permissions_of(roles: Iterable[Role]) -> frozenset[Permission]:
    """Return the permissions of any of the roles, and the common ones."""
    return COMMON_PERMISSIONS.union(*(ROLE_PERMISSIONS[role] for role in roles))


def roles_with(permission: Permission) -> tuple[Role, ...]:
    """Return the roles that have a permission, for the documentation."""
    return tuple(role for role, given in ROLE_PERMISSIONS.items() if permission in given)


def legacy_kind(roles: Iterable[Role]) -> str:
    """Return the kind by which existing programs know a staff user."""
    given = set(roles)
    managers = given & {Role.MANAGER_AFFILIATE, Role.MANAGER_SALES}
    if Role.ADMIN in given or len(managers) != 1:
        return "common_manager"
    return "affiliate_manager" if Role.MANAGER_AFFILIATE in managers else "account_manager"
