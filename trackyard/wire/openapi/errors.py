"""The statuses and codes of errors in the OpenAPI document."""

from typing import Any, Final

from trackyard.base.error_codes import ErrorCode

ERRORS: Final = {
    "400": "Parameters that are missing, malformed, out of range, or name what does not exist",
    "401": "Token is necessary: no key, or one that is not valid",
    "403": "Auth Denied (the kind of the key may not call this) or Access denied (`code` has the permission)",
    "404": "Resource Not Found, or Page Not Found",
    "405": "Method Not Allowed",
    "409": "Conflict: a unique value is taken, it was decided before, or the Idempotency-Key came with something else",
    "413": "The body is over the limit",
    "414": "The URL is too long",
    "415": "A file type that is not in the list",
    "429": "Too Many Requests: over the rate, or too many reports at once; Retry-After has the seconds to wait",
    "500": "Server error, Please contact your administrator; with the request's id",
    "503": "The report needs more time or memory than it may have, or others run before it, with how to narrow it; or "
    "a store cannot be reached now. Retry-After has the seconds to wait, where that helps",
}

CODES: Final = {
    "type": "string",
    "enum": [str(code) for code in ErrorCode],
    "description": "\n".join(f"- `{code}`: {code.when}. {code.remedy}." for code in ErrorCode),
}
"""The schema of codes."""


def code_schema(declared: dict[str, Any], refs: str) -> dict[str, Any]:
    """Return the schema of the field `code`, which refers to the schema of codes.

    Names of permissions, features and scopes are codes too, so a client must accept codes that the list lacks.
    """
    named = {"type": "string", "description": "The name of the permission, feature or scope that is missing"}
    texts = {name: value for name, value in declared.items() if name != "type"}
    return texts | {"anyOf": [{"$ref": refs.format(name=ErrorCode.__name__)}, named]}
