"""Records of the journal without erased data (docs/retention.md)."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw

from trackyard.domain.platform.erasures import (
    ErasableRecord,
    ErasedSubjects,
    redact_erased,
    redact_params,
    redact_record,
)
from trackyard.domain.tracking.near_misses import plain_click_id
from trackyard.journal.records import (
    Click,
    InboundPostback,
    RecordKind,
    decode_click,
    decode_impression,
    decode_postback,
    encode,
)


def erase_record(
    erasure: ErasedSubjects, kind: int, payload: bytes, clicks: Mapping[str, ErasableRecord] | None = None
) -> bytes:
    """Return the payload of a record without erased data; the same object where nothing was erased.

    kind: the frame's kind
    clicks: known clicks of postbacks, by id; a postback without its click is judged by its own content

    A payload that does not decode is returned as it is: no store has a row of it.
    """
    if not erasure:
        return payload
    try:
        if kind == RecordKind.POSTBACK:
            return _erase_postback(erasure, payload, clicks or {})
        if kind == RecordKind.CLICK:
            return _erase_visit(erasure, payload, decode_click)
        if kind == RecordKind.IMPRESSION:
            return _erase_visit(erasure, payload, decode_impression)
    except msgspec.MsgspecError:
        return payload
    return payload


def find_click(payload: bytes | None) -> Click | None:
    """Return the click of a payload; None = the payload is missing, or does not decode."""
    try:
        return None if payload is None else decode_click(payload)
    except msgspec.MsgspecError:
        return None


def without_personal_data(postback: InboundPostback) -> InboundPostback:
    """Return an inbound postback without its personal data."""
    return msgspec.structs.replace(redact_record(postback, "call"), params=redact_params(postback.params))


def _erase_visit(erasure: ErasedSubjects, payload: bytes, decode: Any) -> bytes:
    if not erasure.users and not erasure.affiliates and _id_of(payload) not in erasure.clicks:
        return payload  # the id is near the front, so that nothing is decoded
    record = decode(payload)
    remaining = redact_erased(erasure, record)
    if remaining is record:
        return payload
    columns = len(msgspec.json.decode(payload, type=list[Raw]))
    return encode(list(msgspec.structs.astuple(remaining))[:columns])  # as the analytic store empties its copy


def _erase_postback(erasure: ErasedSubjects, payload: bytes, clicks: Mapping[str, ErasableRecord]) -> bytes:
    postback = decode_postback(payload)
    click = clicks.get(plain_click_id(postback.params.get("clickid", "")))
    if not erasure.has_postback(postback.time, postback.params, click):
        return payload
    remaining = without_personal_data(postback)
    return payload if remaining == postback else encode(remaining)


def _id_of(payload: bytes) -> str:
    start = payload.find(b'"') + 1
    return payload[start : start + 24].decode("ascii", "replace")
