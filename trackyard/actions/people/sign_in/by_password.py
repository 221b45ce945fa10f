"""Signing in with a password, for a session (docs/spec/callers.md#sign-in)."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import CheckedAccount, check_login
from trackyard.actions.people.second_factor import find_confirmed, use_code
from trackyard.actions.people.security_log import record_event
from trackyard.actions.people.sign_in.opening import OpenedSession, open_session
from trackyard.base.errors import SecondFactorNeeded, WrongSecondFactor
from trackyard.base.metrics import SIGN_INS
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.store.people import sign_ins


def sign_in(
    deps: Deps,
    login: str,
    password: str,
    address: str,
    user_agent: str = "",
    otp: str = "",
    *,
    for_browser: bool = False,
) -> OpenedSession:
    """Return a session for a login or e-mail address and its password. address, user_agent: of the client.

    otp: the code of the second factor, or a recovery code; "" = none was sent.
    for_browser: the session is for the pages: its key begins with BROWSER_KEY, and advertisers sign in, too.
    Raises WrongCredentials, also for an account that is not active, SecondFactorNeeded, WrongSecondFactor, and
    TooManyRequests.
    """
    accounts = sign_ins.list_everyone if for_browser else sign_ins.list_accounts
    checked = check_login(deps, login, password, address, accounts)
    has_factor = check_second_factor(deps, checked, otp)
    with deps.database.write() as conn:
        checked.settle(conn, deps.clock.now_ms())
        opened = open_session(
            deps, conn, checked.account, address, user_agent, second_factor=has_factor, for_browser=for_browser
        )
    SIGN_INS.labels("accepted").inc()
    return opened


def check_second_factor(deps: Deps, checked: CheckedAccount, otp: str) -> bool:
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
