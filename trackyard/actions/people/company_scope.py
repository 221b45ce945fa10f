"""The companies that a caller may give access to (docs/spec/people.md#people-of-a-company)."""

from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import company_scope
from trackyard.base.errors import Conflict, NotFound, required
from trackyard.domain.people.callers import Account, AccountKind, Caller, StaffCaller
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, persons

_OTHER_COMPANY: Final = "This person also acts for a company that you do not manage: ask an administrator."


@dataclass(frozen=True, slots=True)
class PlaceInScope:
    """A place in a company that the caller may change. signer: who signs in."""

    id: str
    company: Account
    signer: Account


def check_company(deps: Deps, caller: Caller, company: Account) -> None:
    """Raise NotFound for a company that does not exist, or with people that the caller may not change."""
    with deps.database.read() as conn:
        if not _may_change(conn, caller, company):
            raise NotFound


def find_place(deps: Deps, caller: Caller, member_id: str) -> PlaceInScope:
    """Return a place in a company that a caller may change. Raises NotFound."""
    with deps.database.read() as conn:
        if isinstance(caller, StaffCaller):  # the same statements for a place of others as for none
            affiliates_scope = company_scope(conn, caller, AccountKind.AFFILIATE)
            advertisers_scope = company_scope(conn, caller, AccountKind.ADVERTISER)
            scopes = affiliates_scope.affiliate_ids, advertisers_scope.advertiser_ids
            found = required(persons.find_member_in(conn, member_id, *scopes))
        else:
            found = required(persons.find_member(conn, member_id, caller.company))
    return PlaceInScope(found.id, found.company, found.signer)


def check_way_in(conn: Connection, caller: Caller, signer: Account) -> None:
    """Raise Conflict for a person who also acts for a company that the staff user may not write.

    A person has one password and one second factor for all of their companies.
    """
    if not isinstance(caller, StaffCaller):
        return
    companies = [each.company for each in persons.list_places(conn, signer)]
    companies += [signer] if signer.kind in (AccountKind.AFFILIATE, AccountKind.ADVERTISER) else []
    if not all(_may_change(conn, caller, each) for each in companies):
        raise Conflict({"id": [_OTHER_COMPANY]})


def _may_change(conn: Connection, caller: Caller, company: Account) -> bool:
    if not isinstance(caller, StaffCaller):
        return company == caller.company
    if company.kind is AccountKind.AFFILIATE:
        scope = company_scope(conn, caller, company.kind)
        return affiliates.find_affiliate(conn, scope, int(company.id)) is not None
    scope = company_scope(conn, caller, company.kind)
    return advertisers.find_advertiser(conn, scope, company.id) is not None
