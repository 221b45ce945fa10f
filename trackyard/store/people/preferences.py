"""Preferences of people (docs/spec/console.md#preferences)."""

from collections.abc import Collection
from dataclasses import asdict

from sqlalchemy import Connection, delete, select

from trackyard.domain.people.callers import Account
from trackyard.domain.people.preferences import Preferences
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.in_lists import among_values
from trackyard.store.tables import preference


def find_preferences(conn: Connection, account: Account) -> Preferences:
    """Return the preferences of an account; the defaults when it chose nothing."""
    columns = preference.c
    query = select(columns.timezone, columns.language, columns.single_keys, columns.pages)
    row = conn.execute(query.where(columns.owner == account.name)).one_or_none()
    return Preferences() if row is None else Preferences(**row._mapping)


def languages_of(conn: Connection, accounts: Collection[Account]) -> dict[Account, str]:
    """Return the languages that accounts chose. Accounts that chose none are absent."""
    if not accounts:
        return {}
    query = select(preference.c.owner, preference.c.language)
    rows = conn.execute(query.where(among_values(preference.c.owner, [each.name for each in accounts])))
    return {Account.of_name(row.owner): row.language for row in rows if row.language}


def edit_preferences(conn: Connection, account: Account, chosen: Preferences) -> None:
    """Store the preferences of an account."""
    values = asdict(chosen)
    statement = upsert(conn, preference).values(owner=account.name, **values)
    conn.execute(statement.on_conflict_do_update(index_elements=["owner"], set_=values))


def remove_preferences(conn: Connection, account: Account) -> None:
    """Remove the preferences of an account."""
    conn.execute(delete(preference).where(preference.c.owner == account.name))
