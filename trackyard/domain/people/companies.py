"""Roles of people in a company, and what each may do (docs/spec/people.md#people-of-a-company)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.roles import STATISTICS_PERMISSIONS, Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRoleRule:
    """What the people of a role may do for their company. Texts are in English.

    reads, writes: the permissions of the methods that they may call, with GET and with another method. Methods of the
    person's own account (Permission.ACCOUNT) are for everybody.
    decides_access: whether they manage people, the first API key, and the e-mail address of the company.
    label, about: the role on pages: its name, and a sentence.
    """

    reads: frozenset[Permission]
    writes: frozenset[Permission]
    decides_access: bool = False
    label: str
    about: str

    @property
    def withheld(self) -> frozenset[Permission]:
        """Return the permissions that the role does not have at all."""
        return frozenset(Permission) - self.reads - self.writes - _FOR_EVERYBODY

    def permits(self, permission: Permission, *, writes: bool, access: bool) -> bool:
        """Return whether the role may call a method.

        writes: whether the method changes something. access: whether it decides who gets in.
        """
        if access and not self.decides_access:
            return False
        return permission in _FOR_EVERYBODY or permission in (self.writes if writes else self.reads)


class CompanyRole(StrEnum):
    """What a person does for an affiliate or an advertiser. COMPANY_ROLES has what follows from each."""

    OWNER = "owner"
    MANAGER = "manager"
    FINANCE = "finance"
    REPORTS = "reports"

    @property
    def rule(self) -> CompanyRoleRule:
        """Return the rule of the role."""
        return COMPANY_ROLES[self]


_FOR_EVERYBODY: Final = frozenset({Permission.NONE, Permission.ACCOUNT, Permission.NEWS_READ})
_ALL: Final = frozenset(Permission)
_OF_OWNERS: Final = frozenset({Permission.COMPANY})
_MONEY: Final = frozenset({Permission.BALANCES_READ, Permission.PAYMENTS_WRITE, Permission.INVOICES_WRITE})
_PAYEE: Final = frozenset({Permission.AFFILIATES_WRITE})
_REPORTS: Final = STATISTICS_PERMISSIONS | {
    Permission.OFFERS_READ, Permission.OFFERS_CONNECT, Permission.CATEGORIES_READ,
}  # fmt: skip
_SAVED_REPORTS: Final = frozenset({Permission.STATS_COMMON})

COMPANY_ROLES: Final[Mapping[CompanyRole, CompanyRoleRule]] = MappingProxyType(
    {
        CompanyRole.OWNER: CompanyRoleRule(
            reads=_ALL,
            writes=_ALL,
            decides_access=True,
            label=lazy_gettext("Owner"),
            about=lazy_gettext("Does everything, and decides who else gets in."),
        ),
        CompanyRole.MANAGER: CompanyRoleRule(
            reads=_ALL - _OF_OWNERS,
            writes=_ALL - _MONEY - _PAYEE - _OF_OWNERS,
            label=lazy_gettext("Manager"),
            about=lazy_gettext(
                "Works with offers, links, postbacks and reports. Sees the balance, and asks for no payment."
            ),
        ),
        CompanyRole.FINANCE: CompanyRoleRule(
            reads=_REPORTS | _MONEY | {Permission.AFFILIATES_READ},
            writes=_SAVED_REPORTS | _MONEY | _PAYEE,
            label=lazy_gettext("Finance"),
            about=lazy_gettext("Sees reports, balances and payments, and sets how the company is paid."),
        ),
        CompanyRole.REPORTS: CompanyRoleRule(
            reads=_REPORTS,
            writes=_SAVED_REPORTS,
            label=lazy_gettext("Reports only"),
            about=lazy_gettext("Sees offers and reports, and changes nothing."),
        ),
    }
)
"""Every role, in the order in which pages list them."""
