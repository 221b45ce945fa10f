"""Constant answers and errors (docs/spec/api-conventions.md#errors)."""

from typing import Final

import msgspec

from trackyard.base.error_codes import ErrorCode
from trackyard.edge.http.request import Response

NO_STORE: Final = b"Cache-Control: no-store\r\n"
ACCEPTED_BODY: Final = b'{"status":1}'

encode_json: Final = msgspec.json.Encoder().encode


def error_response(status: int, code: str, text: str, headers: bytes = b"") -> Response:
    """Return an error in the form of docs/spec/api-conventions.md#errors."""
    body = encode_json({"status": 2, "error": text, "message": text, "code": code})
    return Response(status, body, headers=NO_STORE + headers)


JOURNAL_UNWRITABLE: Final = error_response(
    503, ErrorCode.JOURNAL_UNWRITABLE, "Nothing was recorded: try again later", b"Retry-After: 5\r\n"
)
"""The answer when a record could not be written."""
SERVER_ERROR: Final = error_response(500, ErrorCode.SERVER_ERROR, "Server error, Please contact your administrator")
"""The answer to a request that failed by a defect, which is in the log."""
BODY_TOO_LARGE: Final = error_response(413, ErrorCode.TOO_LARGE, "The body is over the limit of 64 KB")
NOT_READY: Final = error_response(503, ErrorCode.NOT_READY, "No rules yet", b"Retry-After: 1\r\n")
