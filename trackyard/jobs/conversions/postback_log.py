"""The rows of inbound postbacks in the server postback log."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, parse_postback
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.domain.tracking.postback_params import PIXELS
from trackyard.journal.records import InboundPostback
from trackyard.store.statistics.outbox import OutboxRow

WAITING = "waiting"

_SECRETS: Final = frozenset({"secure", "afsecure"})

# Bounded: senders control how often a name begins, so a search from one beginning must be short. The longest spelling
# of a secret name has six characters for each of its eight.
_PAIR_NAME: Final = re.compile(r"(?:^|[&?;])([^&?;=]{6,48}+)=")
_PAIR_VALUE: Final = re.compile(r"[^&;]*")
_JSON_NAME: Final = re.compile(r'"((?:[^"\\]|\\.){6,48}+)"\s*:\s*')
_JSON_VALUE: Final = re.compile(r'"(?:[^"\\]|\\.)*\\?(?:"|\Z)|[^,}\s]+')
_SECRET_PART: Final = re.compile(
    r'(?is)(name\s{0,9}=\s{0,9}"?(?:af)?secure"?[^\r\n]{0,200}+\r?\n(?:[^\r\n]{1,200}+\r?\n){0,9}+\r?\n).*?(?=\r?\n--|\Z)'
)


def parse_record(record: InboundPostback, journal: str, position: int) -> ReceivedPostback:
    """Read the parameters of a recorded postback. position: byte offset of its frame."""
    page = record.page if record.source in PIXELS else None
    return parse_postback(record.id, record.time, record.ip, record.params, journal, position, page)


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
    if "%" not in text and "\\" not in text and "secure" not in text.lower():
        return text
    text = _mask_values(text, _PAIR_NAME, _PAIR_VALUE, unquote_plus, "***")
    text = _mask_values(text, _JSON_NAME, _JSON_VALUE, _json_text, '"***"')
    return _SECRET_PART.sub(r"\1***", text)


def _mask_values(
    text: str, name: re.Pattern[str], value: re.Pattern[str], decode: Callable[[str], str], mask: str
) -> str:
    """Replace the values behind the names that are secret once they are decoded."""
    pieces, kept = [], 0
    for found in name.finditer(text):
        if found.start() >= kept and decode(found[1]).lower() in _SECRETS:
            hidden = value.match(text, found.end())
            if hidden is not None:
                pieces += [text[kept : found.end()], mask]
                kept = hidden.end()
    return "".join(pieces) + text[kept:]


def _json_text(escaped: str) -> str:
    """Return the text of a JSON string without its quotes; what is no JSON as it is."""
    try:
        return str(json.loads(f'"{escaped}"', strict=False))
    except ValueError:
        return escaped
