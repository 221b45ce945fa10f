"""Results of requests to URLs of users, and the URLs as they are sent."""

import hashlib
import hmac
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Final

from yarl import URL

TIMEOUT_S: Final = 10
MAX_BODY: Final = 65_536
KEPT_HEADERS: Final = ("ETag", "Last-Modified", "Location")
MAX_HEADER: Final = 8192


@dataclass(frozen=True, slots=True)
class HttpResult:
    """The result of a request.

    http_code: 0 = unreachable; `error` contains the reason.
    body: the first bytes of the response.
    is_refused: the request was not made, and never will be.
    is_late: no response came in time.
    headers: for a download, the headers from KEPT_HEADERS in the answer, each at most MAX_HEADER characters.
    retry_after: seconds that the receiver wants to wait, 0 = the answer has no `Retry-After`.
    """

    http_code: int
    body: bytes = b""
    error: str = ""
    is_refused: bool = False
    is_late: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_after: int = 0

    @property
    def is_success(self) -> bool:
        """Return whether the receiver accepted the request."""
        return 200 <= self.http_code < 300

    @property
    def is_retryable(self) -> bool:
        """Return whether a retry may succeed: network error, too many requests, or an error of the server."""
        if self.is_refused:
            return False
        return self.http_code == 0 or self.http_code == 429 or self.http_code >= 500


def read_retry_after(text: str, now_s: float) -> int:
    """Return the seconds of a `Retry-After`, which has a number or a date; 0 for every other text."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return int(text[:9])
    try:
        return max(0, math.ceil(parsedate_to_datetime(text).timestamp() - now_s))
    except (ValueError, OverflowError):
        return 0


class SitePart(StrEnum):
    """What a request to a site needs, in the order in which it needs it."""

    NAME = "name"
    CONNECTION = "connection"
    CERTIFICATE = "certificate"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The beginning of an answer. status: 0 = no answer came; `error` contains the reason.

    location: the redirect target. milliseconds: from the start to the first byte of the answer.
    """

    status: int
    location: str = ""
    milliseconds: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class SiteLook:
    """The result of a request to a site: how far it got.

    fault: the part that failed, None = none; `error` contains the reason. status, body: status and body of the answer.
    certificate_end: when the site's certificate ends, Unix seconds; None = the site showed no valid certificate.
    """

    fault: SitePart | None = None
    error: str = ""
    status: int = 0
    body: bytes = b""
    certificate_end: int | None = None


def wire_url(url: str) -> str:
    """Return a URL as it is sent and signed; `url` itself when it is malformed."""
    try:
        return str(target_of(url))
    except ValueError:
        return url


def signature(secret: str, second: int, url: str) -> str:
    """Return the X-Trackyard-Signature of a request: `t=<UTC second>,v1=<HMAC-SHA256 of "t.url">`."""
    mac = hmac.new(secret.encode(), f"{second}.{url}".encode(), hashlib.sha256)
    return f"t={second},v1={mac.hexdigest()}"


def target_of(url: str) -> URL:
    """Return a URL without its fragment. Raises ValueError for one that cannot be called."""
    try:
        target = URL(url).with_fragment(None)
    except ValueError as error:
        part = "port" if re.search(r"\bport\b", str(error), re.IGNORECASE) else "host"
        raise ValueError(f"its {part} is not one") from error
    if target.scheme not in ("http", "https") or not target.host:
        raise ValueError("it needs http:// or https:// and a host")
    return target
