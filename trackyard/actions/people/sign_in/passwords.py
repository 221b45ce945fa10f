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
    sessions,
    sign_in_links,
    staff,
)

GIVEN_MS: Final = 24 * 60 * 60_000
"""How long a password works that the program made and gave to a person."""


def store_password(conn: Connection, account: Account, password_hash: str, now_ms: int, *, keep: str = "") -> int:
    """Store a chosen password, notify the owner, and return the number of ended sessions.

    What the password before gave access to ends: sessions, links, and a change of the e-mail address.
    keep: the id of a session that stays.
    """
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


def _store(conn: Connection, account: Account, password_hash: str, now_ms: int, until: int | None, keep: str) -> int:
    values = {"password_hash": password_hash, "password_until": until, "updated_at": now_ms}
    match account.kind:
        case AccountKind.STAFF:
            staff.edit_staff(conn, account.id, values)
        case AccountKind.AFFILIATE:
            affiliates.edit_affiliate(conn, int(account.id), values)
            email_confirmations.remove_changes(conn, int(account.id))
        case AccountKind.ADVERTISER:
            advertisers.edit_advertiser(conn, account.id, values)
    sign_in_links.remove_links(conn, account)
    return sessions.remove_sessions(conn, account, keep=keep)
