"""Expected errors of requests, for any protocol.

Each has an HTTP status, a machine code and a sentence (docs/spec/api-conventions.md#errors), which wire turns into the
body. The hot path raises none of them.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, TypeVar

from trackyard.base.error_codes import ErrorCode

T = TypeVar("T")

Fields = Mapping[str, Sequence[str]]


def _lines(fields: Fields) -> str:
    """Return a line for each sentence, with its name in brackets."""
    return "\n".join(f"[{name}] {sentence}" for name, sentences in fields.items() for sentence in sentences)


class RequestError(Exception):
    """A request that is answered with an error on which the caller can act."""

    status = 400
    code: str = ErrorCode.BAD_REQUEST
    text = "Bad Request"
    retry_after: int | None = None
    """Seconds until another try may succeed, where they are known."""

    def __init__(self, text: str | None = None, *, code: str | None = None, fields: Fields | None = None) -> None:
        self.text = text or self.text
        self.code = code or self.code
        self.fields: Fields | None = fields
        super().__init__(self.text)


class BadInput(RequestError):
    """Parameters that are missing, malformed, out of range, or name unknown things.

    fields: wire name to sentences without the name: `{"offer_id": ["Offer 7 does not exist."]}`.
    """

    code = ErrorCode.BAD_PARAMETERS

    def __init__(self, fields: Fields) -> None:
        super().__init__(_lines(fields), fields=fields)


class Unauthorized(RequestError):
    """The key is missing or unknown, or its affiliate is banned or inactive."""

    status, code, text = 401, ErrorCode.TOKEN_NECESSARY, "Token is necessary"


class WrongCredentials(RequestError):
    """The login or the password is wrong, or its owner may not call."""

    status, code, text = 401, ErrorCode.WRONG_CREDENTIALS, "Wrong login or password"


class AccountNotActive(WrongCredentials):
    """The password is right, and staff said why the account is not active. reason: what they said."""

    code = ErrorCode.ACCOUNT_NOT_ACTIVE

    def __init__(self, reason: str) -> None:
        super().__init__(f"This account is not active: {reason}")


class PasswordEnded(WrongCredentials):
    """The password is right, and was given for 24 hours, which are over."""

    code = ErrorCode.PASSWORD_ENDED
    text = (
        'This password worked for 24 hours, which are over: choose another one with "Forgot your password?" of the '
        "sign-in page, or ask the people who run this network"
    )


class AccountWaits(WrongCredentials):
    """The password is right, and the account waits for a decision of staff. Programs get the same answer."""


class SecondFactorNeeded(RequestError):
    """The password is right, and the account has a second factor."""

    status, code = 401, ErrorCode.SECOND_FACTOR_REQUIRED
    text = "Send otp, too: the present code of your authenticator app, or a recovery code"


class WrongSecondFactor(RequestError):
    """The password is right; the code of the second factor is wrong, or was used before."""

    status, code = 401, ErrorCode.WRONG_SECOND_FACTOR
    text = "This otp is wrong or was used before: send the next code of your authenticator app, or a recovery code"


class CallerNotAllowed(RequestError):
    """Keys of this kind may not call the method."""

    status, code, text = 403, ErrorCode.AUTH_DENIED, "Auth Denied"


class AccessDenied(RequestError):
    """The caller lacks the permission or feature; `code` identifies it."""

    status, code, text = 403, ErrorCode.ACCESS_DENIED, "Access denied"


class NotFound(RequestError):
    """The subject of the path does not exist or is not visible to the caller."""

    status, code, text = 404, ErrorCode.NOT_FOUND, "Resource Not Found"


def required(found: T | None) -> T:
    """Return the found object. Raises NotFound for None."""
    if found is None:
        raise NotFound
    return found


class Conflict(RequestError):
    """A unique value is taken, or a decision was made already.

    fields: as of BadInput. The text has the sentences: `Conflict: [login] This login is taken.`
    """

    status, code, text = 409, ErrorCode.CONFLICT, "Conflict"

    def __init__(self, fields: Fields) -> None:
        super().__init__(f"{self.text}: {_lines(fields)}", fields=fields)


class BodyTooLarge(RequestError):
    """The body is over the limit."""

    status, code, text = 413, ErrorCode.TOO_LARGE, "The body is over the limit of 1 MB"


class UnsupportedMediaType(RequestError):
    """The type of the file is not accepted."""

    status, code, text = 415, ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Unsupported Media Type"


class TooManyRequests(RequestError):
    """The caller is over its rate, or tried to sign in too often.

    retry_after: seconds until another try may succeed.
    """

    status, code, text = 429, ErrorCode.TOO_MANY_REQUESTS, "Too Many Requests"

    def __init__(self, retry_after: int, text: str | None = None, *, code: str | None = None) -> None:
        super().__init__(text, code=code)
        self.retry_after = max(1, retry_after)


class RequestCancelled(RequestError):
    """The client has disconnected, so the answer is not read."""

    code, text = ErrorCode.REQUEST_ENDED, "The request ended too early"


class Unavailable(RequestError):
    """A store cannot be reached, read or written now. retry_after: seconds."""

    status, code, text = 503, ErrorCode.UNAVAILABLE, "The data cannot be read or written now: try again in a minute"

    def __init__(self, text: str | None = None, *, code: str | None = None, retry_after: int = 60) -> None:
        super().__init__(text, code=code)
        self.retry_after = retry_after


NARROWING_HINT: Final = "narrow it by a shorter period, a filter such as filter[offer], or fewer slices"


class ReportTooHeavy(RequestError):
    """A report exceeds its time or memory. The text explains how to narrow it."""

    status, code, text = 503, ErrorCode.REPORT_TOO_HEAVY, f"The report took too long: {NARROWING_HINT}"


class ReportsBusy(ReportTooHeavy):
    """A report found no slot in time. seconds: of its wait, and until the next try."""

    code = ErrorCode.REPORTS_BUSY

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Other reports are running: ask again in {seconds:.0f} seconds, or {NARROWING_HINT}")
        self.retry_after = max(1, ceil(seconds))
