"""The first answers to requests with an Idempotency-Key (docs/spec/api-conventions.md#idempotency)."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import first_answer

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class IdempotentAnswer:
    """A stored answer.

    sealed: the digest of the request and the answer, encrypted.
    asked: the digest, in place of the one in `sealed`, of an answer stored before migration 0006; "" = none.
    """

    asked: str
    sealed: str


def find_answer(conn: Connection, name: str, since_ms: int) -> IdempotentAnswer | None:
    """Return the stored answer of a name, unless it is from before `since_ms` (UTC)."""
    columns = first_answer.c
    row = conn.execute(
        select(columns.asked, columns.sealed).where(columns.name == name, columns.created_at > since_ms)
    ).one_or_none()
    return None if row is None else IdempotentAnswer(*row)


def claim_name(conn: Connection, name: str, now_ms: int, since_ms: int) -> bool:
    """Claim a name for a coming answer; False when it has one from after `since_ms` (UTC).

    Waits for another transaction that has claimed it.
    """
    columns = first_answer.c
    conn.execute(delete(first_answer).where(columns.name == name, columns.created_at <= since_ms))
    statement = upsert(conn, first_answer).values(name=name, asked="", sealed="", created_at=now_ms)
    statement = statement.on_conflict_do_nothing(index_elements=["name"])
    return conn.execute(statement.returning(columns.name)).one_or_none() is not None


def store_answer(conn: Connection, name: str, sealed: str) -> None:
    """Store the answer of a name that this transaction has claimed."""
    conn.execute(update(first_answer).where(first_answer.c.name == name).values(sealed=sealed))


def remove_old(conn: Connection, since_ms: int) -> int:
    """Remove some of the answers from before `since_ms` (UTC); return the number."""
    columns = first_answer.c
    old = select(columns.name).where(columns.created_at <= since_ms).limit(_CHUNK)
    return conn.execute(delete(first_answer).where(columns.name.in_(old))).rowcount
