"""Mails to the owner of an account about how the account is entered.

docs/spec/callers.md#notices-to-the-owner"""

from typing import Final

from trackyard.actions.events.publishing import publish
from trackyard.actions.platform.notices import (
    FACTOR_ADDED,
    FACTOR_REMOVED,
    KEY_MADE,
    PASSWORD_CHANGED,
    Recipient,
    send_notice,
)
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.store.engine.database import Connection
from trackyard.store.people import sign_ins

_PUBLISHED: Final = {
    PASSWORD_CHANGED: EventKind.PASSWORD_CHANGED,
    FACTOR_ADDED: EventKind.FACTOR_ADDED,
    FACTOR_REMOVED: EventKind.FACTOR_REMOVED,
    KEY_MADE: EventKind.KEY_MADE,
}
"""The notices that are events, too. A person without a company has no bell."""


def notify_owner(
    conn: Connection, account: Account, notice: Notice, now_ms: int, called: str = "", **values: object
) -> None:
    """Mail the owner of an account; an account without its own address gets nothing.

    called: the name for the greeting; "" = the address. values: the values of the notice's placeholders.
    """
    if (kind := _PUBLISHED.get(notice)) is not None and account.kind is not AccountKind.PERSON:
        publish(conn, kind, now_ms, Concerned(account=account))
    found = sign_ins.find_account(conn, account)
    if found is not None and found.email and found.email != FIRST_ADMINISTRATOR:
        send_notice(conn, notice, [Recipient(found.email, called or found.email, account)], now_ms, **values)
