"""Callers of the API: affiliates, advertisers, and staff users with roles (docs/spec/callers.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.key_limits import KeyLimits, may_write
from trackyard.domain.people.roles import Permission, Role, permissions_of


@dataclass(frozen=True, slots=True)
class UsedKey:
    """The lasting key that calls. name: "" for the first key of an account."""

    id: str
    name: str


class AccountKind(StrEnum):
    """The kind of an account. The account of an affiliate or an advertiser is its owner's.

    MEMBER: a person's place in a company, which has sessions and keys. PERSON: the credentials of such a person.
    """

    STAFF = "staff"
    AFFILIATE = "affiliate"
    ADVERTISER = "advertiser"
    MEMBER = "member"
    PERSON = "person"


HOMES: Final[Mapping[AccountKind, str]] = {
    AccountKind.STAFF: "/console/",
    AccountKind.AFFILIATE: "/portal/",
    AccountKind.ADVERTISER: "/advertiser/",
}
"""The first page of each kind of people."""


@dataclass(frozen=True, slots=True)
class Account:
    """What signs in, and has sessions and keys. id: as text."""

    kind: AccountKind
    id: str

    @property
    def name(self) -> str:
        """Return its name in logs, such as "affiliate:7"."""
        return f"{self.kind}:{self.id}"

    @classmethod
    def of_name(cls, name: str) -> "Account":
        """Return the account with a name in logs. Raises ValueError for another text."""
        kind, _, number = name.partition(":")
        return cls(AccountKind(kind), number)


@dataclass(frozen=True, slots=True)
class Member:
    """A person who acts for a company and does not own it.

    account: the place in the company. signer: the account with the person's password and second factor.
    """

    account: Account
    signer: Account
    role: CompanyRole


@dataclass(frozen=True, slots=True)
class AffiliateCaller:
    """An active affiliate.

    denied: features of domain/people/permissions.py that it may not use.
    session: the id of the calling session; "" for a lasting key.
    key: the limits of the calling key; None for the first key of an account, and in a session.
    is_look: whether staff look at its portal; reading then has no consequences.
    withheld: permissions that it may not use: in a look, permissions that the staff user lacks.
    needs_password: whether the session may do nothing but choose a password.
    used_key: the lasting key that calls; None in a session.
    member: the person who acts for the affiliate; None = its owner.
    """

    id: int
    denied: frozenset[str] = frozenset()
    session: str = ""
    key: KeyLimits | None = None
    is_look: bool = False
    withheld: frozenset[Permission] = frozenset()
    needs_password: bool = False
    used_key: UsedKey | None = None
    member: Member | None = None

    @property
    def name(self) -> str:
        """Return its name in logs."""
        return self.account.name

    @property
    def account(self) -> Account:
        """Return the account that has the sessions and keys: a member's, or the owner's."""
        return self.company if self.member is None else self.member.account

    @property
    def signer(self) -> Account:
        """Return the account with the password, the second factor and the preferences."""
        return self.company if self.member is None else self.member.signer

    @property
    def company(self) -> Account:
        """Return the affiliate as its owner's account."""
        return Account(AccountKind.AFFILIATE, str(self.id))

    @property
    def needs_second_factor(self) -> bool:
        """Return False: affiliates may have a second factor, and need none."""
        return False


@dataclass(frozen=True, slots=True)
class AdvertiserCaller:
    """An active advertiser. It may call only methods that admit advertisers (`Endpoint.admits`).

    id: 24 hex digits.
    session, key, used_key: as in AffiliateCaller.
    sees_affiliates: whether staff let it see which affiliates its conversions come from.
    subs_key: the key for the codes that it sees instead of subs; "" = it sees the subs.
    denied, withheld: features and permissions that the staff user of a look lacks; empty without a look.
    needs_password, member: as in AffiliateCaller.
    """

    id: str
    session: str = ""
    key: KeyLimits | None = None
    sees_affiliates: bool = False
    subs_key: str = field(default="", repr=False)
    denied: frozenset[str] = frozenset()
    withheld: frozenset[Permission] = frozenset()
    needs_password: bool = False
    used_key: UsedKey | None = None
    member: Member | None = None

    @property
    def name(self) -> str:
        """Return its name in logs."""
        return self.account.name

    @property
    def account(self) -> Account:
        """Return the account that has the sessions and keys: a member's, or the owner's."""
        return self.company if self.member is None else self.member.account

    @property
    def signer(self) -> Account:
        """Return the account with the password, the second factor and the preferences."""
        return self.company if self.member is None else self.member.signer

    @property
    def company(self) -> Account:
        """Return the advertiser as its owner's account."""
        return Account(AccountKind.ADVERTISER, self.id)

    @property
    def needs_second_factor(self) -> bool:
        """Return False: advertisers need no second factor."""
        return False


@dataclass(frozen=True, slots=True)
class StaffCaller:
    """A staff user. id: 24 hex digits.

    session, key, used_key: as of AffiliateCaller.
    needs_second_factor: whether the session may do nothing but set up a second factor.
    denied, withheld: features and permissions that its own levels take from what its roles give.
    needs_password: as of AffiliateCaller.
    """

    id: str
    roles: frozenset[Role]
    session: str = ""
    key: KeyLimits | None = None
    needs_second_factor: bool = False
    denied: frozenset[str] = frozenset()
    withheld: frozenset[Permission] = frozenset()
    needs_password: bool = False
    used_key: UsedKey | None = None

    @property
    def name(self) -> str:
        """Return its name in logs."""
        return self.account.name

    @property
    def account(self) -> Account:
        """Return its account."""
        return Account(AccountKind.STAFF, self.id)

    @property
    def company(self) -> Account:
        """Return its account: staff users belong to the network."""
        return self.account

    @property
    def signer(self) -> Account:
        """Return its account, which has the password."""
        return self.account

    @property
    def member(self) -> None:
        """Return None: staff users have roles of their own."""

    @property
    def has_levels(self) -> bool:
        """Return whether its own levels take anything away."""
        return bool(self.denied or self.withheld)

    def may(self, permission: Permission) -> bool:
        """Return whether any of its roles gives the permission, and its levels leave it."""
        return permission in permissions_of(self.roles) and permission not in self.withheld

    def may_write_with_key(self, permission: Permission) -> bool:
        """Return whether it has a permission that writes, and the key that calls leaves it."""
        return self.may(permission) and may_write(self.key, permission)


Caller = AffiliateCaller | AdvertiserCaller | StaffCaller


def may_give_access(caller: Caller) -> bool:
    """Return whether a caller may learn what another account signs in or calls with.

    Staff with levels may not: with it they would get back what the levels take away.
    """
    return not (isinstance(caller, StaffCaller) and caller.has_levels)


@dataclass(frozen=True, slots=True)
class Access:
    """A caller, and the permission of the method that it calls."""

    caller: Caller
    permission: Permission

    @property
    def affiliate_id(self) -> int | None:
        """Return the calling affiliate's id; None for staff."""
        return self.caller.id if isinstance(self.caller, AffiliateCaller) else None

    @property
    def acting_affiliate_id(self) -> int | None:
        """Return the calling affiliate's id; None for staff, and while staff look at its portal."""
        return self.caller.id if isinstance(self.caller, AffiliateCaller) and not self.caller.is_look else None
