"""Sessions: keys that a password gives, and when they end (docs/spec/callers.md#sessions)."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.domain.people.callers import Account
from trackyard.domain.people.roles import Role

MAX_SESSIONS: Final = 10
"""Sessions of an account; another one ends the oldest."""

BROWSER_KEY: Final = "browser-"
"""The beginning of the key of a session in a browser's cookie. The API accepts no such key."""

MAX_USER_AGENT: Final = 300
"""Characters of a user agent that a session keeps."""


class SecondFactorRule(StrEnum):
    """Accounts that may not work in a session without a second factor."""

    NONE = "none"
    ADMINISTRATORS = "administrators"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class SessionPolicy:
    """The lengths of sessions in milliseconds.

    lifetime_ms: from the sign-in on.
    idle_ms: from the last request on.
    second_factor: the accounts with sessions that need one.
    """

    lifetime_ms: int = 12 * 3_600_000
    idle_ms: int = 2 * 3_600_000
    second_factor: SecondFactorRule = SecondFactorRule.NONE

    def needs_second_factor(self, roles: Collection[Role]) -> bool:
        """Return whether sessions of a staff user with these roles need a second factor."""
        match self.second_factor:
            case SecondFactorRule.NONE:
                return False
            case SecondFactorRule.ADMINISTRATORS:
                return Role.ADMIN in roles
            case SecondFactorRule.STAFF:
                return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session of an account. Times are UTC milliseconds; it ends at the earlier of its two ends.

    last_used_at: the time of its last request, to the minute.
    idle_until: its end unless another request comes.
    expires_at: its end in any case.
    address, user_agent: the IP address and user agent of the sign-in; "" = unknown.
    second_factor: whether the sign-in had a second factor.
    """

    id: str
    account: Account
    created_at: int
    last_used_at: int
    idle_until: int
    expires_at: int
    address: str = ""
    user_agent: str = ""
    second_factor: bool = False
