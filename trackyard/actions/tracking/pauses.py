"""Pause postbacks after many dead deliveries in a row, and resume them.

docs/spec/postbacks.md#pauses.
"""

from collections.abc import Collection

from trackyard.actions.events.publishing import publish
from trackyard.actions.platform.notices import PAUSED, Recipient, send_notice
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.platform.mails.values import MailedOffer
from trackyard.store.engine.database import Connection
from trackyard.store.tracking import pauses


def pause_postbacks(conn: Connection, postback_ids: Collection[int], now_ms: int) -> None:
    """Pause postbacks, publish it, and notify the affiliates' managers by mail.

    In the transaction of the deliveries that were too many.
    """
    for paused in pauses.pause(conn, postback_ids, now_ms):
        affiliate = f"#{paused.affiliate_id} {paused.affiliate_name}"
        offer = "" if paused.offer_id is None else MailedOffer(paused.offer_id, paused.offer_title or "")
        concerned = Concerned(paused.id, paused.affiliate_id, offer_id=paused.offer_id)
        values = {"postback": str(paused.id), "affiliate": affiliate, "offer": offer, "url": paused.url}
        publish(conn, EventKind.POSTBACK_PAUSED, now_ms, concerned, **values)
        if paused.manager_email is not None:
            manager = Recipient(paused.manager_email, paused.manager_name or paused.manager_email)
            send_notice(conn, PAUSED, [manager], now_ms, **values)
