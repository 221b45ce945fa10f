"""Storing the password of an account: the one place at which it changes.

docs/spec/callers.md#keys-and-passwords"""

from typing import Final

from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.platform.notices import PASSWORD, PASSWORD_CHANGED
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.engine.database import Connection
from trackyard.store.people import (
    advertisers,
    affiliates,
    email_confirmations,
    persons,
    sessions,
    sign_in_links,
    sign_ins,
    staff,
)

GIVEN_MS: Final = 24 * 60 * 60_000
"""How long a password works that the program made and gave to a person."""


def store_password(conn: Connection, account: Account, password_hash: str, now_ms: int, *, keep: str = "") -> int:
    """Store a chosen password, notify the owner, and return the number of ended sessions.

    The owner gets no notice of a first password: nothing was changed.
    What the password before gave access to ends: sessions, links, and a change of the e-mail address.
    keep: the id of a session that stays.
    """
    if not sign_ins.has_no_password(conn, account):
        notify_owner(conn, account, PASSWORD_CHANGED, now_ms)
    return _store(conn, account, password_hash, now_ms, None, keep)


def give_password(
    conn: Connection, account: Account, password: str, password_hash: str, now_ms: int, called: str = ""
) -> None:
    """Store a password that the program made, and mail it to the owner.

    The owner chooses another one within 24 hours.

    called: for the greeting; "" = the address.
    """
    notify_owner(conn, account, PASSWORD, now_ms, called, password=password)
    _store(conn, account, password_hash, now_ms, now_ms + GIVEN_MS, "")


def exchange_passwords(conn: Connection, one: Account, other: Account, now_ms: int) -> None:
    """Let two accounts change passwords, as their people change places. Sessions and links of both end."""
    found = [sign_ins.find_account(conn, each) for each in (other, one)]
    for account, source in zip((one, other), found, strict=True):
        if source is not None:
            _store(conn, account, source.password_hash, now_ms, source.password_until, "")


def accounts_of(conn: Connection, signer: Account) -> list[Account]:
    """Return the accounts that one password opens.

    They are its own, and the places of the person in companies of others.
    """
    places = persons.list_places(conn, signer)
    return [signer, *(Account(AccountKind.MEMBER, each.id) for each in places)]


def _store(
    conn: Connection, account: Account, password_hash: str | None, now_ms: int, until: int | None, keep: str
) -> int:
    values = {"password_hash": password_hash, "password_until": until, "updated_at": now_ms}
    match account.kind:
        case AccountKind.STAFF:
            staff.edit_staff(conn, account.id, values)
        case AccountKind.AFFILIATE:
            affiliates.edit_affiliate(conn, int(account.id), values)
            email_confirmations.remove_changes(conn, int(account.id))
        case AccountKind.ADVERTISER:
            advertisers.edit_advertiser(conn, account.id, values)
        case AccountKind.PERSON:
            persons.edit_person(conn, account.id, values)
        case AccountKind.MEMBER:
            raise ValueError(f"{account.name} has no password: it is its signer's")
    sign_in_links.remove_links(conn, account)
    return sum(sessions.remove_sessions(conn, each, keep=keep) for each in accounts_of(conn, account))
