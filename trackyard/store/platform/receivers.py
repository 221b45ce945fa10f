"""The receivers of news and messages by mail (docs/spec/platform.md#news)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from trackyard.domain.people.callers import Account
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import receiver


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver that waits for its mail. mailing_id: the id of the news or the message."""

    mailing_id: str
    owner: str

    @property
    def account(self) -> Account:
        """Return the affiliate or the advertiser."""
        return Account.of_name(self.owner)


@dataclass(frozen=True, slots=True)
class ReceiverCounts:
    """Numbers of a mailing: its people, and its queued mails."""

    total: int = 0
    mailed: int = 0


def add_receivers(conn: Connection, mailing_id: str, emails: Mapping[Account, str]) -> int:
    """Add the people that the mailing does not have yet; return how many.

    emails: the e-mail address of each account. An account, and an e-mail address in any case, gets a mailing once. The
    caller holds a lock on the mailing.
    """
    new = [
        {"mailing_id": mailing_id, "owner": account.name, "email": email}
        for account, email in _new_people(conn, mailing_id, emails)
    ]
    if new:
        conn.execute(insert(receiver), new)
    return len(new)


def add_mailed(conn: Connection, mailing_id: str, emails: Mapping[Account, str], now_ms: int) -> set[Account]:
    """Store that accounts get a mailing now; return the ones with a new e-mail address.

    The caller holds a lock on the mailing, and no account has it yet.
    """
    wanted = sorted({each.lower() for each in emails.values()})
    columns = receiver.c
    known = select(columns.email).where(columns.mailing_id == mailing_id, among_values(columns.email, wanted))
    taken, new = set(conn.execute(known).scalars()), dict[Account, str]()
    for account, email in emails.items():
        if email.lower() not in taken:
            taken.add(email.lower())
            new[account] = email.lower()
    rows = [
        {"mailing_id": mailing_id, "owner": account.name, "email": email, "mailed_at": now_ms}
        for account, email in new.items()
    ]
    if rows:
        conn.execute(insert(receiver), rows)
    return set(new)


def count_new(conn: Connection, mailing_id: str, emails: Mapping[Account, str]) -> int:
    """Return how many people `add_receivers` would add."""
    return sum(1 for _ in _new_people(conn, mailing_id, emails))


def has_waiting(conn: Connection) -> bool:
    """Return whether a receiver waits for its mail."""
    return has_rows(conn, select(receiver.c.owner).where(receiver.c.mailed_at.is_(None)))


def claim(conn: Connection, most: int) -> list[Receiver]:
    """Return receivers that wait for their mail; no other transaction gets them until the end of this one."""
    columns = receiver.c
    query = select(columns.mailing_id, columns.owner).where(columns.mailed_at.is_(None))
    ordered = query.order_by(columns.mailing_id, columns.owner).limit(most).with_for_update(skip_locked=True)
    return [Receiver(*row) for row in conn.execute(ordered)]


def mark_mailed(conn: Connection, done: Iterable[Receiver], now_ms: int) -> None:
    """Store that the mails of receivers are queued."""
    for mailing_id, owners in _by_mailing(done).items():
        chosen = receiver.c.mailing_id == mailing_id, among_values(receiver.c.owner, owners)
        conn.execute(update(receiver).where(*chosen).values(mailed_at=now_ms))


def remove_receivers(conn: Connection, gone: Iterable[Receiver]) -> None:
    """Remove receivers that cannot get their mail any more."""
    for mailing_id, owners in _by_mailing(gone).items():
        conn.execute(delete(receiver).where(receiver.c.mailing_id == mailing_id, receiver.c.owner.in_(owners)))


def remove_mailing(conn: Connection, mailing_id: str) -> None:
    """Remove all receivers of a mailing."""
    conn.execute(delete(receiver).where(receiver.c.mailing_id == mailing_id))


def forget_account(conn: Connection, account: Account) -> None:
    """Remove an account from all mailings."""
    conn.execute(delete(receiver).where(receiver.c.owner == account.name))


def counts_of(conn: Connection, mailing_ids: Iterable[str]) -> dict[str, ReceiverCounts]:
    """Return the counts of mailings that have receivers, by id."""
    columns = receiver.c
    query = select(columns.mailing_id, func.count(), func.count(columns.mailed_at))
    chosen = query.where(columns.mailing_id.in_(set(mailing_ids))).group_by(columns.mailing_id)
    return {mailing_id: ReceiverCounts(total, mailed) for mailing_id, total, mailed in conn.execute(chosen)}


def _by_mailing(found: Iterable[Receiver]) -> dict[str, list[str]]:
    owners = dict[str, list[str]]()
    for each in found:
        owners.setdefault(each.mailing_id, []).append(each.owner)
    return {mailing_id: sorted(each) for mailing_id, each in owners.items()}


def _new_people(conn: Connection, mailing_id: str, emails: Mapping[Account, str]) -> Iterator[tuple[Account, str]]:
    """Yield the accounts that a mailing does not have, with the e-mail address in lower case."""
    columns = receiver.c
    known = conn.execute(select(columns.owner, columns.email).where(columns.mailing_id == mailing_id)).all()
    owners, taken = {row.owner for row in known}, {row.email for row in known}
    for account, email in emails.items():
        if account.name not in owners and email.lower() not in taken:
            taken.add(email.lower())
            yield account, email.lower()
