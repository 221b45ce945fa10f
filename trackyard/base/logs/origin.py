"""Where the request comes from that a line of the log is about."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """Where a request of the API comes from; "" outside of one.

    id: ours, unique.
    client_id: the caller's own X-Request-Id, cut and cleaned.
    shown_id: the one that the answer has.
    address, user_agent: of the client.
    """

    id: str = ""
    client_id: str = ""
    shown_id: str = ""
    address: str = ""
    user_agent: str = ""


request_origin: ContextVar[RequestOrigin] = ContextVar("request_origin", default=RequestOrigin())  # noqa: B039
"""The origin of the request that this context serves."""
