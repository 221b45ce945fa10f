"""Use cases of one's own sessions and key (docs/spec/callers.md#sessions)."""

from trackyard.actions.deps import Deps
from trackyard.base.errors import NotFound, required
from trackyard.domain.people.callers import Account
from trackyard.domain.people.sessions import Session
from trackyard.store.engine.database import Database
from trackyard.store.people import sessions


def list_sessions(deps: Deps, account: Account) -> list[Session]:
    """Return the open sessions of an account, the newest first."""
    with deps.database.read() as conn:
        return sessions.list_sessions(conn, account, deps.clock.now_ms())


def get_session(deps: Deps, account: Account, session_id: str) -> Session:
    """Return an open session of an account. Raises NotFound."""
    found = (each for each in list_sessions(deps, account) if each.id == session_id)
    return required(next(found, None))


def end_session(deps: Deps, account: Account, session_id: str) -> None:
    """End a session of an account at once. Raises NotFound."""
    with deps.database.write() as conn:
        if not sessions.remove_session(conn, account, session_id):
            raise NotFound


def end_sessions(deps: Deps, account: Account) -> int:
    """End all sessions of an account at once; return their number."""
    with deps.database.write() as conn:
        return sessions.remove_sessions(conn, account)


def remove_ended_sessions(database: Database, now_ms: int) -> int:
    """Remove sessions that have ended; return their number. now_ms: UTC."""
    with database.read() as conn:
        if not sessions.has_ended(conn, now_ms):
            return 0
    with database.write() as conn:
        return sessions.remove_ended(conn, now_ms)
