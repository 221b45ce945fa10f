"""What belongs to a place in a company, and the change of a company's owner.

docs/spec/people.md#people-of-a-company
"""

from typing import Any, Final

from sqlalchemy import Column, Connection, Table, update

from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.persons import Membership
from trackyard.store.events import bell, choices
from trackyard.store.people import keys, persons, preferences, second_factors, sessions, sign_in_links
from trackyard.store.statistics import report_mails, saved_reports
from trackyard.store.tables import (
    bell_item,
    notice_choice,
    preference,
    recovery_code,
    report_mail,
    saved_report,
    second_factor,
)

_BY_NAME_OF_SIGNER: Final = (second_factor, recovery_code, preference)
"""Tables with the account of the password in the column `owner`."""
_BY_NAME_OF_PLACE: Final = (saved_report, report_mail)
"""Tables with the account that acts in the column `owner`."""


def remove_place(conn: Connection, found: Membership) -> None:
    """Remove a place in a company with its sessions, keys and reports.

    A person who has no other place is removed as well.
    """
    account = Account(AccountKind.MEMBER, found.id)
    sessions.remove_sessions(conn, account)
    keys.remove_keys(conn, account.kind, account.id)
    saved_reports.remove_reports(conn, account)
    report_mails.remove_mails(conn, account)
    bell.remove_items(conn, account)
    choices.remove_choices(conn, account)
    if persons.remove_member(conn, found):
        second_factors.remove_factor(conn, found.signer)
        preferences.remove_preferences(conn, found.signer)
        sign_in_links.remove_links(conn, found.signer)


def remove_company(conn: Connection, company: Account) -> None:
    """Remove the places in a company, and the places of its owner in companies of others."""
    for place in [*persons.list_members(conn, company), *persons.list_places(conn, company)]:
        remove_place(conn, place)


def exchange_owner(conn: Connection, company: Account, place: Membership) -> None:
    """Let the owner of a company and one of its people change places, with all that is theirs.

    The rows that hold their passwords and e-mail addresses are the caller's to change. Sessions of both end, the first
    API key stays the company's.
    """
    signer, account = place.signer, Account(AccountKind.MEMBER, place.id)
    for table in _BY_NAME_OF_SIGNER:
        _exchange(conn, table, table.c.owner, company.name, signer.name)
    for table in _BY_NAME_OF_PLACE:
        _exchange(conn, table, table.c.owner, company.name, account.name)
    for table in (bell_item, notice_choice):
        _exchange(conn, table, table.c.account, company.name, account.name)
    between = Account(AccountKind.PERSON, "-")
    persons.rename_signers(conn, company, between, but=place.id)
    persons.rename_signers(conn, signer, company, but=place.id)
    persons.rename_signers(conn, between, signer, but=place.id)
    for each in (company, account):
        sessions.remove_sessions(conn, each)
    keys.exchange_limited_keys(conn, company, account)


def _exchange(conn: Connection, table: Table, column: Column[Any], one: str, other: str) -> None:
    for before, after in ((one, "-"), (other, one), ("-", other)):
        conn.execute(update(table).where(column == before).values({column.name: after}))
