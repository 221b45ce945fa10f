"""The body of an error, and the wire name of each fault that pydantic finds.

See docs/spec/api-conventions.md#errors.
"""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import ValidationError

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import RequestError
from trackyard.wire.request.brackets import wire_name

SERVER_ERROR = "Server error, Please contact your administrator"
REQUIRED = "This value is required."

_SENTENCES = {"missing": REQUIRED, "model_type": "This value must hold named values."}


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """The body of an error. `error` and `message` are the same text; programs read one of them."""

    status: int = 2
    error: str
    message: str
    code: str
    fields: dict[str, list[str]] | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class PageNotFound(RequestError):
    """No method has this path."""

    status, code, text = 404, ErrorCode.PAGE_NOT_FOUND, "Page Not Found"


class MethodNotAllowed(RequestError):
    """The path exists with other methods."""

    status, code, text = 405, ErrorCode.METHOD_NOT_ALLOWED, "Method Not Allowed"

    def __init__(self, allowed: list[str]) -> None:
        super().__init__()
        self.allowed = allowed


def body_of(refusal: RequestError) -> ErrorBody:
    """Return the body of a refusal."""
    fields = refusal.fields
    return ErrorBody(
        error=refusal.text,
        message=refusal.text,
        code=refusal.code,
        fields=UNSET if fields is None else {name: list(sentences) for name, sentences in fields.items()},
    )


def server_error(request_id: str) -> ErrorBody:
    """Return the body of a defect of the program: it has only the id of the request."""
    return ErrorBody(error=SERVER_ERROR, message=SERVER_ERROR, code=ErrorCode.SERVER_ERROR, request_id=request_id)


def faults_of(error: ValidationError) -> dict[str, list[str]]:
    """Return sentences by wire name, in the order in which they were found."""
    fields: dict[str, list[str]] = {}
    for finding in error.errors(include_url=False, include_input=False):
        place = [key for key in finding["loc"] if key != "[key]"]  # pydantic's mark for "the key itself"
        name = wire_name(place) if place else "parameters"
        fields.setdefault(name, []).append(_sentence(finding))
    return fields


def _sentence(finding: Any) -> str:
    cause = finding.get("ctx", {}).get("error")
    if isinstance(cause, ValueError):
        return str(cause)
    return _SENTENCES.get(finding["type"], f"{finding['msg']}.")
