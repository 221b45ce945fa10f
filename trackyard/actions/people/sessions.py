"""Use cases of one's own sessions and key (docs/spec/callers.md#sessions)."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.sign_in.passwords import accounts_of
from trackyard.base.errors import NotFound, required
from trackyard.domain.people.callers import Account
from trackyard.domain.people.sessions import Session
from trackyard.store.engine.database import Database
from trackyard.store.people import sessions


def list_sessions(deps: Deps, signer: Account) -> list[Session]:
    """Return the open sessions of a person in all companies, the newest first."""
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        found = [each for account in accounts_of(conn, signer) for each in sessions.list_sessions(conn, account, now)]
    return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)


def get_session(deps: Deps, signer: Account, session_id: str) -> Session:
    """Return an open session of a person. Raises NotFound."""
    found = (each for each in list_sessions(deps, signer) if each.id == session_id)
    return required(next(found, None))


def end_session(deps: Deps, signer: Account, session_id: str) -> None:
    """End a session of a person at once. Raises NotFound."""
    with deps.database.write() as conn:
        if not any(sessions.remove_session(conn, each, session_id) for each in accounts_of(conn, signer)):
            raise NotFound


def end_sessions(deps: Deps, signer: Account) -> int:
    """End all sessions of a person at once; return their number."""
    with deps.database.write() as conn:
        return sum(sessions.remove_sessions(conn, each) for each in accounts_of(conn, signer))


def remove_ended_sessions(database: Database, now_ms: int) -> int:
    """Remove sessions that have ended; return their number. now_ms: UTC."""
    with database.read() as conn:
        if not sessions.has_ended(conn, now_ms):
            return 0
    with database.write() as conn:
        return sessions.remove_ended(conn, now_ms)
