"""The rows of inbound postbacks in the server postback log."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.base.masks import mask_secrets
from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, parse_postback
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.domain.tracking.postback_params import PIXELS
from trackyard.jobs.conversions.senders import NO_SENDER, Sender
from trackyard.journal.records import InboundPostback
from trackyard.store.statistics.outbox import OutboxRow

WAITING = "waiting"
MAX_BROKEN_TEXT: Final = 256
"""Characters of query and body that the log keeps of a postback of no click."""


def parse_record(record: InboundPostback, journal: str, position: int) -> ReceivedPostback:
    """Read the parameters of a recorded postback. position: byte offset of its frame."""
    page = record.page if record.source in PIXELS else None
    return parse_postback(record.id, record.time, record.ip, record.params, journal, position, page, record.forgiven)


def inbound_log_row(
    record: InboundPostback,
    postback: ReceivedPostback,
    *,
    revision: int,
    response: str,
    click: Mapping[str, Any] | None = None,
    sender: Sender = NO_SENDER,
    conversion: Conversion | None = None,
) -> OutboxRow:
    """Return the log row of an inbound postback.

    response: "" when it made or changed `conversion`, else the error.
    revision: 0 while the postback waits, 1 once it is decided.
    sender: the offer and advertiser of a postback without a click.
    """
    query, body = record.query, record.body
    if response == PostbackError.BROKEN_CLICKID:
        query, body = query[:MAX_BROKEN_TEXT], body[:MAX_BROKEN_TEXT]
    row = ServerPostbackLog(
        id=postback.id,
        revision=revision,
        time=postback.time,
        click_id=postback.click_id[:24],
        conversion_id=conversion.id if conversion else "",
        offer=click["offer"] if click else sender.offer,
        affiliate=click["affiliate"] if click else 0,
        advertiser=click["advertiser"] if click else sender.advertiser,
        goal=postback.goal,
        action_id=postback.action_id,
        status=0 if PostbackError.WRONG_STATUS in postback.faults else postback.status.number,
        method=record.method,
        ip=record.ip,
        ua=record.ua,
        query=mask_secrets(query),
        body=mask_secrets(body),
        response=response,
        journal=postback.journal,
        position=postback.position,
        forgiven=postback.forgiven,
    )
    return OutboxRow("server_log", encode_row(row))
