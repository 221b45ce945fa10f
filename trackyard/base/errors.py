"""Expected refusals of a request, whatever the caller's protocol.

Each names its HTTP status, a machine code and a sentence (docs/spec/api-conventions.md#errors); wire turns them into
the body. Nothing on the hot path raises these.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, TypeVar

T = TypeVar("T")

Fields = Mapping[str, Sequence[str]]


class RequestError(Exception):
    """A request that is answered with an error the caller can act on."""

    status = 400
    code = "bad_request"
    text = "Bad Request"
    retry_after: int | None = None
    """Seconds until it is worth another try, where that is known."""

    def __init__(self, text: str | None = None, *, code: str | None = None, fields: Fields | None = None) -> None:
        self.text = text or self.text
        self.code = code or self.code
        self.fields: Fields | None = fields
        super().__init__(self.text)


class BadInput(RequestError):
    """Parameters that are missing, malformed, out of range, or name what does not exist.

    `fields` maps a wire name to sentences without the name: `{"offer_id": ["Offer 7 does not exist."]}`.
    """

    code = "bad_parameters"

    def __init__(self, fields: Fields) -> None:
        lines = [f"[{name}] {sentence}" for name, sentences in fields.items() for sentence in sentences]
        super().__init__("\n".join(lines), fields=fields)


class Unauthorized(RequestError):
    """No key, an unknown one, or one of a banned or not active affiliate."""

    status, code, text = 401, "token_necessary", "Token is necessary"


class WrongCredentials(RequestError):
    """Nobody has this login and password, or who has them may not call."""

    status, code, text = 401, "wrong_credentials", "Wrong login or password"


class CallerNotAllowed(RequestError):
    """The kind of the key may not call the method."""

    status, code, text = 403, "auth_denied", "Auth Denied"


class AccessDenied(RequestError):
    """A staff user without the permission, or an affiliate that is denied it; `code` names it."""

    status, code, text = 403, "access_denied", "Access denied"


class NotFound(RequestError):
    """The thing named by the path does not exist or is not the caller's to see."""

    status, code, text = 404, "not_found", "Resource Not Found"


def required(found: T | None) -> T:
    """Return what was found. Raises NotFound for None."""
    if found is None:
        raise NotFound
    return found


class Conflict(RequestError):
    """A unique value is taken, or a decision was already made."""

    status, code, text = 409, "conflict", "Conflict"

    def __init__(self, fields: Fields) -> None:
        super().__init__(fields=fields)


class BodyTooLarge(RequestError):
    """The body is over the limit."""

    status, code, text = 413, "too_large", "The body is over the limit of 1 MB"


class UnsupportedMediaType(RequestError):
    """A file type that is not in the list."""

    status, code, text = 415, "unsupported_media_type", "Unsupported Media Type"


class TooManyRequests(RequestError):
    """Over the key's rate, or too many tries to sign in. `retry_after`: seconds until it is worth another try."""

    status, code, text = 429, "too_many_requests", "Too Many Requests"

    def __init__(self, retry_after: int, *, code: str | None = None) -> None:
        super().__init__(code=code)
        self.retry_after = max(1, retry_after)


class RequestCancelled(RequestError):
    """Who asked has gone; nobody reads the answer."""

    code, text = "request_ended", "The request ended too early"


class Unavailable(RequestError):
    """A store that is needed cannot be reached, read or written now; `retry_after`: seconds."""

    status, code, text = 503, "unavailable", "The data cannot be read or written now: try again in a minute"

    def __init__(self, text: str | None = None, *, code: str | None = None, retry_after: int = 60) -> None:
        super().__init__(text, code=code)
        self.retry_after = retry_after


NARROWING_HINT: Final = "narrow it by a shorter period, a filter such as filter[offer], or fewer slices"


class ReportTooHeavy(RequestError):
    """A report over the time or the memory that one may take; the text says how to narrow it."""

    status, code, text = 503, "report_too_heavy", f"The report took too long: {NARROWING_HINT}"


class ReportsBusy(ReportTooHeavy):
    """A report that found no place among others in time. `seconds`: that it waited, and may wait until the next try."""

    code = "reports_busy"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Other reports are running: ask again in {seconds:.0f} seconds, or {NARROWING_HINT}")
        self.retry_after = max(1, ceil(seconds))
