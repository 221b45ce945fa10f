"""People of an affiliate or an advertiser besides its owner (docs/spec/people.md#people-of-a-company)."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import WINDOW_MS
from trackyard.actions.people.sign_in.by_link import LINK_PAGE
from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.people.sign_in.passwords import exchange_passwords
from trackyard.actions.people.signers import Signer, find_signer, title_of
from trackyard.actions.platform.notices import (
    INVITED,
    INVITED_AGAIN,
    OWNER_CHANGED,
    OWNER_NOW,
    Recipient,
    send_notice,
)
from trackyard.base.errors import BadInput, Conflict, TooManyRequests, required
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import digest
from trackyard.domain.people.affiliates import EmailState
from trackyard.domain.people.callers import Account, AccountKind, Caller, StaffCaller
from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.persons import MAX_MEMBERS, Membership, PersonAccount
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, persons, places, sessions, sign_in_links, sign_ins
from trackyard.store.tracking import rulesets

INVITATIONS: Final = 20
"""Invitations of a company within WINDOW_MS; the next is refused until the window ends."""
_TOO_MANY: Final = "Too Many Requests: the company sent many invitations, try again later"
_LINKING: Final = re.compile(r"[\s:/@.]+")
"""What mail programs make links of."""
_OWNER_ROLE: Final = "A company has one owner: hand the company over instead."
_IS_OWNER: Final = "This e-mail address belongs to the owner of the company."
_IS_MEMBER: Final = "A person with this e-mail address is in the company already."
_NO_PASSWORD: Final = "This person has not chosen a password yet, and could not sign in as the owner."  # noqa: S105 (a sentence)
_KNOWN_ELSEWHERE: Final = "The e-mail address of the present owner has a place of its own in a company."
_OWNS_OTHER: Final = "This person owns another company, and an e-mail address owns one."


@dataclass(frozen=True, slots=True)
class CompanyPerson:
    """A person of a company. Times are UTC milliseconds.

    id: the id of the place in the company; "" for the owner. account: what acts in the company.
    joined: whether the person has signed in to the company.
    """

    id: str
    account: Account
    role: CompanyRole
    email: str
    name: str
    joined: bool
    last_login_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class CompanyOfPerson:
    """A company that a person may act for. account: what acts there."""

    account: Account
    company: Account
    title: str
    role: CompanyRole


def list_people(deps: Deps, company: Account) -> list[CompanyPerson]:
    """Return the people of a company, its owner first, then the oldest. Raises NotFound."""
    with deps.database.read() as conn:
        members = persons.list_members(conn, company)
        emails = sign_ins.emails_of(conn, [each.signer for each in members])
        return [_owner(conn, company), *(_person(each, emails[each.signer.name]) for each in members)]


def find_person(deps: Deps, company: Account, member_id: str) -> CompanyPerson:
    """Return a person of a company. Raises NotFound."""
    with deps.database.read() as conn:
        return _found_person(conn, required(persons.find_member(conn, member_id, company)))


def invite(deps: Deps, company: Account, email: str, name: str, role: CompanyRole) -> CompanyPerson:
    """Give a person a place in a company, and mail the person a link.

    With the link a new person chooses a password; it leads others to the sign-in.
    A person with this e-mail address who may sign in already keeps the password.
    Raises BadInput for the role of the owner or too many people, Conflict for an e-mail address that is in the company,
    and TooManyRequests.
    """
    _check_role(role)
    _count_invitation(deps, company)
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        signer = _signer_for(conn, email.strip().lower(), name.strip(), now)
        if signer.account == company:
            raise Conflict({"email": [_IS_OWNER]})
        if persons.has_place(conn, signer.account, company):
            raise Conflict({"email": [_IS_MEMBER]})
        if persons.count_members(conn, company) >= MAX_MEMBERS:
            raise BadInput({"email": [f"A company has at most {MAX_MEMBERS} people besides its owner."]})
        place = Membership(
            id=new_id(now), signer=signer.account, company=company, role=role, name=name.strip(), created_at=now
        )
        persons.add_member(conn, place)
        _mail_invitation(deps, conn, company, signer)
        return _person(place, signer.email)


def invite_again(deps: Deps, company: Account, member_id: str) -> None:
    """Mail the invitation of a person again; the link before ends. Raises NotFound, TooManyRequests."""
    _count_invitation(deps, company)
    with deps.database.write() as conn:
        place = required(persons.find_member(conn, member_id, company))
        _mail_invitation(deps, conn, company, required(find_signer(conn, place.signer)))


def mail_invitation(deps: Deps, conn: Connection, company: Account, signer: Account) -> None:
    """Queue the invitation of a person to a company again; the link before ends. Raises NotFound."""
    _mail_invitation(deps, conn, company, required(find_signer(conn, signer)))


def edit_role(deps: Deps, company: Account, member_id: str, role: CompanyRole) -> CompanyPerson:
    """Change what a person does for a company, from the next request on. Raises NotFound, BadInput."""
    _check_role(role)
    with deps.database.write() as conn:
        place = required(persons.find_member(conn, member_id, company, lock=True))
        persons.edit_member(conn, place.id, {"role": role})
        return _found_person(conn, replace(place, role=role))


def remove_person(deps: Deps, company: Account, member_id: str) -> None:
    """Take a person out of a company: sessions and keys there end at once. Raises NotFound."""
    with deps.database.write() as conn:
        places.remove_place(conn, required(persons.find_member(conn, member_id, company, lock=True)))


def hand_over(deps: Deps, company: Account, member_id: str) -> None:
    """Make a person the owner of a company; the owner before becomes a manager of it.

    The two change places: the account of the company, its id and its first API key stay. Sessions of both end.
    Raises NotFound, and Conflict for a person without a password, or one who owns another company.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        place = required(persons.find_member(conn, member_id, company, lock=True))
        if place.signer.kind is not AccountKind.PERSON:
            raise Conflict({"id": [_OWNS_OTHER]})
        after = required(persons.find_person(conn, place.signer.id, lock=True))
        if after.password_hash is None or after.password_until is not None:
            raise Conflict({"id": [_NO_PASSWORD]})
        before = required(find_signer(conn, company))
        notify_owner(conn, company, OWNER_CHANGED, now, before.name, owner=after.name or after.email)
        other = persons.find_by_email(conn, before.email)
        if other is not None and other.id != after.id:
            raise Conflict({"id": [_KNOWN_ELSEWHERE]})
        _OWNER_OF[company.kind](conn, company, after, now)
        exchange_passwords(conn, company, place.signer, now)
        places.exchange_owner(conn, company, place)
        notify_owner(conn, company, OWNER_NOW, now, after.name, company=title_of(conn, company))
        if before.email:
            persons.edit_person(conn, after.id, {"email": before.email, "name": before.name, "updated_at": now})
            persons.edit_member(conn, place.id, {"role": CompanyRole.MANAGER, "name": before.name})
        else:  # the company had no e-mail address
            places.remove_place(conn, place)


