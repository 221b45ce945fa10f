"""Signing in with a password, for a session key that expires (docs/spec/callers.md#sign-in)."""

import logging
from dataclasses import dataclass
from functools import cache
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import RequestError, TooManyRequests, WrongCredentials
from trackyard.base.ids import new_api_key
from trackyard.base.metrics import SIGN_INS
from trackyard.base.secrets import digest, hash_password, password_matches
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.tracking.ip_lists import network_of
from trackyard.store.engine.database import Connection
from trackyard.store.people import keys, sign_ins
from trackyard.store.people.sign_ins import SignInAccount

SESSION_MS: Final = 12 * 3_600_000
MAX_SESSIONS: Final = 10
"""Sessions of an account; another one ends the oldest."""

WINDOW_MS: Final = 15 * 60_000
TRIES_PER_ACCOUNT: Final = 10
TRIES_PER_ADDRESS: Final = 100
"""Failed attempts within a window; the next is rejected until it ends, whatever the password."""

KNOWN_NETWORK_MS: Final = 30 * 86_400_000
"""Time for which a network is remembered from which an account signed in."""

_THROTTLED = "Too Many Requests: too many failed attempts, try again later or from where you signed in before"

log = logging.getLogger("trackyard.api")


@dataclass(frozen=True, slots=True)
class Session:
    """A session key. id: of its owner, as text; expires_at: UTC milliseconds."""

    kind: AccountKind
    id: str
    key: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An account that a login may mean, and the name under which its tries count.

    account: None for a login of no account.
    """

    account: SignInAccount | None
    counter: str


def sign_in(deps: Deps, login: str, password: str, address: str) -> Session:
    """Return a session for a login or e-mail address and its password. address: of the client.

    Raises WrongCredentials, also for an affiliate that is not active, and TooManyRequests.
    """
    now, network = deps.clock.now_ms(), network_of(address)
    by_address = digest(f"address:{network}")
    with deps.database.write() as conn:
        # Counted before the password is checked: concurrent attempts pass no more often.
        candidates = _list_candidates(conn, login, network, now)
        counters = [candidate.counter for candidate in candidates]
        limits = dict.fromkeys(counters, TRIES_PER_ACCOUNT) | {by_address: TRIES_PER_ADDRESS}
        counts = sign_ins.count_attempt(conn, limits, now, WINDOW_MS)
    waits = {name: since + WINDOW_MS - now for name, (tries, since) in counts.items() if tries > limits[name]}
    admitted = [] if by_address in waits else [each for each in candidates if each.counter not in waits]
    try:
        found = _find(admitted, password) if admitted else None
    except TooManyRequests:  # nothing was learned about the password
        with deps.database.write() as conn:
            sign_ins.forgive_attempt(conn, limits)
        raise
    if found is None or found.account is None:
        raise _refusal(candidates, waits)
    SIGN_INS.labels("accepted").inc()
    session = Session(found.account.kind, found.account.id, new_api_key(), now + SESSION_MS)
    with deps.database.write() as conn:
        sign_ins.clear_failures(conn, found.counter)  # those of other accounts of the login stay
        sign_ins.forgive_attempt(conn, [by_address])
        sign_ins.remember_network(conn, _network_mark(found.account, network), now + KNOWN_NETWORK_MS)
        keys.remove_sessions(conn, session.kind, session.id, until_ms=now)
        keys.remove_oldest_sessions(conn, session.kind, session.id, keep=MAX_SESSIONS - 1)
        keys.add_key(conn, session.kind, session.id, session.key, deps.cipher, now, session.expires_at)
        sign_ins.record_sign_in(conn, session.kind, session.id, now)
    return session


def _list_candidates(conn: Connection, login: str, network: str, now: int) -> list[_Candidate]:
    """Return the accounts that a login may mean.

    Strangers share the count of an account, while a network from which it signed in before has a count of its own:
    failed tries of others do not keep the owner out.
    """
    found = []
    for account in sign_ins.list_accounts(conn, login):
        counter = f"account:{account.kind}:{account.id}"
        if sign_ins.knows_network(conn, _network_mark(account, network), now):
            counter += f":{network}"
        found.append(_Candidate(account, digest(counter)))
    return found or [_Candidate(None, digest(f"login:{login.lower()}"))]


def _network_mark(account: SignInAccount, network: str) -> str:
    return digest(f"signed in:{account.kind}:{account.id}:{network}")


def _refusal(candidates: list[_Candidate], waits: dict[str, int]) -> RequestError:
    """Return the answer to a failed attempt. waits: milliseconds by the name of what has to wait."""
    if not waits:
        SIGN_INS.labels("wrong").inc()
        return WrongCredentials()
    SIGN_INS.labels("throttled").inc()
    names = [f"{each.account.kind}:{each.account.id}" for each in candidates if each.account is not None]
    log.warning("sign-in throttled", extra={"accounts": names})
    return TooManyRequests(-(-max(waits.values()) // 1000), _THROTTLED)


def _find(candidates: list[_Candidate], password: str) -> _Candidate | None:
    hashes = [(each.account and each.account.password_hash) or _dummy_hash() for each in candidates]
    matches = [password_matches(password, hashed) for hashed in hashes]
    fitting = (candidate for candidate, fits in zip(candidates, matches, strict=True) if fits)
    return next((each for each in fitting if each.account is not None and _may_sign_in(each.account)), None)


def _may_sign_in(account: SignInAccount) -> bool:
    return account.may_sign_in and account.password_hash is not None


@cache
def _dummy_hash() -> str:
    """Return the hash compared for unknown logins, so that the time taken is the same."""
    return hash_password("unknown")
