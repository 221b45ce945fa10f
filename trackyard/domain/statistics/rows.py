"""Rows that the worker puts into the outbox for the analytic store (docs/architecture.md#the-idea).

The analytic store derives its tables from these structs: one declaration, column order included.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec

from trackyard.domain.statistics.click_columns import EVENT_COLUMNS, FIELDS, LowText


class ConversionEventFields(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The columns of a conversion event that are not copied from its click.

    sign: 1 or -1
    version: 1, 2, … of the conversion
    time, click_time: UTC epoch milliseconds; `time` is the creation time of the conversion
    status: the wire number
    currency: of sum, charge and payout
    *_base: the amount in the platform currency at the rate stored with the conversion
    """

    sign: int
    conversion_id: str
    version: int
    time: int
    click_time: int
    click_id: str
    status: int
    goal: LowText
    offer: int
    affiliate: int
    advertiser: LowText
    landing: int
    smart_id: LowText
    currency: LowText
    payment_type: LowText
    sum: Decimal
    charge: Decimal
    payout: Decimal
    charge_base: Decimal
    payout_base: Decimal


CLICK_COLUMNS = tuple(name for name in EVENT_COLUMNS if name not in ("offer", "affiliate", "advertiser"))
"""The columns that an event copies from its click."""

CUSTOM_FIELD_COLUMNS = tuple(f"custom_field_{number}" for number in range(1, 16))
"""The columns for custom fields of a conversion. They are declared for reports by custom field and are empty so far."""

_LATER_COLUMNS = ("prelanding", "origin")
"""Columns of a click that events have at their end: events that were written before them end earlier."""


def _of_click(names: Iterable[str]) -> list[tuple[str, Any, Any]]:
    return [(name, FIELDS[name].type, FIELDS[name].default) for name in names]


ConversionEvent: Any = msgspec.defstruct(
    "ConversionEvent",
    [
        *_of_click(
            name for name in CLICK_COLUMNS if name not in (*ConversionEventFields.__struct_fields__, *_LATER_COLUMNS)
        ),
        *((name, str, "") for name in CUSTOM_FIELD_COLUMNS),
        *_of_click(_LATER_COLUMNS),
        ("goal_key", LowText, ""),
        ("refund_id", str, ""),
    ],
    bases=(ConversionEventFields,),
    module=__name__,
    array_like=True,
    frozen=True,
    gc=False,
)
"""A signed row of a conversion, with the columns of its click.

A change is -1 of the old state and +1 of the new one, both in one insert.

goal_key: the goal as it is compared, "" = as `goal`. refund_id: of the refund that made this version, "" = none did.
"""


class ServerPostbackLog(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A line of the server postback log: the result of one inbound postback.

    docs/api/logs.md#get-statsserverpostbacks
    id: the id of the postback's record.
    revision: rises when a waiting postback is decided; the highest counts.
    response: "" when it made or changed a conversion, "waiting", or a text of
    docs/spec/conversions.md#inbound-postbacks.
    query, body: `secure` is stored as ***.
    forgiven: faults of the postback that were accepted all the same, as bits, 0 = none
    refund_id: the id of the refund, "" = the postback is not a refund
    """

    id: str
    revision: int
    time: int
    click_id: str
    conversion_id: str
    offer: int
    affiliate: int
    advertiser: LowText
    goal: LowText
    action_id: str
    status: int
    method: LowText
    ip: str
    ua: str
    query: str
    body: str
    response: LowText
    journal: LowText
    position: int
    forgiven: int = 0
    refund_id: str = ""


class AffiliatePostbackLog(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One attempt of a delivery to an affiliate (docs/api/logs.md#get-statsaffiliatepostbacks).

    job_id: id of the delivery, the same for each attempt
    postback_id: 0 = the offer's cross_postback_url
    version: the version of the conversion that the delivery reports
    http_code: 0 = the receiver was unreachable, or no request was made
    outcome: sent, failed, dead, superseded or dropped
    started_at: UTC ms, 0 = no request was made
    milliseconds: from the start to the end of the answer
    answer: the first 256 bytes of the answer
    """

    id: str
    time: int
    job_id: str
    conversion_id: str
    postback_id: int
    offer: int
    affiliate: int
    advertiser: LowText
    goal: LowText
    status: int
    http_code: int
    url: str
    attempt: int
    outcome: LowText
    error: LowText
    forced: int
    version: int
    started_at: int = 0
    milliseconds: int = 0
    answer: str = ""


TARGETS: dict[str, type[msgspec.Struct]] = {
    "fact": ConversionEvent,
    "server_log": ServerPostbackLog,
    "affiliate_log": AffiliatePostbackLog,
}
"""Outbox target, which is the analytic table's name, to its type of rows."""

encode_row = msgspec.json.Encoder(decimal_format="string").encode
