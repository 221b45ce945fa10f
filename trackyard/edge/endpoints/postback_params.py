"""Parameters of an inbound postback, in the query or in the body (docs/spec/tracking.md#parameters)."""

import zlib
from collections.abc import Container, Iterable
from itertools import chain, islice
from typing import Any, Final

import msgspec
from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError

from trackyard.base.encodings import readable_text
from trackyard.decision.target.queries import MAX_PARAMETERS, clean_text, read_query_params
from trackyard.domain.tracking.forgiven import COMPRESSED, ENCODING, JSON_BODY
from trackyard.domain.tracking.near_misses import forgive_names, forgive_second_query, merge
from trackyard.domain.tracking.postback_params import CLICK_ID_NAMES, POSTBACK_NAMES, canonical_params
from trackyard.edge.http.bounds import MAX_BODY
from trackyard.edge.http.request import Request

# Numbers stay as they were written: an amount must not pass through a float.
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_list = msgspec.json.Decoder(list[dict[str, msgspec.Raw]]).decode
_decode_text = msgspec.json.Decoder(str).decode


MAX_CONTENT_TYPE: Final = 256
"""Bytes of the header; a body of a longer one is not read."""
MAX_PARTS: Final = 64
"""Parts of a multipart body that are read: each costs as much as a click."""
_GZIP: Final = b"\x1f\x8b"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_JSON: Final = b"application/json"


class _TooManyParts(Exception):
    """The body has more than MAX_PARTS parts."""


def postback_params(request: Request) -> tuple[dict[str, str], int]:
    """Return the parameters of a postback by canonical name, and the forgiven faults as bits.

    The body overrides the query. An unreadable parameter is left out: the postback is recorded, and its log record
    lists the missing parameter.
    """
    params, forgiven = read_params(request, POSTBACK_NAMES, CLICK_ID_NAMES)
    return canonical_params(params), forgiven


def read_params(request: Request, names: frozenset[str], click_ids: Iterable[str]) -> tuple[dict[str, str], int]:
    """Return the parameters of a postback or pixel, and the forgiven faults as bits.

    The body overrides the query. names: the known parameters. click_ids: the parameters that contain a click id.
    """
    params, _, forgiven = read_query_params(request.query)
    if request.body:
        sent, body_forgiven = read_body_params(request, names)
        forgiven |= body_forgiven | merge(params, sent)
    if not names.issuperset(params):
        forgiven |= forgive_names(params, names)
    return params, forgiven | forgive_second_query(params, click_ids, names)


def read_body_params(request: Request, names: frozenset[str]) -> tuple[dict[str, str], int]:
    """Return the parameters of a body, and the forgiven faults as bits.

    The body is a form, or a JSON object with texts, numbers and flags.

    names: the parameters to read from JSON
    """
    sent_type = request.headers.get(b"content-type", b"")
    if len(sent_type) > MAX_CONTENT_TYPE:
        return {}, 0
    content_type = sent_type.partition(b";")[0].strip().lower()
    if content_type == b"multipart/form-data":
        return _read_multipart(request), 0
    text = request.body.removeprefix(_BYTE_ORDER_MARK).strip()
    if text[:1] in (b"{", b"["):
        # By texts: the names of a JSON object would hide that a value is Cyrillic.
        pieces = [readable_text(piece) for piece in text.split(b'"')]
        is_other = any(other for _, other in pieces)
        read = _read_json('"'.join(piece for piece, _ in pieces), names)
        if read is not None:
            is_plain = content_type == _JSON and text[:1] == b"{" and not request.body.startswith(_BYTE_ORDER_MARK)
            return read, (0 if is_plain else JSON_BODY) | (ENCODING if is_other else 0)
        if content_type == _JSON:
            return {}, 0
    params, _, forgiven = read_query_params(text)
    return params, forgiven | (JSON_BODY if content_type == _JSON and names.intersection(params) else 0)


def unpacked(request: Request) -> Request | None:
    """Return a request with a body that is not compressed; None = it would be over the limit of a body."""
    if not request.body.startswith(_GZIP):
        return request
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        body = stream.decompress(request.body, MAX_BODY + 1)
    except zlib.error:
        return request  # recorded as it came; its log record names what is missing
    return None if len(body) > MAX_BODY else request.with_body(body, COMPRESSED)


def _read_json(text: str, names: Container[str]) -> dict[str, str] | None:
    """Return the parameters of an object, or of a list of one; None = the text is neither."""
    document = _find_object(text)
    if document is None:
        return None
    near = [name for name in document if name not in names and not (name.islower() and name.isidentifier())]
    wanted = islice(chain((name for name in document if name in names), near), MAX_PARAMETERS)
    read = {name: _scalar_text(bytes(document[name])) for name in wanted}
    return {name: clean_text(value)[0] for name, value in read.items() if value is not None}


def _find_object(text: str) -> dict[str, msgspec.Raw] | None:
    try:
        if text.startswith("{"):
            return _decode(text)
        items = _decode_list(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return items[0] if len(items) == 1 else None


def _scalar_text(raw: bytes) -> str | None:
    if raw.startswith(b'"'):
        return _decode_text(raw)
    if raw[:1] in b"-0123456789":
        return raw.decode("ascii")
    return {b"true": "1", b"false": "0"}.get(raw)


def _read_multipart(request: Request) -> dict[str, str]:
    read: dict[str, str] = {}
    field_count = 0

    def count() -> None:
        nonlocal field_count
        field_count += 1
        if field_count > MAX_PARTS:
            raise _TooManyParts

    def on_field(field: Any) -> None:
        count()
        name = (field.field_name or b"").decode("utf-8", "replace")
        read[name] = clean_text(readable_text(field.value or b"")[0])[0]

    def on_file(file: Any) -> None:
        file.close()
        count()

    try:
        headers = {"Content-Type": request.headers.get(b"content-type", b"")}
        parser = create_form_parser(headers, on_field, on_file)
        parser.write(request.body)
        parser.finalize()
    except (FormParserError, _TooManyParts):
        # The fields before the fault stay: a postback with a clickid is worth more than a clean body.
        return read
    return read
