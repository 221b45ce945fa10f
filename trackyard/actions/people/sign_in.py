"""Signing in with a password, for a session key that expires (docs/spec/callers.md#sign-in)."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import TooManyRequests, WrongCredentials
from trackyard.base.ids import new_api_key
from trackyard.base.secrets import digest, hash_password, password_matches
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.tracking.ip_lists import network_of
from trackyard.store.people import keys, sign_ins
from trackyard.store.people.sign_ins import SignInAccount

SESSION_MS: Final = 12 * 3_600_000
MAX_SESSIONS: Final = 10
"""Sessions of an account; another one ends the oldest."""

WINDOW_MS: Final = 15 * 60_000
TRIES_PER_ACCOUNT: Final = 10
TRIES_PER_ADDRESS: Final = 100
"""Failed attempts within a window; the next is rejected until it ends, whatever the password."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session key. id: of its owner, as text; expires_at: UTC milliseconds."""

    kind: AccountKind
    id: str
    key: str
    expires_at: int


def sign_in(deps: Deps, login: str, password: str, address: str) -> Session:
    """Return a session for a login or e-mail address and its password. address: of the client.

    Raises WrongCredentials, also for an affiliate that is not active, and TooManyRequests.
    """
    now = deps.clock.now_ms()
    by_account, by_address = digest(f"account:{login.lower()}"), digest(f"address:{network_of(address)}")
    limits = {by_account: TRIES_PER_ACCOUNT, by_address: TRIES_PER_ADDRESS}
    with deps.database.write() as conn:
        # Counted before the password is checked: concurrent attempts pass no more often.
        counts = sign_ins.count_attempt(conn, limits, now, WINDOW_MS)
        accounts = sign_ins.list_accounts(conn, login)
    waits = [since + WINDOW_MS - now for name, (tries, since) in counts.items() if tries > limits[name]]
    if waits:
        raise TooManyRequests(-(-max(waits) // 1000))
    account = _find(accounts, password)
    if account is None:
        raise WrongCredentials
    session = Session(account.kind, account.id, new_api_key(), now + SESSION_MS)
    with deps.database.write() as conn:
        sign_ins.clear_failures(conn, by_account, by_address)
        keys.remove_sessions(conn, session.kind, session.id, until_ms=now)
        keys.remove_oldest_sessions(conn, session.kind, session.id, keep=MAX_SESSIONS - 1)
        keys.add_key(conn, session.kind, session.id, session.key, deps.cipher, now, session.expires_at)
        sign_ins.record_sign_in(conn, session.kind, session.id, now)
    return session


def _find(accounts: list[SignInAccount], password: str) -> SignInAccount | None:
    hashes = [account.password_hash or _dummy_hash() for account in accounts] or [_dummy_hash()]
    matches = [password_matches(password, hashed) for hashed in hashes]
    fitting = (account for account, fits in zip(accounts, matches, strict=False) if fits)
    return next((one for one in fitting if one.may_sign_in and one.password_hash is not None), None)


@cache
def _dummy_hash() -> str:
    """Return the hash compared for unknown logins, so that the time taken is the same."""
    return hash_password("unknown")
