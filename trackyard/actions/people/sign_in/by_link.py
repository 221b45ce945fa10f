"""Links with which an account chooses a password and signs in (docs/spec/callers.md#sign-in-links)."""

from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import check_chosen_password
from trackyard.actions.people.second_factor import find_confirmed
from trackyard.actions.people.security_log import record_event
from trackyard.actions.people.sign_in.opening import OpenedSession, open_session
from trackyard.actions.people.sign_in.passwords import store_password
from trackyard.actions.people.sign_up.limits import count_request
from trackyard.actions.people.signers import find_signer
from trackyard.actions.platform.notices import ACCOUNT_INVITED, PASSWORD_LINK, SIGN_IN_LINK, Recipient, send_notice
from trackyard.base.clock import Clock
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_api_key
from trackyard.base.logs.origin import request_origin
from trackyard.base.metrics import SIGN_INS
from trackyard.base.secrets import digest, hash_password
from trackyard.base.strangers import StrangerAct, act_of_strangers
from trackyard.base.texts.languages import ENGLISH, spoken
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.store.engine.audit_actor import act_as_account
from trackyard.store.engine.database import Connection, Database
from trackyard.store.people import affiliates, sign_in_links, sign_ins, staff
from trackyard.store.people.sign_ins import SignInAccount
from trackyard.store.platform import settings

LINK_PAGE: Final = "/sign-in/link"
"""The page of the console that a link opens."""
AGAIN_MS: Final = 10 * 60_000
"""Time between two links that are mailed to an account."""
FIRST_LINK_MS: Final = 7 * 24 * 60 * 60_000
"""Time after the first start during which starts make a link for the first administrator."""
LINKS_PER_NETWORK: Final = 10
OPENED_PER_NETWORK: Final = 100
"""Requests of a network within WINDOW_MS; the next is rejected until the window ends."""

_NOT_ACTIVE: Final = "The account is not active: a link would open nothing."
_NO_ADDRESS: Final = "The account has no e-mail address of its own: answer with the link, and hand it over."
_WRONG_LINK: Final = "This link was used already, or is older than 24 hours: ask for a new one."


class LinkEnded(BadInput):
    """A link that is unknown, was used, or is too old."""

    def __init__(self) -> None:
        super().__init__({"token": [_WRONG_LINK]})


@dataclass(frozen=True, slots=True)
class LinkedAccount:
    """The account of a link.

    has_password: whether the link replaces a password.
    chooses_email: whether it has no address of its own yet.
    """

    account: Account
    email: str
    has_password: bool = False

    @property
    def chooses_email(self) -> bool:
        """Return whether the account still has the e-mail address of the first start."""
        return self.account.kind is AccountKind.STAFF and self.email == FIRST_ADMINISTRATOR


def make_link(deps: Deps, account: Account) -> str:
    """Return a new link of an account; the links before end. Raises Conflict for one that may not sign in."""
    with deps.database.write() as conn:
        return add_link(deps, conn, account)


def add_link(deps: Deps, conn: Connection, account: Account) -> str:
    """Store a new link of an account, and return it; the links before end. Raises as make_link."""
    _check_active(conn, account)
    return _new_link(conn, account, deps.api_url, deps.clock.now_ms())


def mail_link(deps: Deps, account: Account, message: str = "") -> None:
    """Mail a new link to an account; the links before end. An account without a password is invited again.

    message: the words of the staff user who invites. Raises as send_link.
    """
    with deps.database.write() as conn:
        send_link(deps, conn, account, message)


def send_link(deps: Deps, conn: Connection, account: Account, message: str = "") -> None:
    """Queue the mail of a new link: an invitation, where the account has no password yet.

    Raises Conflict for an account that may not sign in, and BadInput for one without an e-mail address.
    """
    _check_active(conn, account)
    signer = required(find_signer(conn, account))
    if not signer.email or signer.email == FIRST_ADMINISTRATOR:
        raise BadInput({"mail": [_NO_ADDRESS]})
    sign_in_links.remove_links(conn, account)
    now = deps.clock.now_ms()
    if signer.has_password:
        _mail(conn, account, signer.email, SIGN_IN_LINK, deps.api_url, now)
        return
    values = {"network": settings.find_network(conn).shown_name, "message": message}
    _mail(conn, account, signer.email, ACCOUNT_INVITED, deps.api_url, now, signer.name, **values)


def first_link(database: Database, clock: Clock, api_url: str) -> str | None:
    """Return a new link of the first administrator.

    None when a staff user can sign in, and on the eighth day of an administrator: where the API alone is used, a start
    must not print a way in for ever.
    """
    now = clock.now_ms()
    with database.write() as conn:
        first = staff.find_first_administrator(conn)
        if first is None or staff.has_password(conn) or now - first.created_at > FIRST_LINK_MS:
            return None
        return _new_link(conn, Account(AccountKind.STAFF, first.id), api_url, now)


