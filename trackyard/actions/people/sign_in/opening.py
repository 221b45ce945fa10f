"""Opening sessions (docs/spec/callers.md#sessions)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.security_log import record_event
from trackyard.base.ids import new_api_key, new_id
from trackyard.domain.people.callers import Account
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
    account: Account,
    address: str,
    user_agent: str,
    *,
    second_factor: bool,
    for_browser: bool,
) -> OpenedSession:
    """Open a session for an authenticated account, and log it.

    address, user_agent: the client's IP address and user agent.
    second_factor: whether the account used a second factor.
    for_browser: whether the session is for the pages; its key then begins with BROWSER_KEY.
    """
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
