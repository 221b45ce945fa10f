"""Records of the journal without what was erased (docs/retention.md)."""

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
    """The payload of a record as it may be kept: the same object where nothing of it was erased.

    kind: of its frame · clicks: by id those that a call may name, where they are known; a call for a click that is not
    among them is judged by what it says itself. A payload that does not decode comes back as it is: it is no row
    anywhere.
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
    """A click from its payload; None when there is none, or it does not decode."""
    try:
        return None if payload is None else decode_click(payload)
    except msgspec.MsgspecError:
        return None


def without_personal_data(postback: InboundPostback) -> InboundPostback:
    """An inbound call without the personal data in it."""
    return msgspec.structs.replace(redact_record(postback, "call"), params=redact_params(postback.params))


def _erase_visit(erasure: ErasedSubjects, payload: bytes, decode: Any) -> bytes:
    if not erasure.users and not erasure.affiliates and _id_of(payload) not in erasure.clicks:
        return payload  # the id stands near the front: nothing is decoded
    record = decode(payload)
    remaining = redact_erased(erasure, record)
    if remaining is record:
        return payload
    columns = len(msgspec.json.decode(payload, type=list[Raw]))
    return encode(list(msgspec.structs.astuple(remaining))[:columns])  # as the analytic store empties its copy


def _erase_postback(erasure: ErasedSubjects, payload: bytes, clicks: Mapping[str, ErasableRecord]) -> bytes:
    postback = decode_postback(payload)
    if not erasure.has_postback(postback.time, postback.params, clicks.get(postback.params.get("clickid", ""))):
        return payload
    remaining = without_personal_data(postback)
    return payload if remaining == postback else encode(remaining)


def _id_of(payload: bytes) -> str:
    start = payload.find(b'"') + 1
    return payload[start : start + 24].decode("ascii", "replace")
