"""The security log: sign-ins, reads of keys, addresses, held changes.

See docs/spec/callers.md#security-log.
"""

from dataclasses import dataclass
from enum import StrEnum


class SecurityEvent(StrEnum):
    """What happened."""

    SIGN_IN = "sign_in"
    KEYS_READ = "keys_read"
    EMAIL_CONFIRMED = "email_confirmed"
    CHANGE_HELD = "change_held"
    CHANGE_CONFIRMED = "change_confirmed"
    CHANGE_REFUSED = "change_refused"


class SecurityOutcome(StrEnum):
    """The outcome. throttled: the first refusal after too many tries; further refusals are not recorded."""

    ACCEPTED = "accepted"
    WRONG = "wrong"
    THROTTLED = "throttled"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityRecord:
    """One event.

    at: UTC milliseconds.
    actor_kind, actor_id: the account, "" for one that does not exist.
    subject: for a read of keys, the owners' kind and ids; for a held change its kind, subject and id.
    request_id, client_request_id: the platform's id, and the caller's own.
    """

    id: str
    at: int
    event: str
    outcome: str
    actor_kind: str
    actor_id: str
    subject: str
    address: str
    user_agent: str
    request_id: str
    client_request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityFilter:
    """The records of a list; None is any. since, until (exclusive): UTC milliseconds."""

    event: str | None = None
    outcome: str | None = None
    actor_kind: str | None = None
    actor_id: str | None = None
    address: str | None = None
    since: int | None = None
    until: int | None = None
