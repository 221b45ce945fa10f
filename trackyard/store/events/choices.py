"""What accounts chose about notices, where it differs from the matrix (docs/spec/events.md#choices)."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, delete, insert, select

from trackyard.domain.events.kinds import Channel, EventKind
from trackyard.domain.people.callers import Account
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.in_lists import among_values
from trackyard.store.tables import notice_choice

Choices = Mapping[tuple[EventKind, Channel], bool]
"""Whether a channel is on for a kind. What is absent is as the matrix has it."""

_COLUMNS = notice_choice.c


def find_choices(conn: Connection, account: Account) -> Choices:
    """Return the choices of an account."""
    rows = conn.execute(select(_COLUMNS.kind, _COLUMNS.channel, _COLUMNS.is_on).where(_COLUMNS.account == account.name))
    return {(row.kind, row.channel): row.is_on for row in rows}


def find_of_kind(conn: Connection, accounts: Collection[Account], kind: EventKind) -> dict[str, dict[Channel, bool]]:
    """Return the choices of accounts about a kind, by the name of the account."""
    chosen = select(_COLUMNS.account, _COLUMNS.channel, _COLUMNS.is_on).where(_COLUMNS.kind == kind)
    found: dict[str, dict[Channel, bool]] = {}
    for row in conn.execute(chosen.where(among_values(_COLUMNS.account, [each.name for each in accounts]))):
        found.setdefault(row.account, {})[row.channel] = row.is_on
    return found


def edit_choices(conn: Connection, account: Account, chosen: Choices) -> None:
    """Replace the choices of an account about these kinds and channels."""
    kinds = {kind for kind, _ in chosen}
    conn.execute(delete(notice_choice).where(_COLUMNS.account == account.name, _COLUMNS.kind.in_(kinds)))
    rows = [
        {"account": account.name, "kind": kind, "channel": channel, "is_on": is_on}
        for (kind, channel), is_on in chosen.items()
    ]
    if rows:
        conn.execute(insert(notice_choice), rows)


def switch(conn: Connection, account: Account, kind: EventKind, channel: Channel, *, is_on: bool) -> None:
    """Store the choice of an account about one channel of one kind."""
    statement = upsert(conn, notice_choice).values(account=account.name, kind=kind, channel=channel, is_on=is_on)
    keys = ["account", "kind", "channel"]
    conn.execute(statement.on_conflict_do_update(index_elements=keys, set_={"is_on": is_on}))


def remove_choices(conn: Connection, account: Account) -> None:
    """Remove the choices of an account."""
    conn.execute(delete(notice_choice).where(_COLUMNS.account == account.name))
