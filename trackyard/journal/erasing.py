"""Records of the journal without what was erased (docs/retention.md)."""

from collections.abc import Mapping
from typing import Any

import msgspec

from trackyard.domain.platform.erasures import Erased, Visit, emptied_params, erased, without_personal
from trackyard.journal.records import Call, Click, Kind, decode_call, decode_click, decode_view, encode


def cleaned(what: Erased, kind: int, payload: bytes, clicks: Mapping[str, Visit] | None = None) -> bytes:
    """The payload of a record as it may be kept: the same object where nothing of it was erased.

    kind: of its frame · clicks: by id those that a call may name, where they are known; a call for a click that is not
    among them is judged by what it says itself. A payload that does not decode comes back as it is: it is no row
    anywhere.
    """
    if not what:
        return payload
    try:
        if kind == Kind.CALL:
            return _cleaned_call(what, payload, clicks or {})
        if kind == Kind.CLICK:
            return _cleaned_visit(what, payload, decode_click)
        if kind == Kind.VIEW:
            return _cleaned_visit(what, payload, decode_view)
    except msgspec.MsgspecError:
        return payload
    return payload


def find_click(payload: bytes | None) -> Click | None:
    """A click from its payload; None when there is none, or it does not decode."""
    try:
        return None if payload is None else decode_click(payload)
    except msgspec.MsgspecError:
        return None


def without_personal_data(call: Call) -> Call:
    """An inbound call without the personal data in it."""
    return msgspec.structs.replace(without_personal(call, "call"), params=emptied_params(call.params))


def _cleaned_visit(what: Erased, payload: bytes, decode: Any) -> bytes:
    if not what.users and not what.affiliates and _id_of(payload) not in what.clicks:
        return payload  # the id stands near the front: nothing is decoded
    record = decode(payload)
    kept = erased(what, record)
    return payload if kept is record else encode(kept)


def _cleaned_call(what: Erased, payload: bytes, clicks: Mapping[str, Visit]) -> bytes:
    call = decode_call(payload)
    if not what.has_call(call.time, call.params, clicks.get(call.params.get("clickid", ""))):
        return payload
    kept = without_personal_data(call)
    return payload if kept == call else encode(kept)


def _id_of(payload: bytes) -> str:
    start = payload.find(b'"') + 1
    return payload[start : start + 24].decode("ascii", "replace")
