"""Signing in with a password, for a session (docs/spec/callers.md#sign-in)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import check_login
from trackyard.actions.platform.security_log import record_event
from trackyard.base.ids import new_api_key, new_id
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.domain.people.sessions import MAX_SESSIONS, MAX_USER_AGENT, Session
from trackyard.store.people import sessions, sign_ins


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new session and its key."""

    session: Session
    key: str


def sign_in(deps: Deps, login: str, password: str, address: str, user_agent: str = "") -> OpenedSession:
    """Return a session for a login or e-mail address and its password. address, user_agent: of the client.

    Raises WrongCredentials, also for an affiliate that is not active, and TooManyRequests.
    """
    checked = check_login(deps, login, password, address)
    now, key = deps.clock.now_ms(), new_api_key()
    session = Session(
        id=new_id(now),
        account=checked.account,
        created_at=now,
        last_used_at=now,
        idle_until=now + deps.sessions.idle_ms,
        expires_at=now + deps.sessions.lifetime_ms,
        address=address[:64],
        user_agent=user_agent[:MAX_USER_AGENT],
    )
    with deps.database.write() as conn:
        checked.settle(conn, now)
        sessions.remove_ended(conn, now, session.account)
        sessions.remove_oldest(conn, session.account, keep=MAX_SESSIONS - 1)
        sessions.add_session(conn, session, key)
        sign_ins.record_sign_in(conn, session.account, now)
        record_event(conn, SecurityEvent.SIGN_IN, SecurityOutcome.ACCEPTED, now, session.account)
    return OpenedSession(session, key)
