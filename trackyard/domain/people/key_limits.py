"""What an API key may be used for: scopes, addresses, switches (docs/spec/callers.md#api-keys)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.ip_lists import AddressLists

READ: Final = "read"
WRITE: Final = "write"
AREAS: Final = tuple(
    dict.fromkeys(each.partition(".")[0] for each in Permission if each not in (Permission.NONE, Permission.ACCOUNT))
)
SCOPES: Final = (READ, WRITE, *AREAS)
"""What a key may have: methods that read, methods that write, and areas of permissions. Without an area, all areas."""
CREDENTIALS: Final = "credentials"
"""What no key but the first has: making keys, and changing passwords."""


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """What a key may be used for. The first key of an account has no limits.

    id: 24 hex digits.
    statistics_revenue, statistics_rows: override the switches of its owner; None = as its owner.
    """

    id: str
    scopes: frozenset[str] = frozenset()
    addresses: AddressLists = field(default_factory=AddressLists)
    statistics_revenue: str | None = None
    statistics_rows: str | None = None

    @property
    def switches(self) -> dict[str, str | None]:
        """Return the switches of statistics that the key overrides."""
        return {"statistics_revenue": self.statistics_revenue, "statistics_rows": self.statistics_rows}

    def find_missing_scope(self, permission: Permission, *, writes: bool, credentials: bool) -> str | None:
        """Return the scope that a method requires and the key lacks; None when the key has all of them."""
        if credentials or permission is Permission.ACCOUNT:
            return CREDENTIALS
        kind = WRITE if writes else READ
        if kind not in self.scopes:
            return kind
        area = permission.partition(".")[0]
        areas = self.scopes.difference((READ, WRITE))
        return area if areas and area in AREAS and area not in areas else None


def may_write(key: KeyLimits | None, permission: Permission) -> bool:
    """Return whether a key leaves its owner a permission that writes.

    Secrets are shown to such keys alone.
    """
    return key is None or key.find_missing_scope(permission, writes=True, credentials=False) is None


def ordered_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return scopes once each, in the order of `SCOPES`."""
    given = frozenset(scopes)
    return tuple(scope for scope in SCOPES if scope in given)
