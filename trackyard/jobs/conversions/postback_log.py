"""The record of an inbound call in the server postback log."""

import re
from collections.abc import Mapping
from typing import Any

from trackyard.domain.conversions.conversions import SENT_STATUSES, Conversion, goal_of
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.journal.records import InboundPostback
from trackyard.store.statistics.outbox import OutboxRow

WAITING = "waiting"

_SECRET_PAIR = re.compile(r"(?i)((?:^|[&?;])(?:af)?secure=)[^&;]*")
_SECRET_JSON = re.compile(r'(?i)("(?:af)?secure"\s*:\s*)("(?:[^"\\]|\\.)*\\?(?:"|\Z)|[^,}\s]+)')
# Bounded: strangers write as many beginnings of such a part as they like, and from none of them may it look far.
_SECRET_PART = re.compile(
    r'(?is)(name="?(?:af)?secure"?[^\r\n]{0,200}+\r?\n(?:[^\r\n]{1,200}+\r?\n){0,9}+\r?\n).*?(?=\r?\n--|\Z)'
)


def inbound_log_row(
    postback: InboundPostback,
    journal: str,
    position: int,
    *,
    revision: int,
    response: str,
    click: Mapping[str, Any] | None = None,
    conversion: Conversion | None = None,
) -> OutboxRow:
    """The row that tells what became of a call. response: "" when it made or changed `conversion`, else why not ·
    revision: 0 while it waits, 1 once it is decided."""
    status = SENT_STATUSES.get(postback.params.get("status", ""))
    row = ServerPostbackLog(
        id=postback.id,
        revision=revision,
        time=postback.time,
        click_id=postback.params.get("clickid", "")[:24],
        conversion_id=conversion.id if conversion else "",
        offer=click["offer"] if click else 0,
        affiliate=click["affiliate"] if click else 0,
        advertiser=click["advertiser"] if click else "",
        goal=goal_of(postback.params),
        action_id=postback.params.get("action_id", ""),
        status=status.number if status else 0,
        method=postback.method,
        ip=postback.ip,
        ua=postback.ua,
        query=mask_secrets(postback.query),
        body=mask_secrets(postback.body),
        response=response,
        journal=journal,
        position=position,
    )
    return OutboxRow("server_log", encode_row(row))


def mask_secrets(text: str) -> str:
    """A query string or body (urlencoded, JSON, multipart) with the value of `secure` replaced by ***."""
    if "secure" not in text.lower():
        return text
    text = _SECRET_PAIR.sub(r"\1***", text)
    text = _SECRET_JSON.sub(r'\1"***"', text)
    return _SECRET_PART.sub(r"\1***", text)
