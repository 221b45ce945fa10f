"""What is written into the journal (docs/spec/engine.md#exactly-once).

A record's payload is one JSON array line in column order; the analytic store's click table has the same
columns in the same order, derived from `Click`, so the projector passes bytes through.
"""

from enum import IntEnum

import msgspec


class RecordKind(IntEnum):
    """The kind of a frame."""

    CLICK = 1
    POSTBACK = 2
    IMPRESSION = 3
    CHECKPOINT = 9


class Click(msgspec.Struct, array_like=True, gc=False):
    """One click as it was decided. `reason` is "" for an accepted click, else the reason of its refusal.

    time: UTC epoch milliseconds · id: 24 hex digits · detail: what in the rule decided · uniq: 0 or 1 ·
    country: ISO code or "" · city_id, region: GeoNames or 0/"" · connection: wi-fi, cellular or "" ·
    device: mobile, tablet, desktop, … or "" · flags: bits of `ClickFlag` · landing, prelanding: id of the
    landing or of the transit page that the link names, 0 = none. Records from before `prelanding` end with `flags`.
    """

    time: int
    id: str
    reason: str
    detail: str
    offer: int
    affiliate: int
    advertiser: str
    landing: int
    smart_id: str
    uniq: int
    ip: str
    country: str
    region: str
    city_id: int
    city: str
    isp: str
    connection: str
    ua: str
    os: str
    os_version: str
    device: str
    brand: str
    device_model: str
    browser: str
    browser_version: str
    language: str
    referrer: str
    sub1: str
    sub2: str
    sub3: str
    sub4: str
    sub5: str
    sub6: str
    sub7: str
    sub8: str
    ref_id: str
    os_id: str
    user_id: str
    ext1: str
    ext2: str
    ext3: str
    fbclid: str
    ios_idfa: str
    android_id: str
    bundle_id: str
    flags: int
    prelanding: int = 0


class Impression(Click, array_like=True, gc=False):
    """One view of a creative, in the form of the click that it may lead to; `landing` and `uniq` are 0."""


class ClickFlag(IntEnum):
    """Things worth knowing about a click that changed nothing else. Bits of `Click.flags`."""

    PARAMETER_CUT = 1
    REDIRECT_IGNORED = 2


class InboundPostback(msgspec.Struct, array_like=True, gc=False):
    """One inbound call (a conversion reported by an advertiser), before anything is made of it.

    time: UTC epoch milliseconds, the conversion's creation time · id: 24 hex digits, of its log record ·
    source: "postback" or a pixel's name · ip, ua: of the caller · query, body: as they came, a
    long body cut · params: by canonical name (aliases resolved: clickid, goal, sum, status, action_id, currency, ip,
    referrer, comment, secure, custom_field1..7, user_id).
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


class Checkpoint(msgspec.Struct, array_like=True, gc=False):
    """A batch mark: everything before it may be loaded as one range. `time`: UTC epoch milliseconds."""

    time: int
    records: int


encode = msgspec.json.Encoder().encode
decode_click = msgspec.json.Decoder(Click).decode
decode_impression = msgspec.json.Decoder(Impression).decode
decode_postback = msgspec.json.Decoder(InboundPostback).decode
decode_checkpoint = msgspec.json.Decoder(Checkpoint).decode
