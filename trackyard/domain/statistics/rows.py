"""Rows that the worker puts into the outbox for the analytic store (docs/architecture.md#the-idea).

The analytic store derives its tables from these structs: one declaration, column order included.
"""

from decimal import Decimal

import msgspec


class ConversionEvent(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A signed row of a conversion: a change is -1 of the old and +1 of the new, both in one insert.

    Both carry the conversion's creation time and dimensions. sign: 1 or -1 · version: 1, 2, … of the
    conversion · time, click_time: UTC epoch milliseconds · status: the wire number · currency: of sum, charge
    and payout · *_base: the amount in the platform currency at the rate stored with the conversion.
    """

    sign: int
    conversion_id: str
    version: int
    time: int
    click_time: int
    click_id: str
    status: int
    goal: str
    offer: int
    affiliate: int
    advertiser: str
    landing: int
    smart_id: str
    currency: str
    payment_type: str
    sum: Decimal
    charge: Decimal
    payout: Decimal
    charge_base: Decimal
    payout_base: Decimal
    country: str
    region: str
    city_id: int
    city: str
    isp: str
    connection: str
    os: str
    os_version: str
    device: str
    brand: str
    device_model: str
    browser: str
    browser_version: str
    sub1: str
    sub2: str
    sub3: str
    sub4: str
    sub5: str
    sub6: str
    sub7: str
    sub8: str


class ServerPostbackLog(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What became of one inbound call: the server postback log (docs/api/logs.md#get-statsserverpostbacks).

    id: of the call's record · revision: rises when a waiting call is decided; the highest counts ·
    response: "" when it made or changed a conversion, else the text of docs/spec/conversions.md#inbound-postbacks
    ("waiting" while it
    waits) · `secure` in query and body is stored as ***.
    """

    id: str
    revision: int
    time: int
    click_id: str
    conversion_id: str
    offer: int
    affiliate: int
    advertiser: str
    goal: str
    action_id: str
    status: int
    method: str
    ip: str
    ua: str
    query: str
    body: str
    response: str
    journal: str
    position: int


class AffiliatePostbackLog(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One attempt of a call to an affiliate (docs/api/logs.md#get-statsaffiliatepostbacks).

    job_id: the call's id, the same for each attempt · postback_id 0 = the offer's cross_postback_url ·
    version: of the conversion, that the call tells of · http_code 0 = unreachable, or not called · outcome: sent,
    failed, dead, superseded, dropped.
    """

    id: str
    time: int
    job_id: str
    conversion_id: str
    postback_id: int
    offer: int
    affiliate: int
    advertiser: str
    goal: str
    status: int
    http_code: int
    url: str
    attempt: int
    outcome: str
    error: str
    forced: int
    version: int


TARGETS: dict[str, type[ConversionEvent] | type[ServerPostbackLog] | type[AffiliatePostbackLog]] = {
    "fact": ConversionEvent,
    "server_log": ServerPostbackLog,
    "affiliate_log": AffiliatePostbackLog,
}
"""Outbox target, which is also the analytic table's name → the rows it takes."""

encode_row = msgspec.json.Encoder(decimal_format="string").encode
