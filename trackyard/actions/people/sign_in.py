"""Signing in with a password, for a session (docs/spec/callers.md#sign-in)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import CheckedAccount, check_login
from trackyard.actions.people.second_factor import find_confirmed, use_code
from trackyard.actions.platform.security_log import record_event
from trackyard.base.errors import SecondFactorNeeded, WrongSecondFactor
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.metrics import SIGN_INS
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.domain.people.sessions import MAX_SESSIONS, MAX_USER_AGENT, Session
from trackyard.store.people import sessions, sign_ins


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new session and its key."""

    session: Session
    key: str


def sign_in(deps: Deps, login: str, password: str, address: str, user_agent: str = "", otp: str = "") -> OpenedSession:
    """Return a session for a login or e-mail address and its password. address, user_agent: of the client.

    otp: the code of the second factor, or a recovery code; "" = none was sent.
    Raises WrongCredentials, also for an account that is not active, SecondFactorNeeded, WrongSecondFactor, and
    TooManyRequests.
    """
    checked = check_login(deps, login, password, address)
    has_factor = _check_second_factor(deps, checked, otp)
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
        second_factor=has_factor,
    )
    with deps.database.write() as conn:
        checked.settle(conn, now)
        sessions.remove_ended(conn, now, session.account)
        sessions.remove_oldest(conn, session.account, keep=MAX_SESSIONS - 1)
        sessions.add_session(conn, session, key)
        sign_ins.record_sign_in(conn, session.account, now)
        record_event(conn, SecurityEvent.SIGN_IN, SecurityOutcome.ACCEPTED, now, session.account)
    SIGN_INS.labels("accepted").inc()
    return OpenedSession(session, key)


def _check_second_factor(deps: Deps, checked: CheckedAccount, otp: str) -> bool:
    """Use the code of the account's second factor; return whether it has one.

    A wrong code is a failed attempt.
    """
    with deps.database.write() as conn:
        factor = find_confirmed(conn, checked.account)
        if factor is None:
            return False
        passed = bool(otp) and use_code(deps, conn, checked.account, factor, otp)
        if not otp:
            checked.forgive(conn)
        elif not passed:
            record_event(conn, SecurityEvent.SIGN_IN, SecurityOutcome.WRONG, deps.clock.now_ms(), checked.account)
    if not passed:
        SIGN_INS.labels("second_factor").inc()
        raise WrongSecondFactor if otp else SecondFactorNeeded
    return True
