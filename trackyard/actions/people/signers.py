"""Who signs in for an account, and the name of a company (docs/spec/people.md#people-of-a-company)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.base.errors import required
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, persons, sign_ins, staff


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signs in with a password: a person, or the owner of a company."""

    account: Account
    email: str
    name: str
    has_password: bool


def find_own_signer(deps: Deps, account: Account) -> Signer:
    """Return who signs in for an account. Raises NotFound for an account that was removed meanwhile."""
    with deps.database.read() as conn:
        return required(find_signer(conn, account))


def find_signer(conn: Connection, account: Account) -> Signer | None:
    """Return who signs in for an account; None when it does not exist. account: also a place in a company."""
    if account.kind is AccountKind.MEMBER:
        place = persons.find_member(conn, account.id)
        # the log has the id of a person who signed in with a link, and acted for no company yet
        return find_signer(conn, Account(AccountKind.PERSON, account.id) if place is None else place.signer)
    found = sign_ins.find_account(conn, account)
    if found is None:
        return None
    return Signer(account, found.email, _name_of(conn, account), found.password_hash is not None)


def get_title(deps: Deps, company: Account) -> str:
    """Return the name of a company, "" when it does not exist."""
    with deps.database.read() as conn:
        return title_of(conn, company)


def title_of(conn: Connection, company: Account) -> str:
    """Return the name of a company, "" when it does not exist."""
    if company.kind is AccountKind.AFFILIATE:
        found = affiliates.find_affiliate(conn, Scope.everything(), int(company.id))
        return "" if found is None else found.company or found.name or found.login
    return advertisers.titles_of(conn, [company.id]).get(company.id, "")


def _name_of(conn: Connection, account: Account) -> str:
    match account.kind:
        case AccountKind.PERSON:
            person = persons.find_person(conn, account.id)
            return "" if person is None else person.name
        case AccountKind.AFFILIATE:
            affiliate = affiliates.find_affiliate(conn, Scope.everything(), int(account.id))
            return "" if affiliate is None else affiliate.contact_person or affiliate.name or ""
        case AccountKind.ADVERTISER:
            advertiser = advertisers.find_advertiser(conn, Scope.everything(), account.id)
            return "" if advertiser is None else advertiser.contact or ""
        case _:
            user = staff.find_staff(conn, account.id)
            return "" if user is None else f"{user.first_name} {user.last_name}".strip()
