"""Mails to the owner of an account about how the account is entered.

docs/spec/callers.md#notices-to-the-owner"""

from trackyard.actions.platform.notices import Recipient, send_notice
from trackyard.domain.people.callers import Account
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.store.engine.database import Connection
from trackyard.store.people import sign_ins


def notify_owner(
    conn: Connection, account: Account, notice: Notice, now_ms: int, called: str = "", **values: object
) -> None:
    """Mail the owner of an account; an account without its own address gets nothing.

    called: the name for the greeting; "" = the address. values: the values of the notice's placeholders.
    """
    found = sign_ins.find_account(conn, account)
    if found is not None and found.email and found.email != FIRST_ADMINISTRATOR:
        send_notice(conn, notice, [Recipient(found.email, called or found.email, account)], now_ms, **values)
