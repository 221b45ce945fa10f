"""Use cases of second factors (docs/spec/callers.md#second-factor)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.company_scope import check_way_in
from trackyard.actions.people.credentials import check_own_password
from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.people.sign_in.passwords import accounts_of
from trackyard.actions.platform.notices import FACTOR_ADDED, FACTOR_REMOVED
from trackyard.base.errors import BadInput, Conflict
from trackyard.base.secrets import new_recovery_code, new_totp_secret
from trackyard.domain.people.callers import Account, Caller
from trackyard.domain.people.one_time_codes import DIGITS, RECOVERY_CODES, find_step, plain_code, totp_url
from trackyard.store.engine.database import Connection
from trackyard.store.people import second_factors, sessions, sign_ins
from trackyard.store.people.second_factors import SecondFactor

_WRONG_CODE = "This is not the present code of the app: look at the clock of its device, and send the next code."
_NOT_BEGUN = "There is no second factor to confirm: begin with POST /auth/second_factor."
_ENABLED = "There is a second factor already: disable it first."
_NOT_ENABLED = "There is no second factor: recovery codes belong to one."


@dataclass(frozen=True, slots=True)
class SecondFactorStatus:
    """Whether an account has a second factor, and how many recovery codes it has left."""

    enabled: bool
    recovery_codes: int


@dataclass(frozen=True, slots=True)
class NewSecondFactor:
    """The secret of a new second factor, and the same as an address for a QR code."""

    secret: str
    url: str


def get_status(deps: Deps, account: Account) -> SecondFactorStatus:
    """Return the state of an account's second factor."""
    with deps.database.read() as conn:
        enabled = find_confirmed(conn, account) is not None
        return SecondFactorStatus(enabled, second_factors.count_recovery_codes(conn, account))


def begin(deps: Deps, account: Account, password: str, address: str) -> NewSecondFactor:
    """Make the secret of a second factor, which counts once it is confirmed. address: of the client.

    Raises BadInput for a wrong password, Conflict for an account that has a second factor, and TooManyRequests.
    """
    check_own_password(deps, account, password, address)
    secret = new_totp_secret()
    with deps.database.write() as conn:
        if find_confirmed(conn, account) is not None:
            raise Conflict({"second_factor": [_ENABLED]})
        second_factors.add_factor(conn, account, deps.cipher.encrypt(secret), deps.clock.now_ms())
        found = sign_ins.find_account(conn, account)
    name = found.email if found is not None else account.name
    return NewSecondFactor(secret, totp_url(secret, "Trackyard", name))


def confirm(deps: Deps, account: Account, session: str, code: str) -> list[str]:
    """Confirm a second factor by its first code; return the recovery codes.

    session: the id of the session that calls, which then has a second factor; the others end.
    Raises BadInput for a wrong code, or when nothing was begun.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        factor = second_factors.find_factor(conn, account)
        if factor is None or factor.confirmed:
            raise BadInput({"otp": [_NOT_BEGUN]})
        if not _use_totp(deps, conn, account, factor, plain_code(code)):
            raise BadInput({"otp": [_WRONG_CODE]})
        second_factors.confirm_factor(conn, account, now)
        notify_owner(conn, account, FACTOR_ADDED, now)
        for each in accounts_of(conn, account):
            sessions.remove_sessions(conn, each, keep=session)
        sessions.record_second_factor(conn, session)
        return _renew_recovery_codes(conn, account)


def renew_recovery_codes(deps: Deps, account: Account, password: str, address: str) -> list[str]:
    """Replace the recovery codes of an account; return the new ones. address: of the client.

    Raises BadInput for a wrong password or without a second factor, and TooManyRequests.
    """
    check_own_password(deps, account, password, address)
    with deps.database.write() as conn:
        if find_confirmed(conn, account) is None:
            raise BadInput({"second_factor": [_NOT_ENABLED]})
        return _renew_recovery_codes(conn, account)


def disable(deps: Deps, account: Account, password: str, address: str) -> None:
    """Remove the second factor of the account that calls, if it has one. address: of the client.

    Raises BadInput for a wrong password, and TooManyRequests.
    """
    check_own_password(deps, account, password, address)
    reset(deps, account)


def reset(deps: Deps, account: Account, by: Caller | None = None) -> None:
    """Remove the second factor of an account, which signs in with its password alone from then on.

    by: the staff user who removes it; None = its owner. Raises Conflict as `check_way_in`.
    """
    with deps.database.write() as conn:
        if by is not None:
            check_way_in(conn, by, account)
        if find_confirmed(conn, account) is not None:
            notify_owner(conn, account, FACTOR_REMOVED, deps.clock.now_ms())
        second_factors.remove_factor(conn, account)


def find_confirmed(conn: Connection, account: Account) -> SecondFactor | None:
    """Return the second factor that an account needs to sign in; None without one."""
    factor = second_factors.find_factor(conn, account)
    return factor if factor is not None and factor.confirmed else None


def use_code(deps: Deps, conn: Connection, account: Account, factor: SecondFactor, text: str) -> bool:
    """Use a code of the app or a recovery code; return whether it was right and not used before."""
    code = plain_code(text)
    if len(code) > DIGITS:
        return second_factors.use_recovery_code(conn, account, code)
    return _use_totp(deps, conn, account, factor, code)


def _use_totp(deps: Deps, conn: Connection, account: Account, factor: SecondFactor, code: str) -> bool:
    step = find_step(deps.cipher.decrypt(factor.sealed), code, deps.clock.now_ms())
    return step is not None and second_factors.use_step(conn, account, step)


def _renew_recovery_codes(conn: Connection, account: Account) -> list[str]:
    codes = [new_recovery_code() for _ in range(RECOVERY_CODES)]
    second_factors.edit_recovery_codes(conn, account, map(plain_code, codes))
    return codes
