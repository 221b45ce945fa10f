"""Passwords: comparing them, with attempts that are counted, and the rule for new ones.

See docs/spec/callers.md#sign-in and docs/spec/callers.md#keys-and-passwords.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.security_log import record_event
from trackyard.actions.people.sign_in.passwords import store_password
from trackyard.actions.platform.notices import FAILED_SIGN_INS, Recipient, send_notice
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import (
    AccessDenied,
    AccountNotActive,
    AccountWaits,
    BadInput,
    PasswordEnded,
    RequestError,
    TooManyRequests,
    WrongCredentials,
)
from trackyard.base.metrics import SIGN_INS
from trackyard.base.secrets import digest, hash_password, password_matches
from trackyard.base.strangers import StrangerAct, act_of_strangers, too_many_tries
from trackyard.domain.people.callers import Account, Caller, may_give_access
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.domain.tracking.ip_lists import network_of, wide_network_of
from trackyard.store.engine.database import Connection
from trackyard.store.people import sign_ins
from trackyard.store.people.sign_ins import SignInAccount

WINDOW_MS: Final = 15 * 60_000
TRIES_PER_ACCOUNT: Final = 10
TRIES_PER_NETWORK: Final = 100
"""Failed attempts within a window; the next is rejected until it ends, whatever the password.

