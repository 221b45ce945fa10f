"""Use cases of the API keys of an account (docs/spec/callers.md#api-keys)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import check_own_password
from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.platform.notices import KEY_MADE
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_api_key, new_id
from trackyard.domain.people.callers import Account, AccountKind, Caller
from trackyard.domain.people.key_limits import READ, WRITE
from trackyard.domain.people.keys import MAX_KEYS, MAX_NETWORKS, ApiKey
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates, keys, staff

_HOUR_MS: Final = 3_600_000
_KEEP_ENDED_MS: Final = 30 * 86_400_000
"""How long ended keys are listed; the next new key of their owner removes them."""


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new key and its secret, which is shown once. The secret of a first key is shown at any time."""

    key: ApiKey
    secret: str


def show_first_key(deps: Deps, caller: Caller, password: str, address: str) -> str | None:
    """Return the first key of a calling account after checking the password. address: the client's.

    An advertiser without a key gets one. Members of a company have none.
    Raises BadInput for a wrong password, and TooManyRequests.
    """
    check_own_password(deps, caller.signer, password, address)
    account = caller.account
    with deps.database.read() as conn:
        found = keys.find_key(conn, account.kind, account.id, deps.cipher)
    return _first_key_of(deps, account) if found is None and account.kind is AccountKind.ADVERTISER else found


def _first_key_of(deps: Deps, account: Account) -> str:
    """Return the first key of an account, which is made where it has none."""
    with deps.database.write() as conn:
        key = keys.find_key(conn, account.kind, account.id, deps.cipher)
        if key is None:
            key = new_api_key()
            keys.add_key(conn, account.kind, account.id, key, deps.cipher, deps.clock.now_ms())
            notify_owner(conn, account, KEY_MADE, deps.clock.now_ms())
        return key


def list_keys(deps: Deps, account: Account) -> list[ApiKey]:
    """Return the keys of an account, the first key first, then the newest."""
    with deps.database.read() as conn:
        return keys.list_keys(conn, account)


def has_keys(deps: Deps, account: Account) -> bool:
    """Return whether an account has a lasting key that works."""
    now = deps.clock.now_ms()
    return any(each.expires_at is None or each.expires_at > now for each in list_keys(deps, account))


def get_key(deps: Deps, key_id: str, account: Account | None = None) -> ApiKey:
    """Return a key; account: of this owner only. Raises NotFound."""
    with deps.database.read() as conn:
        return _found(conn, key_id, account)


def check_owner(deps: Deps, account: Account) -> None:
    """Raise BadInput when an account does not exist."""
    with deps.database.read() as conn:
        if account.kind is AccountKind.STAFF:
            if staff.find_staff(conn, account.id) is None:
                raise BadInput({"user_id": [f"A staff user {account.id} does not exist."]})
        elif affiliates.find_affiliate(conn, Scope.everything(), int(account.id)) is None:
            raise BadInput({"affiliate_id": [f"An affiliate {account.id} does not exist."]})


def add_key(deps: Deps, account: Account, given: Mapping[str, Any]) -> MadeKey:
    """Give an account another key. given: `name` and the limits by the fields of ApiKey. Raises BadInput."""
    now = deps.clock.now_ms()
    new = ApiKey(
        id=new_id(now),
        account=account,
        is_first=False,
        created_at=now,
        last_used_at=None,
        successor_id="",
        **given,
    )
    _check(new)
    made = MadeKey(new, new_api_key())
    with deps.database.write() as conn:
        keys.remove_ended(conn, account, now - _KEEP_ENDED_MS)
        if keys.count_open(conn, account, now) >= MAX_KEYS:
            raise BadInput({"name": [f"An account has at most {MAX_KEYS} keys: remove one first."]})
        keys.add_limited_key(conn, new, made.secret)
        notify_owner(conn, account, KEY_MADE, now)
    return made


def edit_key(deps: Deps, key_id: str, given: Mapping[str, Any]) -> ApiKey:
    """Change the name and the limits of a key, from its next request on. Raises NotFound, BadInput."""
    with deps.database.write() as conn:
        before = _found(conn, key_id, lock=True)
        _check_is_limited(before, "changed: its limits are none")
        after = replace(before, **given)
        _check(after)
        keys.edit_key(conn, after)
    return after


def rotate_key(deps: Deps, key_id: str, hours: int) -> MadeKey:
    """Make the successor of a key, with the same limits and lifetime; the key ends after `hours`.

    The successor of the first key is the first one then; the old one has no right to credentials any more.
    Raises NotFound, and Conflict for a key that has a successor or has ended.
    """
    now, secret = deps.clock.now_ms(), new_api_key()
    with deps.database.write() as conn:
        old = _found(conn, key_id, lock=True)
        _check_can_rotate(old, now)
        end = now + hours * _HOUR_MS
        ended = replace(
            old,
            is_first=False,
            scopes=(READ, WRITE) if old.is_first else old.scopes,
            expires_at=end if old.expires_at is None else min(end, old.expires_at),
            successor_id=new_id(now),
        )
        lifetime = None if old.expires_at is None else now + old.expires_at - old.created_at
        new = replace(old, id=ended.successor_id, created_at=now, expires_at=lifetime, last_used_at=None)
        keys.edit_key(conn, ended)
        if new.is_first:
            keys.add_key(conn, old.account.kind, old.account.id, secret, deps.cipher, now, key_id=new.id)
        else:
            keys.add_limited_key(conn, new, secret)
        notify_owner(conn, old.account, KEY_MADE, now)
    return MadeKey(new, secret)


def remove_key(deps: Deps, key_id: str) -> None:
    """End a key at once. Raises NotFound, BadInput for the first one."""
    with deps.database.write() as conn:
        _check_is_limited(_found(conn, key_id, lock=True), "removed: renew or rotate it instead")
        keys.remove_key(conn, key_id)


def _found(conn: Connection, key_id: str, account: Account | None = None, *, lock: bool = False) -> ApiKey:
    return required(keys.find_by_id(conn, key_id, account, lock=lock))


def _check(key: ApiKey) -> None:
    faults = {}
    if not {READ, WRITE}.intersection(key.scopes):
        faults["scopes"] = ["A key needs read, write or both, with or without areas."]
    if len(key.networks) > MAX_NETWORKS:
        faults["networks"] = [f"A key has at most {MAX_NETWORKS} networks."]
    if faults:
        raise BadInput(faults)


def _check_is_limited(key: ApiKey, what: str) -> None:
    if key.is_first:
        raise BadInput({"id": [f"The first key of an account cannot be {what}."]})


def _check_can_rotate(key: ApiKey, now: int) -> None:
    if key.successor_id:
        raise Conflict({"id": [f"This key was replaced by {key.successor_id} already."]})
    if key.expires_at is not None and key.expires_at <= now:
        raise Conflict({"id": ["This key has ended: make another one."]})
