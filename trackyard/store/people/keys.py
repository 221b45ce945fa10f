"""API keys: found by digest, encrypted to be shown again (docs/spec/callers.md#keys-and-passwords)."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, or_, select

from trackyard.base.secrets import SecretCipher, digest
from trackyard.domain.people.callers import AccountKind
from trackyard.store.tables import api_key


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """The owner of a key. id: as text."""

    kind: AccountKind
    id: str


def add_key(
    conn: Connection,
    owner_kind: AccountKind,
    owner_id: str | int,
    key: str,
    cipher: SecretCipher,
    now_ms: int,
    expires_at: int | None = None,
) -> None:
    """Give an owner another key. expires_at: UTC milliseconds; None is never."""
    conn.execute(
        insert(api_key).values(
            digest=digest(key),
            sealed=cipher.encrypt(key),
            owner_kind=owner_kind,
            owner_id=str(owner_id),
            created_at=now_ms,
            expires_at=expires_at,
        )
    )


def find_owner(conn: Connection, key: str, now_ms: int) -> KeyOwner | None:
    """Return the owner of a key; None for an unknown or expired one."""
    row = conn.execute(
        select(api_key.c.owner_kind, api_key.c.owner_id)
        .where(api_key.c.digest == digest(key))
        .where(or_(api_key.c.expires_at.is_(None), api_key.c.expires_at > now_ms))
    ).one_or_none()
    return None if row is None else KeyOwner(row.owner_kind, row.owner_id)


def find_key(conn: Connection, owner_kind: AccountKind, owner_id: str | int, cipher: SecretCipher) -> str | None:
    """Return the newest lasting key of an owner, in clear, or None. Raises DecryptionFailed."""
    return keys_of(conn, owner_kind, [owner_id], cipher).get(str(owner_id))


def keys_of(
    conn: Connection, owner_kind: AccountKind, owner_ids: Iterable[str | int], cipher: SecretCipher
) -> dict[str, str]:
    """Return the newest lasting key of each owner by its id, in clear. Raises DecryptionFailed."""
    rows = conn.execute(
        select(api_key.c.owner_id, api_key.c.sealed)
        .where(api_key.c.owner_kind == owner_kind, api_key.c.owner_id.in_([str(one) for one in owner_ids]))
        .where(api_key.c.expires_at.is_(None))
        .order_by(api_key.c.created_at, api_key.c.digest.desc())
    )
    return {owner: cipher.decrypt(sealed) for owner, sealed in dict(rows.all()).items()}


def remove_keys(conn: Connection, owner_kind: AccountKind, owner_id: str | int) -> None:
    """Remove every key of an owner."""
    conn.execute(delete(api_key).where(api_key.c.owner_kind == owner_kind, api_key.c.owner_id == str(owner_id)))
