"""Pause postbacks after many dead deliveries in a row, and resume them.

docs/spec/postbacks.md#pauses.
"""

from collections.abc import Callable, Collection

from trackyard.actions.platform.notices import PAUSED, Recipient, send_notice
from trackyard.base.texts.marks import gettext
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.platform.mails.values import MailedOffer
from trackyard.store.engine.database import Connection
from trackyard.store.tracking import pauses


def pause_postbacks(conn: Connection, postback_ids: Collection[int], now_ms: int) -> None:
    """Pause postbacks and notify their affiliates and the affiliates' managers by mail.

    In the transaction of the deliveries that were too many.
    """
    for paused in pauses.pause(conn, postback_ids, now_ms):
        account = Account(AccountKind.AFFILIATE, str(paused.affiliate_id))
        people = [Recipient(paused.affiliate_email, paused.affiliate_name, account)]
        if paused.manager_email is not None:
            people.append(Recipient(paused.manager_email, paused.manager_name or paused.manager_email))
        send_notice(
            conn,
            PAUSED,
            people,
            now_ms,
            postback=paused.id,
            affiliate=f"#{paused.affiliate_id} {paused.affiliate_name}",
            offer=_offer_of(paused),
            url=paused.url,
        )


def _offer_of(paused: pauses.PausedPostback) -> MailedOffer | Callable[[], str]:
    if paused.offer_id is None:
        return lambda: gettext("every offer")
    return MailedOffer(paused.offer_id, paused.offer_title or "")
