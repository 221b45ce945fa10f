"""Inbound calls: the parameters of a postback, wherever in the request they stand (behaviour.md §4)."""

from typing import Any

import msgspec
from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError

from trackyard.decide.queries import MAX_PARAMETERS, cleaned, read_pairs
from trackyard.domain.call_params import ALIASES, PARAMETERS, named
from trackyard.edge.request import Request

# Numbers stay as they were written: an amount must not pass through a float.
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode


class _Enough(Exception):
    """More fields than a call can have."""


def call_params(request: Request) -> dict[str, str]:
    """The parameters of a call by canonical name, body over query. What cannot be read is left out: the
    call is recorded all the same, and what is missing is told by its log record."""
    given = read_pairs(request.query)[0]
    if request.body:
        given.update(_read_body(request))
    return named(given)


def _read_body(request: Request) -> dict[str, str]:
    content_type = request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if content_type == b"application/json":
        return _read_json(request.body)
    if content_type == b"multipart/form-data":
        return _read_multipart(request)
    return read_pairs(request.body)[0]


def _read_json(body: bytes) -> dict[str, str]:
    try:
        document = _decode(body.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return {}
    read = {name: _scalar_text(bytes(raw)) for name, raw in document.items() if name in PARAMETERS or name in ALIASES}
    return {name: cleaned(text)[0] for name, text in read.items() if text is not None}


def _scalar_text(raw: bytes) -> str | None:
    if raw.startswith(b'"'):
        return _decode_text(raw)
    if raw[:1] in b"-0123456789":
        return raw.decode("ascii")
    return {b"true": "1", b"false": "0"}.get(raw)


def _read_multipart(request: Request) -> dict[str, str]:
    read: dict[str, str] = {}
    seen = 0

    def count() -> None:
        nonlocal seen
        seen += 1
        if seen > MAX_PARAMETERS:
            raise _Enough

    def on_field(field: Any) -> None:
        count()
        name = (field.field_name or b"").decode("utf-8", "replace")
        read[name] = cleaned((field.value or b"").decode("utf-8", "replace"))[0]

    def on_file(file: Any) -> None:
        file.close()
        count()

    try:
        headers = {"Content-Type": request.headers.get(b"content-type", b"")}
        parser = create_form_parser(headers, on_field, on_file)
        parser.write(request.body)
        parser.finalize()
    except (FormParserError, _Enough):
        # What came before the fault stays: a call with a clickid is worth more than a clean body.
        return read
    return read
