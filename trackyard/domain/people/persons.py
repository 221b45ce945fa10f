"""People of companies who do not own one (docs/spec/people.md#people-of-a-company)."""

from dataclasses import dataclass
from typing import Final

from trackyard.domain.people.callers import Account
from trackyard.domain.people.companies import CompanyRole

MAX_MEMBERS: Final = 100
"""People of a company besides its owner."""
MAX_NAME: Final = 200
"""Characters of the name of a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAccount:
    """A person with credentials of their own. Times are UTC milliseconds.

    password_hash: None until the person chose a password.
    password_until: when a mailed password ends; None = the person chose it.
    """

    id: str
    email: str
    name: str
    password_hash: str | None = None
    password_until: int | None = None
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """The place of a person in a company. Times are UTC milliseconds.

    signer: the account with the password of the person: a person, or the owner of another company.
    company: an affiliate or an advertiser, as its owner's account.
    name: as the company calls the person.
    last_login_at: None is never.
    """

    id: str
    signer: Account
    company: Account
    role: CompanyRole
    name: str = ""
    last_login_at: int | None = None
    created_at: int
