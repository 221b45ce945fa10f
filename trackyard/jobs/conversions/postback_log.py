"""The rows of inbound postbacks in the server postback log."""

import re
from collections.abc import Mapping
from typing import Any

from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, parse_postback
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.journal.records import InboundPostback
from trackyard.store.statistics.outbox import OutboxRow

WAITING = "waiting"

_SECRET_PAIR = re.compile(r"(?i)((?:^|[&?;])(?:af)?secure=)[^&;]*")
_SECRET_JSON = re.compile(r'(?i)("(?:af)?secure"\s*:\s*)("(?:[^"\\]|\\.)*\\?(?:"|\Z)|[^,}\s]+)')
# Bounded: senders control how often such a part begins, so a search from one beginning must be short.
_SECRET_PART = re.compile(
    r'(?is)(name="?(?:af)?secure"?[^\r\n]{0,200}+\r?\n(?:[^\r\n]{1,200}+\r?\n){0,9}+\r?\n).*?(?=\r?\n--|\Z)'
)


def parse_record(record: InboundPostback, journal: str, position: int) -> ReceivedPostback:
    """Read the parameters of a recorded postback. position: byte offset of its frame."""
    return parse_postback(record.id, record.time, record.ip, record.params, journal, position)


def inbound_log_row(
    record: InboundPostback,
    postback: ReceivedPostback,
    *,
    revision: int,
    response: str,
    click: Mapping[str, Any] | None = None,
    conversion: Conversion | None = None,
) -> OutboxRow:
    """Return the log row of an inbound postback.

    response: "" when it made or changed `conversion`, else the error.
    revision: 0 while the postback waits, 1 once it is decided.
    """
    row = ServerPostbackLog(
        id=postback.id,
        revision=revision,
        time=postback.time,
        click_id=postback.click_id[:24],
        conversion_id=conversion.id if conversion else "",
        offer=click["offer"] if click else 0,
        affiliate=click["affiliate"] if click else 0,
        advertiser=click["advertiser"] if click else "",
        goal=postback.goal,
        action_id=postback.action_id,
        status=0 if PostbackError.WRONG_STATUS in postback.faults else postback.status.number,
        method=record.method,
        ip=record.ip,
        ua=record.ua,
        query=mask_secrets(record.query),
        body=mask_secrets(record.body),
        response=response,
        journal=postback.journal,
        position=postback.position,
    )
    return OutboxRow("server_log", encode_row(row))


def mask_secrets(text: str) -> str:
    """Return a query string or body (urlencoded, JSON, multipart) with the values of `secure` as ***."""
    if "secure" not in text.lower():
        return text
    text = _SECRET_PAIR.sub(r"\1***", text)
    text = _SECRET_JSON.sub(r'\1"***"', text)
    return _SECRET_PART.sub(r"\1***", text)