def list_companies(deps: Deps, caller: Caller) -> list[CompanyOfPerson]:
    """Return the companies that a caller may act for; the own one first."""
    with deps.database.read() as conn:
        return _companies(conn, caller.signer)


def has_several_companies(deps: Deps, caller: Caller) -> bool:
    """Return whether a caller may act for several companies."""
    return not isinstance(caller, StaffCaller) and len(list_companies(deps, caller)) > 1


def switch_company(deps: Deps, caller: Caller, company: Account) -> CompanyOfPerson:
    """Let the calling session act for another company of its person.

    Raises BadInput for a company that the person has no place in, and for a call with a lasting key.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = next((each for each in _companies(conn, caller.signer) if each.company == company), None)
        if found is None:
            raise BadInput({"company": [f"You have no place in a company {company.name}."]})
        if found.account == caller.account:
            return found
        if not caller.session:
            raise BadInput({"company": ["A lasting key belongs to one company: sign in, or call with another key."]})
        sessions.give_session(conn, caller.session, found.account)
        sign_ins.record_sign_in(conn, found.account, now)
    return found


def _companies(conn: Connection, signer: Account) -> list[CompanyOfPerson]:
    found = []
    if signer.kind is not AccountKind.PERSON and sign_ins.is_active(conn, signer):
        found.append(CompanyOfPerson(signer, signer, title_of(conn, signer), CompanyRole.OWNER))
    for place in sign_ins.list_places(conn, signer):
        account = Account(AccountKind.MEMBER, place.id)
        found.append(CompanyOfPerson(account, place.company, title_of(conn, place.company), place.role))
    return found


def _owner(conn: Connection, company: Account) -> CompanyPerson:
    signer = required(find_signer(conn, company))
    if company.kind is AccountKind.AFFILIATE:
        row: Any = required(affiliates.find_affiliate(conn, Scope.everything(), int(company.id)))
    else:
        row = required(advertisers.find_advertiser(conn, Scope.everything(), company.id))
    joined, times = row.last_login_at is not None, (row.last_login_at, row.created_at)
    return CompanyPerson("", company, CompanyRole.OWNER, signer.email, signer.name, joined, *times)


def _found_person(conn: Connection, place: Membership) -> CompanyPerson:
    return _person(place, sign_ins.emails_of(conn, [place.signer])[place.signer.name])


def _person(place: Membership, email: str) -> CompanyPerson:
    account = Account(AccountKind.MEMBER, place.id)
    joined, times = place.last_login_at is not None, (place.last_login_at, place.created_at)
    return CompanyPerson(place.id, account, place.role, email, place.name, joined, *times)


def _check_role(role: CompanyRole) -> None:
    if role is CompanyRole.OWNER:
        raise BadInput({"role": [_OWNER_ROLE]})


def _signer_for(conn: Connection, email: str, name: str, now: int) -> Signer:
    """Return who signs in with an e-mail address; a new person for one of no company.

    The answer to an invitation shows nothing of it: a company does not learn which accounts exist.
    """
    everyone = sign_ins.list_everyone(conn, email)
    known = [each for each in everyone if each.email == email and each.account.kind is not AccountKind.STAFF]
    if not known:
        made = PersonAccount(id=new_id(now), email=email, name=name, created_at=now, updated_at=now)
        persons.add_person(conn, made)
        return Signer(Account(AccountKind.PERSON, made.id), email, name, has_password=False)
    return required(find_signer(conn, known[0].account))


def _count_invitation(deps: Deps, company: Account) -> None:
    """Raise TooManyRequests where a company sends too many invitations."""
    name, now = digest(f"invitations:{company.name}"), deps.clock.now_ms()
    with deps.database.write(independent=True) as conn:
        [(sent, since)] = sign_ins.count_attempt(conn, [name], now, WINDOW_MS).values()
    if sent > INVITATIONS:
        raise TooManyRequests(-(-(since + WINDOW_MS - now) // 1000), _TOO_MANY)


def _plain(title: str) -> str:
    """Return the name of a company for mails to strangers: short, and without a URL."""
    return _LINKING.sub(" ", title).strip()[:60] or "a company"


def _mail_invitation(deps: Deps, conn: Connection, company: Account, signer: Signer) -> None:
    now, account = deps.clock.now_ms(), signer.account
    to = [Recipient(signer.email, signer.email, account)]  # a name is the text of a stranger
    title = _plain(title_of(conn, company))
    if signer.has_password:
        send_notice(conn, INVITED_AGAIN, to, now, company=title, link=f"{deps.api_url}/sign-in")
        return
    token = new_api_key()
    sign_in_links.remove_links(conn, account)
    link = f"{deps.api_url}{LINK_PAGE}?token={token}"
    [mail_id] = send_notice(conn, INVITED, to, now, company=title, link=link)
    sign_in_links.add_link(conn, token, account, now, mail_id=mail_id)


def _own_affiliate(conn: Connection, company: Account, after: PersonAccount, now: int) -> None:
    """Give an affiliate the e-mail address and name of its new owner. Raises Conflict for a taken address."""
    number = int(company.id)
    if affiliates.claim_names(conn, number, after.email, after.email):
        raise Conflict({"id": [_OWNS_OTHER]})
    values = {"email": after.email, "login": after.email, "contact_person": after.name, "updated_at": now}
    affiliates.edit_affiliate(conn, number, values | {"email_state": EmailState.CONFIRMED})
    rulesets.touch(conn, "affiliate", number)


def _own_advertiser(conn: Connection, company: Account, after: PersonAccount, now: int) -> None:
    """Give an advertiser the e-mail address and name of its new owner."""
    values = {"email": after.email, "contact": after.name, "updated_at": now}
    advertisers.edit_advertiser(conn, company.id, values)


_OWNER_OF: Final[dict[AccountKind, Callable[[Connection, Account, PersonAccount, int], None]]] = {
    AccountKind.AFFILIATE: _own_affiliate,
    AccountKind.ADVERTISER: _own_advertiser,
}
