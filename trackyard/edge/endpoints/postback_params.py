"""Parameters of an inbound postback, in the query or in the body (docs/spec/tracking.md#parameters)."""

from collections.abc import Container
from itertools import islice
from typing import Any, Final

import msgspec
from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError

from trackyard.decision.target.queries import MAX_PARAMETERS, clean_text, read_query_params
from trackyard.domain.tracking.postback_params import CLICK_ID_ALIASES, POSTBACK_PARAMETERS, canonical_params
from trackyard.edge.http.request import Request

# Numbers stay as they were written: an amount must not pass through a float.
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode


MAX_CONTENT_TYPE: Final = 256
"""Bytes of the header; a body of a longer one is not read."""
MAX_PARTS: Final = 64
"""Parts of a multipart body that are read: each costs as much as a click."""
_POSTBACK_PARAMETERS: Final = POSTBACK_PARAMETERS.union(CLICK_ID_ALIASES)


class _TooManyParts(Exception):
    """The body has more than MAX_PARTS parts."""


def postback_params(request: Request) -> dict[str, str]:
    """Return the parameters of a postback by canonical name, body over query.

    What cannot be read is left out: the postback is recorded, and its log record names what is missing.
    """
    return canonical_params(read_params(request, _POSTBACK_PARAMETERS))


def read_params(request: Request, names: Container[str] | None = None) -> dict[str, str]:
    """Return the parameters of a request by their names there, body over query.

    names: of the parameters to read from JSON, None = all
    """
    params = read_query_params(request.query)[0]
    if request.body:
        params.update(read_body_params(request, names))
    return params


def read_body_params(request: Request, names: Container[str] | None = None) -> dict[str, str]:
    """Return the parameters of a body: a form, or the texts, numbers and flags of a JSON object."""
    sent_type = request.headers.get(b"content-type", b"")
    if len(sent_type) > MAX_CONTENT_TYPE:
        return {}
    content_type = sent_type.partition(b";")[0].strip().lower()
    if content_type == b"application/json":
        return _read_json(request.body, names)
    if content_type == b"multipart/form-data":
        return _read_multipart(request)
    return read_query_params(request.body)[0]


def _read_json(body: bytes, names: Container[str] | None) -> dict[str, str]:
    try:
        document = _decode(body.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return {}
    wanted = islice((name for name in document if names is None or name in names), MAX_PARAMETERS)
    read = {name: _scalar_text(bytes(document[name])) for name in wanted}
    return {name: clean_text(text)[0] for name, text in read.items() if text is not None}


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
        read[name] = clean_text((field.value or b"").decode("utf-8", "replace"))[0]

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