@act_of_strangers(StrangerAct.SEND_LINK)
def send_links(deps: Deps, login: str, address: str) -> None:
    """Mail a link to each account that a login or e-mail address may mean; other addresses get nothing.

    address: the client's IP address.
    Raises TooManyRequests.
    """
    count_request(deps, "password link", address, LINKS_PER_NETWORK)
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        for found in sign_ins.list_linked(conn, login):
            mark = digest(f"password link:{found.account.name}")
            if _may_use_link(found) and sign_ins.claim_notice(conn, mark, now, AGAIN_MS):
                _mail(conn, found.account, found.email, PASSWORD_LINK, deps.api_url, now)


@act_of_strangers(StrangerAct.USE_LINK)
def get_linked(deps: Deps, token: str, address: str) -> LinkedAccount:
    """Return the account of a link. The link stays valid: programs that scan mails open links, too.

    address: the client's IP address.
    Raises LinkEnded and TooManyRequests.
    """
    count_request(deps, "sign-in link", address, OPENED_PER_NETWORK)
    with deps.database.read() as conn:
        found = _find(conn, sign_in_links.find_owner(conn, token, deps.clock.now_ms()))
    if found is not None:
        return LinkedAccount(found.account, found.email, found.password_hash is not None)
    with deps.database.write(independent=True) as conn:
        record_event(conn, SecurityEvent.SIGN_IN, SecurityOutcome.WRONG, deps.clock.now_ms())
    raise LinkEnded


@act_of_strangers(StrangerAct.USE_LINK)
def use_link(
    deps: Deps, token: str, password: str, address: str, user_agent: str = "", *, email: str = ""
) -> OpenedSession | None:
    """Give the account of a link its password, and sign it in; the link ends.

    Its sessions end. Returns None for an account with a second factor, which signs in with both.
    email: the new e-mail address, for an account that chooses its address.
    address, user_agent: the client's IP address and user agent.
    Raises LinkEnded, BadInput for a password that may not be chosen, Conflict for a taken address, TooManyRequests.
    """
    linked = get_linked(deps, token, address)
    check_chosen_password(deps, password)
    now, account = deps.clock.now_ms(), linked.account
    hashed = hash_password(password)
    with (
        act_as_account(account, "sign-in.link", now, origin=request_origin.get()),
        deps.database.write() as conn,
    ):
        if sign_in_links.use_link(conn, token, now) != account:
            raise LinkEnded
        store_password(conn, account, hashed, now)
        if linked.chooses_email and email:
            _store_address(conn, account, email, now)
        if find_confirmed(conn, account) is not None:
            return None
        opened = open_session(deps, conn, account, address, user_agent, second_factor=False, for_browser=True)
    SIGN_INS.labels("accepted").inc()
    return opened


def _store_address(conn: Connection, account: Account, email: str, now: int) -> None:
    """Store the address that the first administrator chose. Raises Conflict for a taken one."""
    if affiliates.is_login(conn, email) or _is_taken(conn, account, email):
        raise Conflict({"email": ["This e-mail address is taken."]})
    staff.edit_staff(conn, account.id, {"email": email, "updated_at": now})


def _is_taken(conn: Connection, account: Account, email: str) -> bool:
    owner = staff.find_by_email(conn, email)
    return owner is not None and owner.id != account.id


def _new_link(conn: Connection, account: Account, api_url: str, now: int) -> str:
    token = new_api_key()
    sign_in_links.remove_links(conn, account)
    sign_in_links.add_link(conn, token, account, now)
    return _address(api_url, token)


def _mail(
    conn: Connection,
    account: Account,
    email: str,
    notice: Notice,
    api_url: str,
    now: int,
    called: str = "",
    **values: object,
) -> None:
    """Queue a mail with a link. called: a name that staff typed; else the name is the text of a stranger."""
    asked_here = spoken().code if notice is PASSWORD_LINK else ENGLISH
    token, recipient = new_api_key(), Recipient(email, called or email, account, asked_here)
    [mail_id] = send_notice(conn, notice, [recipient], now, link=_address(api_url, token), **values)
    sign_in_links.add_link(conn, token, account, now, mail_id=mail_id)


def _address(api_url: str, token: str) -> str:
    return f"{api_url}{LINK_PAGE}?token={token}"


def _check_active(conn: Connection, account: Account) -> None:
    """Raise Conflict for an account that may not sign in: its link would open nothing."""
    if not _may_use_link(required(sign_ins.find_account(conn, account))):
        raise Conflict({"id": [_NOT_ACTIVE]})


def _find(conn: Connection, owner: Account | None) -> SignInAccount | None:
    found = None if owner is None else sign_ins.find_account(conn, owner)
    return found if found is not None and _may_use_link(found) else None


def _may_use_link(found: SignInAccount) -> bool:
    return found.may_sign_in
