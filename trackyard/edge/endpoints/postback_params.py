"""Inbound calls: the parameters of a postback, wherever in the request they stand
(docs/spec/tracking.md#parameters)."""

from collections.abc import Container
from itertools import islice
from typing import Any, Final

import msgspec
from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError

from trackyard.decision.target.queries import MAX_PARAMETERS, cleaned, read_pairs
from trackyard.domain.tracking.postback_params import ALIASES, PARAMETERS, named
from trackyard.edge.http.request import Request

# Numbers stay as they were written: an amount must not pass through a float.
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode


class _Any:
    def __contains__(self, name: object) -> bool:
        return True


ANY: Final = _Any()
"""Every name."""
_NAMES: Final = PARAMETERS.union(ALIASES)


class _Enough(Exception):
    """More fields than a call can have."""


def call_params(request: Request) -> dict[str, str]:
    """The parameters of a call by canonical name, body over query. What cannot be read is left out: the
    call is recorded all the same, and what is missing is told by its log record."""
    return named(given_params(request, _NAMES))


def given_params(request: Request, names: Container[str] = ANY) -> dict[str, str]:
    """Return the parameters of a request as they are named there, body over query. names: those to read of JSON."""
    given = read_pairs(request.query)[0]
    if request.body:
        given.update(read_body(request, names))
    return given


def read_body(request: Request, names: Container[str] = ANY) -> dict[str, str]:
    """Return the parameters of a body: a form, or the texts, numbers and flags of a JSON object."""
    content_type = request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if content_type == b"application/json":
        return _read_json(request.body, names)
    if content_type == b"multipart/form-data":
        return _read_multipart(request)
    return read_pairs(request.body)[0]


def _read_json(body: bytes, names: Container[str]) -> dict[str, str]:
    try:
        document = _decode(body.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return {}
    wanted = islice((name for name in document if name in names), MAX_PARAMETERS)
    read = {name: _scalar_text(bytes(document[name])) for name in wanted}
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
