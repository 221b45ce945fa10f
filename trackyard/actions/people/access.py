"""How accounts of others are entered, and what staff do about it (docs/spec/people.md#access)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people import companies
from trackyard.actions.people.company_scope import PlaceInScope, check_way_in
from trackyard.actions.people.credentials import check_may_give_access
from trackyard.actions.people.second_factor import find_confirmed
from trackyard.actions.people.sign_in.by_link import add_link, send_link
from trackyard.base.errors import required
from trackyard.domain.people.callers import Account, AccountKind, Caller
from trackyard.domain.people.keys import ApiKey
from trackyard.domain.people.sessions import Session
from trackyard.domain.platform.mails.log import MailRefusal
from trackyard.store.people import keys, persons, sessions, sign_in_links, sign_ins
from trackyard.store.platform import mail_log


@dataclass(frozen=True, slots=True)
class EnteredAccount:
    """An account, and who signs in for it.

    account: has the sessions and keys. signer: has the password and the second factor.
    place: the place in a company, for its people besides the owner.
    """

    account: Account
    signer: Account
    place: PlaceInScope | None = None

    @classmethod
    def of_owner(cls, kind: AccountKind, number: object) -> "EnteredAccount":
        """Return the account of a staff user, or of the owner of a company."""
        account = Account(kind, str(number))
        return cls(account, account)

    @classmethod
    def of_place(cls, place: PlaceInScope) -> "EnteredAccount":
        """Return the account of a person of a company."""
        return cls(Account(AccountKind.MEMBER, place.id), place.signer, place)


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """How an account is entered. Times are UTC milliseconds.

    link_until: when its newest link ends; None = it has no link that works.
    refusal: that mail servers refuse its e-mail address; None = not.
    """

    email: str
    may_sign_in: bool
    has_password: bool
    link_until: int | None
    has_second_factor: bool
    last_login_at: int | None
    sessions: list[Session]
    keys: list[ApiKey]
    refusal: MailRefusal | None


def get_access(deps: Deps, entered: EnteredAccount) -> AccountAccess:
    """Return how an account is entered. Raises NotFound for an account that was removed meanwhile."""
    account, signer, now = entered.account, entered.signer, deps.clock.now_ms()
    with deps.database.read() as conn:
        found = required(sign_ins.find_account(conn, signer))
        if account.kind is AccountKind.MEMBER:
            last = required(persons.find_member(conn, account.id)).last_login_at
        else:
            last = sign_ins.last_sign_in(conn, account)
        return AccountAccess(
            email=found.email,
            may_sign_in=found.may_sign_in,
            has_password=found.password_hash is not None,
            link_until=sign_in_links.newest_end(conn, signer, now),
            has_second_factor=find_confirmed(conn, signer) is not None,
            last_login_at=last,
            sessions=sessions.list_sessions(conn, account, now),
            keys=keys.list_keys(conn, account),
            refusal=mail_log.find_refusals(conn, [found.email]).get(found.email.lower()),
        )


def show_link(deps: Deps, caller: Caller, entered: EnteredAccount) -> str:
    """Return a new sign-in link of an account; the links before end.

    Raises AccessDenied for staff with levels, and Conflict for an account that may not sign in, or that also acts for a
    company out of the caller's scope.
    """
    check_may_give_access(caller)
    with deps.database.write() as conn:
        check_way_in(conn, caller, entered.signer)
        return add_link(deps, conn, entered.signer)


def mail_link(deps: Deps, caller: Caller, entered: EnteredAccount, message: str = "") -> None:
    """Mail a new sign-in link to an account; one without a password gets its invitation again.

    message: the words of the staff user, in an invitation. Raises as show_link without the levels, and BadInput for an
    account without an e-mail address.
    """
    with deps.database.write() as conn:
        check_way_in(conn, caller, entered.signer)
        if entered.place is not None and sign_ins.has_no_password(conn, entered.signer):
            companies.mail_invitation(deps, conn, entered.place.company, entered.signer)
        else:
            send_link(deps, conn, entered.signer, message)


def end_sessions(deps: Deps, entered: EnteredAccount) -> int:
    """End all sessions of an account at once; return their number."""
    with deps.database.write() as conn:
        return sessions.remove_sessions(conn, entered.account)
