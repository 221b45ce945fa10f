"""The records of the journal (docs/spec/engine.md#exactly-once).

The payload of a record is one line: a JSON array in the order of columns. The columns of clicks are declared in
domain/statistics/click_columns.py. The click table of the analytic store has the same columns in the same order, and
the projector passes bytes through. Columns with a default may be missing at the end.
"""

from enum import IntEnum
from typing import Final

import msgspec

from trackyard.domain.statistics.click_columns import FIELDS, Click, Impression

__all__ = [
    "Checkpoint", "Click", "ClickFlag", "Impression", "InboundPostback", "RecordKind", "decode_checkpoint",
    "decode_click", "decode_impression", "decode_postback", "encode", "encode_click",
]  # fmt: skip


class RecordKind(IntEnum):
    """The kind of a frame."""

    CLICK = 1
    POSTBACK = 2
    IMPRESSION = 3
    CHECKPOINT = 9


class ClickFlag(IntEnum):
    """Bits of `Click.flags`: facts about a click that changed nothing else."""

    PARAMETER_CUT = 1
    REDIRECT_IGNORED = 2


class InboundPostback(msgspec.Struct, array_like=True, gc=False):
    """One inbound postback, as it came.

    time: UTC epoch milliseconds, the creation time of the conversion
    id: the id of its log record, 24 hex digits
    source: "postback" or the name of a pixel
    ip, ua: the caller's IP address and user agent
    query, body: as they came, a long body cut
    params: by canonical name (clickid, goal, sum, status, action_id, currency, ip, referrer, comment, secure,
        custom_field1..7, user_id)
    page: the host of the page, for a pixel; "" = unknown
    forgiven: faults of the request that were accepted all the same, bits of domain/tracking/forgiven.py
    """

    time: int
    id: str
    source: str
    method: str
    ip: str
    ua: str
    query: str
    body: str
    params: dict[str, str]
    page: str = ""
    forgiven: int = 0


class Checkpoint(msgspec.Struct, array_like=True, gc=False):
    """The end of a batch: everything before may be loaded as one range. `time`: UTC ms."""

    time: int
    records: int


encode = msgspec.json.Encoder().encode
decode_click = msgspec.json.Decoder(Click).decode
decode_impression = msgspec.json.Decoder(Impression).decode
decode_postback = msgspec.json.Decoder(InboundPostback).decode
decode_checkpoint = msgspec.json.Decoder(Checkpoint).decode

_DEFAULT_ENDS: Final = tuple(
    b",%b]" % encode(info.default) for info in reversed(tuple(FIELDS.values())) if info.default is not msgspec.NODEFAULT
)
"""The defaults of the last columns as ends of records, the last column first."""


def encode_click(click: Click) -> bytes:
    """Return the record of a click or an impression without the defaults at its end.

    So an old record does not grow when its personal data is emptied.
    """
    record = encode(click)
    for end in _DEFAULT_ENDS:
        if not record.endswith(end):
            break
        record = record[: -len(end)] + b"]"
    return record