The network is a wide one: one host may have every address of it.
"""

KNOWN_NETWORK_MS: Final = 30 * 86_400_000
"""Time for which a network is remembered from which an account signed in."""

_THROTTLED = "Too Many Requests: too many failed attempts, try again later or from where you signed in before"
_LEVELS = (
    "Your levels take permissions away: ask an administrator to give another account a password or an e-mail address"
)
_WRONG_PASSWORD = "This is not the password of your account."  # noqa: S105 (a sentence)

_CHECKED_NOW = "Too Many Requests: another request checks your password now, try again in a second"

_checks: Final = set[str]()
_checks_lock: Final = Lock()

log = logging.getLogger("trackyard.api")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An account that a login may mean, and the name under which its tries count.

    account: None for a login of no account.
    is_known_here: whether it signed in from the network of the attempt before.
    """

    account: SignInAccount | None
    counter: str
    is_known_here: bool = False


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A counted attempt.

    waits: milliseconds by the name of what has to wait.
    first_wait: whether it is the first that has to wait for one of them.
    undecided: whether the password belongs to an account on moderation.
    """

    candidates: list[_Candidate]
    by_network: str
    waits: dict[str, int]
    first_wait: bool
    undecided: bool = False

    @property
    def counters(self) -> list[str]:
        """Return the keys under which the attempt is counted."""
        return [*(each.counter for each in self.candidates), self.by_network]


@dataclass(frozen=True, slots=True)
class CheckedAccount:
    """An account with the right password. `settle` belongs to the transaction that follows from it.

    password_until: when the password ends, UTC milliseconds; None = its owner chose it.
    """

    account: Account
    counter: str
    by_network: str
    network: str
    password_until: int | None = None

    def forgive(self, conn: Connection) -> None:
        """Count the attempt no more, as nothing was learned by it."""
        sign_ins.forgive_attempt(conn, [self.counter, self.by_network])

    def settle(self, conn: Connection, now_ms: int) -> None:
        """End the count of its failed attempts, and remember the network."""
        sign_ins.clear_failures(conn, self.counter)  # failures of other accounts of the login stay
        sign_ins.forgive_attempt(conn, [self.by_network])
        mark = _network_mark(self.account, self.network)
        sign_ins.remember_network(conn, mark, now_ms + KNOWN_NETWORK_MS)


@act_of_strangers(StrangerAct.CHECK_PASSWORD)
def check_login(
    deps: Deps,
    login: str,
    password: str,
    address: str,
    accounts: Callable[[Connection, str], list[SignInAccount]] = sign_ins.list_accounts,
) -> CheckedAccount:
    """Return the account of a login or e-mail address that has the password.

    accounts: reads the accounts that the login may mean.

    Raises WrongCredentials, also for an account that is not active or has not confirmed its e-mail address where the
    setting needs it; AccountNotActive where staff gave a reason; PasswordEnded; and TooManyRequests.
    """

    def find(conn: Connection) -> list[SignInAccount]:
        found = accounts(conn, login)
        return [_refuse_unconfirmed(each) for each in found] if deps.needs_confirmed_email else found

    attempt, found = _try(deps, find, f"login:{login.lower()}", password, address)
    if found is None:
        raise _refusal(deps, attempt)
    if found.password_until is not None and found.password_until <= deps.clock.now_ms():
        SIGN_INS.labels("wrong").inc()
        _record_refusal(deps, attempt, SecurityOutcome.WRONG)
        raise PasswordEnded
    return found


def check_own_password(deps: Deps, account: Account, password: str, address: str) -> None:
    """Check the password of the calling account; failed attempts count like failed sign-ins.

    Raises BadInput for a wrong one, and TooManyRequests.
    """

    def find(conn: Connection) -> list[SignInAccount]:
        found = sign_ins.find_account(conn, account)
        return [] if found is None else [found]

    with _only_check(account):
        attempt, found = _try(deps, find, f"login:{account.name}", password, address)
    if found is None:
        refusal = _refusal(deps, attempt)
        raise BadInput({"password": [_WRONG_PASSWORD]}) if isinstance(refusal, WrongCredentials) else refusal
    with deps.database.write() as conn:
        found.settle(conn, deps.clock.now_ms())


def check_may_give_access(caller: Caller) -> None:
    """Raise AccessDenied for a caller that may not learn or choose what another account signs in with."""
    if not may_give_access(caller):
        raise AccessDenied(_LEVELS, code=ErrorCode.LEVELS)


@contextmanager
def _only_check(account: Account) -> Iterator[None]:
    """Let one request at a time check the password of an account.

    Checks hold a thread while they wait. Raises TooManyRequests.
    """
    with _checks_lock:
        if account.name in _checks:
            raise TooManyRequests(1, _CHECKED_NOW)
        _checks.add(account.name)
    try:
        yield
    finally:
        with _checks_lock:
            _checks.remove(account.name)


def check_chosen_password(deps: Deps, password: str, field: str = "password") -> None:
    """Raise BadInput for a password that people may not choose. field: its name in the request."""
    fault = deps.passwords.chosen_fault(password)
    if fault is not None:
        raise BadInput({field: [fault]})


def check_set_password(deps: Deps, password: str) -> None:
    """Raise BadInput for a password that staff may not set."""
    fault = deps.passwords.set_fault(password)
    if fault is not None:
        raise BadInput({"password": [fault]})


def change_own_password(deps: Deps, account: Account, session: str, password: str, new: str, address: str) -> int:
    """Change the password of the calling account; return the number of sessions that ended.

    session: the id of the calling session, which stays; the others end.
    address: the client's IP address.
    Raises BadInput for a wrong password or a new one that may not be chosen, and TooManyRequests.
    """
    check_chosen_password(deps, new, "new_password")
    check_own_password(deps, account, password, address)
    hashed = hash_password(new)
    with deps.database.write() as conn:
        return store_password(conn, account, hashed, deps.clock.now_ms(), keep=session)


def _try(
    deps: Deps, find: Callable[[Connection], Sequence[SignInAccount]], unknown: str, password: str, address: str
) -> tuple[_Attempt, CheckedAccount | None]:
    """Count an attempt, then compare the password. unknown: counts attempts when nothing is found."""
    now, network = deps.clock.now_ms(), network_of(address)
    by_network = digest(f"network:{wide_network_of(address)}")
    with deps.database.write(independent=True) as conn:
        # Counted before the password is checked: concurrent attempts pass no more often.
        candidates = [_candidate(conn, account, network, now) for account in find(conn)]
        candidates = candidates or [_Candidate(None, digest(unknown))]
        limits = {each.counter: TRIES_PER_ACCOUNT for each in candidates} | {by_network: TRIES_PER_NETWORK}
        counts = sign_ins.count_attempt(conn, limits, now, WINDOW_MS)
    waits = {name: since + WINDOW_MS - now for name, (tries, since) in counts.items() if tries > limits[name]}
    first_wait = any(tries == limits[name] + 1 for name, (tries, _) in counts.items())
    is_spent = by_network in waits
    admitted = [each for each in candidates if each.counter not in waits and (each.is_known_here or not is_spent)]
    if admitted:
        waits.pop(by_network, None)  # an owner in a network of the account does not wait for neighbours
    attempt = _Attempt(candidates, by_network, waits, first_wait)
    try:
        found = _find(admitted, password) if admitted else None
    except TooManyRequests:  # nothing was learned about the password
        with deps.database.write(independent=True) as conn:
            sign_ins.forgive_attempt(conn, attempt.counters)
        raise
    except AccountNotActive:
        SIGN_INS.labels("wrong").inc()
        _record_refusal(deps, attempt, SecurityOutcome.WRONG)
        raise
    if found is None or found.account is None:
        return attempt, None
    if not _may_sign_in(found.account):
        return replace(attempt, undecided=True), None
    owner = found.account
    return attempt, CheckedAccount(owner.account, found.counter, by_network, network, owner.password_until)


def _candidate(conn: Connection, account: SignInAccount, network: str, now: int) -> _Candidate:
    """Return an account with the name of its count.

    Strangers share the count of an account, while a network from which it signed in before has a count of its own:
    failed tries of others, and of neighbours in a wide network, do not keep the owner out.
    """
    counter = f"account:{account.account.name}"
    is_known = sign_ins.knows_network(conn, _network_mark(account.account, network), now)
    if is_known:
        counter += f":{network}"
    return _Candidate(account, digest(counter), is_known)


def _network_mark(account: Account, network: str) -> str:
    return digest(f"signed in:{account.name}:{network}")


def _refusal(deps: Deps, attempt: _Attempt) -> RequestError:
    """Return the answer to a failed attempt, which goes to the security log."""
    if not attempt.waits:
        SIGN_INS.labels("wrong").inc()
        _record_refusal(deps, attempt, SecurityOutcome.WRONG)
        return AccountWaits() if attempt.undecided else WrongCredentials()
    SIGN_INS.labels("throttled").inc()
    if attempt.first_wait:
        _record_refusal(deps, attempt, SecurityOutcome.THROTTLED)
        _notify_owners(deps, attempt)
    names = [each.account.account.name for each in attempt.candidates if each.account is not None]
    log.warning("sign-in throttled", extra={"accounts": names})
    return too_many_tries(TooManyRequests(-(-max(attempt.waits.values()) // 1000), _THROTTLED))


def _record_refusal(deps: Deps, attempt: _Attempt, outcome: SecurityOutcome) -> None:
    account = next((each.account.account for each in attempt.candidates if each.account is not None), None)
    with deps.database.write(independent=True) as conn:
        record_event(conn, SecurityEvent.SIGN_IN, outcome, deps.clock.now_ms(), account)


def _notify_owners(deps: Deps, attempt: _Attempt) -> None:
    """Mail the owners of accounts that have to wait, once a day each."""
    now = deps.clock.now_ms()
    waiting = [each.account for each in attempt.candidates if each.account and each.counter in attempt.waits]
    with deps.database.write(independent=True) as conn:
        for account in waiting:
            if _may_sign_in(account) and sign_ins.claim_notice(conn, digest(f"notice:{account.account.name}"), now):
                send_notice(conn, FAILED_SIGN_INS, [Recipient(account.email, account.email, account.account)], now)


def _find(candidates: list[_Candidate], password: str) -> _Candidate | None:
    """Return the candidate with this password: one that may sign in, else one on moderation."""
    hashes = [(each.account and each.account.password_hash) or _dummy_hash() for each in candidates]
    matches = [password_matches(password, hashed) for hashed in hashes]
    fitting = [
        (each, each.account)
        for each, fits in zip(candidates, matches, strict=True)
        if fits and each.account is not None
    ]
    able = next((each for each, account in fitting if _may_sign_in(account)), None)
    reason = next((account.reason for _, account in fitting if account.reason), "")
    if able is None and reason:
        raise AccountNotActive(reason)
    return able or next((each for each, account in fitting if account.is_on_moderation), None)


def _refuse_unconfirmed(account: SignInAccount) -> SignInAccount:
    return replace(account, may_sign_in=account.may_sign_in and not account.waits_for_email)


def _may_sign_in(account: SignInAccount) -> bool:
    return account.may_sign_in and account.password_hash is not None


@cache
def _dummy_hash() -> str:
    """Return the hash compared for unknown logins, so that the time taken is the same."""
    return hash_password("unknown")
