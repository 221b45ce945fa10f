"""API keys: found by digest; first ones are encrypted to be shown (docs/spec/callers.md#api-keys)."""

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from trackyard.base.ids import new_id
from trackyard.base.secrets import SecretCipher, digest
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.keys import ApiKey
from trackyard.store.tables import api_key

_COLUMNS: Final = [column for column in api_key.c if column.name not in ("digest", "sealed")]
_OF_OWNER: Final = frozenset({"owner_kind", "owner_id"})
_EDITED: Final = frozenset(
    {"name", "is_first", "scopes", "networks", "expires_at", "successor_id", "statistics_revenue", "statistics_rows"}
)


def add_key(
    conn: Connection,
    owner_kind: str,
    owner_id: str | int,
    key: str,
    cipher: SecretCipher,
    now_ms: int,
    *,
    key_id: str = "",
) -> None:
    """Give an owner its first key: it has no limits, and is shown again. key_id: "" = a new one."""
    new = ApiKey(
        id=key_id or new_id(now_ms),
        account=Account(AccountKind(owner_kind), str(owner_id)),
        name="",
        is_first=True,
        scopes=(),
        networks=(),
        created_at=now_ms,
        expires_at=None,
        last_used_at=None,
        successor_id="",
        statistics_revenue=None,
        statistics_rows=None,
    )
    _add(conn, new, key, cipher.encrypt(key))


def add_limited_key(conn: Connection, new: ApiKey, key: str) -> None:
    """Store a key that is not shown again."""
    _add(conn, new, key, "")


def _add(conn: Connection, new: ApiKey, key: str, sealed: str) -> None:
    conn.execute(insert(api_key).values(digest=digest(key), sealed=sealed, **_values(new)))


def find_by_key(conn: Connection, key: str, now_ms: int) -> ApiKey | None:
    """Return a key by its secret; None for an unknown or ended one."""
    row = conn.execute(_WITH_DIGEST, {"wanted": digest(key), "now": now_ms}).one_or_none()
    return None if row is None else _key(row)


def find_by_id(conn: Connection, key_id: str, account: Account | None, *, lock: bool = False) -> ApiKey | None:
    """Return a key by its id, or None.

    account: of this owner only.
    lock: no other transaction changes it until the end of this one.
    """
    owned = () if account is None else _of(account)
    query = select(*_COLUMNS).where(api_key.c.id == key_id, *owned)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _key(row)


def list_keys(conn: Connection, account: Account) -> list[ApiKey]:
    """Return the keys of an account, the first key first, then the newest."""
    order = (api_key.c.is_first.desc(), api_key.c.created_at.desc(), api_key.c.id.desc())
    return [_key(row) for row in conn.execute(select(*_COLUMNS).where(*_of(account)).order_by(*order))]


def count_open(conn: Connection, account: Account, now_ms: int) -> int:
    """Return the number of keys of an account that have not ended."""
    query = select(func.count()).select_from(api_key).where(*_of(account), _is_open(now_ms))
    return int(conn.execute(query).scalar_one())


def edit_key(conn: Connection, key: ApiKey) -> None:
    """Store the name, limits and end of a key."""
    values = {name: value for name, value in _values(key).items() if name in _EDITED}
    if not key.is_first:
        values["sealed"] = ""  # a first key that was replaced is shown no more
    conn.execute(update(api_key).where(api_key.c.id == key.id).values(values))


def record_use(conn: Connection, key_id: str, now_ms: int) -> None:
    """Record the use of a key at this moment."""
    conn.execute(update(api_key).where(api_key.c.id == key_id).values(last_used_at=now_ms))


def remove_key(conn: Connection, key_id: str) -> None:
    """End a key at once."""
    conn.execute(delete(api_key).where(api_key.c.id == key_id))


def remove_ended(conn: Connection, account: Account, until_ms: int) -> None:
    """Remove the keys of an account that ended before a moment (UTC milliseconds)."""
    conn.execute(delete(api_key).where(*_of(account), api_key.c.expires_at < until_ms))


def find_key(conn: Connection, owner_kind: AccountKind, owner_id: str | int, cipher: SecretCipher) -> str | None:
    """Return the first key of an owner, in clear, or None. Raises DecryptionFailed."""
    return keys_of(conn, owner_kind, [owner_id], cipher).get(str(owner_id))


def keys_of(
    conn: Connection, owner_kind: AccountKind, owner_ids: Iterable[str | int], cipher: SecretCipher
) -> dict[str, str]:
    """Return the first key of each owner by its id, in clear. Raises DecryptionFailed."""
    rows = conn.execute(
        select(api_key.c.owner_id, api_key.c.sealed)
        .where(api_key.c.owner_kind == owner_kind, api_key.c.owner_id.in_([str(one) for one in owner_ids]))
        .where(api_key.c.is_first)
        .order_by(api_key.c.created_at, api_key.c.digest.desc())
    )
    return {owner: cipher.decrypt(sealed) for owner, sealed in dict(rows.all()).items()}


def remove_keys(conn: Connection, owner_kind: AccountKind, owner_id: str | int) -> None:
    """End every key of an owner."""
    conn.execute(delete(api_key).where(*_of(Account(owner_kind, str(owner_id)))))


def remove_first_keys(conn: Connection, owner_kind: AccountKind, owner_id: str | int) -> None:
    """End the first key of an owner, and the keys that it replaced and that have not ended."""
    account = Account(owner_kind, str(owner_id))
    first = select(api_key.c.id).where(*_of(account), api_key.c.is_first)
    conn.execute(delete(api_key).where(*_of(account), api_key.c.successor_id.in_(first)))
    conn.execute(delete(api_key).where(*_of(account), api_key.c.is_first))


def exchange_limited_keys(conn: Connection, one: Account, other: Account) -> None:
    """Let two accounts change keys, but the first ones."""
    limited = {each: [key.id for key in list_keys(conn, each) if not key.is_first] for each in (one, other)}
    for before, after in ((one, other), (other, one)):
        given = update(api_key).where(api_key.c.id.in_(limited[before]))
        conn.execute(given.values(owner_kind=after.kind, owner_id=after.id))


def _of(account: Account) -> tuple[ColumnElement[bool], ...]:
    return api_key.c.owner_kind == account.kind, api_key.c.owner_id == account.id


def _is_open(now_ms: int | BindParameter[int]) -> ColumnElement[bool]:
    return or_(api_key.c.expires_at.is_(None), api_key.c.expires_at > now_ms)


def _values(key: ApiKey) -> dict[str, Any]:
    values = {column.name: getattr(key, column.name) for column in _COLUMNS if column.name not in _OF_OWNER}
    owner = {"owner_kind": key.account.kind, "owner_id": key.account.id}
    return values | owner | {"scopes": list(key.scopes), "networks": list(key.networks)}


def _key(row: Row[Any]) -> ApiKey:
    values = {name: value for name, value in row._mapping.items() if name not in _OF_OWNER}
    values |= {"scopes": tuple(row.scopes), "networks": tuple(row.networks)}
    return ApiKey(account=Account(row.owner_kind, row.owner_id), **values)


_WITH_DIGEST: Final = select(*_COLUMNS).where(api_key.c.digest == bindparam("wanted"), _is_open(bindparam("now")))
"""Made once, because each request executes it."""
