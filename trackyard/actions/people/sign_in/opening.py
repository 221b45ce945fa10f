"""Opening sessions (docs/spec/callers.md#sessions)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.security_log import record_event
from trackyard.base.errors import WrongCredentials
from trackyard.base.ids import new_api_key, new_id
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.domain.people.sessions import BROWSER_KEY, MAX_SESSIONS, MAX_USER_AGENT, Session
from trackyard.store.engine.database import Connection
from trackyard.store.people import sessions, sign_ins


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new session and its key."""

    session: Session
    key: str


def open_session(
    deps: Deps,
    conn: Connection,
    signer: Account,
    address: str,
    user_agent: str,
    *,
    second_factor: bool,
    for_browser: bool,
) -> OpenedSession:
    """Open a session for an account that showed its password or a link, and log it.

    The session of a person who owns no company begins in the company of the last sign-in.
    Raises WrongCredentials for a person who has no place in an active company any more.

    address, user_agent: the client's IP address and user agent.
    second_factor: whether the person used a second factor.
    for_browser: whether the session is for the pages; its key then begins with BROWSER_KEY.
    """
    account = _place_of(conn, signer)
    now, key = deps.clock.now_ms(), (BROWSER_KEY if for_browser else "") + new_api_key()
    session = Session(
        id=new_id(now),
        account=account,
        created_at=now,
        last_used_at=now,
        idle_until=now + deps.sessions.idle_ms,
        expires_at=now + deps.sessions.lifetime_ms,
        address=address[:64],
        user_agent=user_agent[:MAX_USER_AGENT],
        second_factor=second_factor,
    )
    sessions.remove_ended(conn, now, account)
    sessions.remove_oldest(conn, account, keep=MAX_SESSIONS - 1)
    sessions.add_session(conn, session, key)
    sign_ins.record_sign_in(conn, account, now)
    record_event(conn, SecurityEvent.SIGN_IN, SecurityOutcome.ACCEPTED, now, account)
    return OpenedSession(session, key)


def _place_of(conn: Connection, signer: Account) -> Account:
    if signer.kind is not AccountKind.PERSON:
        return signer
    places = sign_ins.list_places(conn, signer)
    if not places:
        raise WrongCredentials
    return Account(AccountKind.MEMBER, places[0].id)
