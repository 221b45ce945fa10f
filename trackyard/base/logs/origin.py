"""Where the request comes from that a line of the log is about."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The origin of an API request; fields are "" outside of one.

    id: the platform's unique id.
    client_id: the caller's own X-Request-Id, cut and cleaned.
    shown_id: the id in the answer.
    address, user_agent: the client's IP address and user agent.
    """

    id: str = ""
    client_id: str = ""
    shown_id: str = ""
    address: str = ""
    user_agent: str = ""


request_origin: ContextVar[RequestOrigin] = ContextVar("request_origin", default=RequestOrigin())  # noqa: B039
"""The origin of the request that this context serves."""
