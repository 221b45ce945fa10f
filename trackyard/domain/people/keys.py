"""API keys of an account: the first one, and others with limits (docs/spec/callers.md#api-keys)."""

from dataclasses import dataclass
from typing import Final

from trackyard.domain.people.callers import Account
from trackyard.domain.people.key_limits import KeyLimits
from trackyard.domain.tracking.ip_lists import AddressLists

MAX_KEYS: Final = 50
"""Keys of an account that have not ended."""
MAX_NETWORKS: Final = 50
DEFAULT_OVERLAP_HOURS: Final = 24
MAX_OVERLAP_HOURS: Final = 720
"""Hours for which a key that was replaced still works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key, without its secret. Times are UTC milliseconds.

    is_first: the one of the specification, which is shown again and has no limits.
    networks: addresses, networks and ranges from which it is accepted; none = any.
    expires_at: None is never.
    last_used_at: to the minute; None is never.
    successor_id: the key that replaces it, "" without one.
    """

    id: str
    account: Account
    name: str
    is_first: bool
    scopes: tuple[str, ...]
    networks: tuple[str, ...]
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    successor_id: str
    statistics_revenue: str | None
    statistics_rows: str | None

    @property
    def limits(self) -> KeyLimits | None:
        """Return its limits; None for the first key."""
        if self.is_first:
            return None
        addresses = AddressLists(self.networks)
        return KeyLimits(self.id, frozenset(self.scopes), addresses, self.statistics_revenue, self.statistics_rows)
