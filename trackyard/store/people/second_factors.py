"""Second factors: secrets of apps, and recovery codes (docs/spec/callers.md#second-factor)."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from trackyard.base.secrets import digest
from trackyard.domain.people.callers import Account
from trackyard.store.tables import recovery_code, second_factor


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """The second factor of an account.

    sealed: the encrypted secret.
    confirmed: whether its first code was right; it counts from then on.
    """

    sealed: str
    confirmed: bool


def find_factor(conn: Connection, account: Account) -> SecondFactor | None:
    """Return the second factor of an account, confirmed or not."""
    columns = second_factor.c
    query = select(columns.sealed, columns.confirmed_at).where(columns.owner == account.name)
    row = conn.execute(query).one_or_none()
    return None if row is None else SecondFactor(row.sealed, row.confirmed_at is not None)


def add_factor(conn: Connection, account: Account, sealed: str, now_ms: int) -> None:
    """Store a second factor that is not confirmed, in place of an earlier one."""
    remove_factor(conn, account)
    conn.execute(insert(second_factor).values(owner=account.name, sealed=sealed, last_step=0, created_at=now_ms))


def confirm_factor(conn: Connection, account: Account, now_ms: int) -> None:
    """Confirm the second factor of an account."""
    conn.execute(update(second_factor).where(second_factor.c.owner == account.name).values(confirmed_at=now_ms))


def use_step(conn: Connection, account: Account, step: int) -> bool:
    """Store that the code of a time step was used; return whether it and later ones were unused."""
    columns = second_factor.c
    unused = update(second_factor).where(columns.owner == account.name, columns.last_step < step)
    return conn.execute(unused.values(last_step=step).returning(columns.owner)).one_or_none() is not None


def remove_factor(conn: Connection, account: Account) -> None:
    """Remove the second factor of an account and its recovery codes."""
    conn.execute(delete(second_factor).where(second_factor.c.owner == account.name))
    conn.execute(delete(recovery_code).where(recovery_code.c.owner == account.name))


def edit_recovery_codes(conn: Connection, account: Account, codes: Iterable[str]) -> None:
    """Replace the recovery codes of an account. codes: as `plain_code` returns them."""
    conn.execute(delete(recovery_code).where(recovery_code.c.owner == account.name))
    rows = [{"digest": _digest(account, code), "owner": account.name} for code in codes]
    conn.execute(insert(recovery_code), rows)


def use_recovery_code(conn: Connection, account: Account, code: str) -> bool:
    """Remove a recovery code; return whether the account had it."""
    columns = recovery_code.c
    own = delete(recovery_code).where(columns.digest == _digest(account, code), columns.owner == account.name)
    return conn.execute(own.returning(columns.digest)).one_or_none() is not None


def count_recovery_codes(conn: Connection, account: Account) -> int:
    """Return how many recovery codes of an account are left."""
    query = select(func.count()).select_from(recovery_code).where(recovery_code.c.owner == account.name)
    return int(conn.execute(query).scalar_one())


def _digest(account: Account, code: str) -> str:
    return digest(f"{account.name}:{code}")
