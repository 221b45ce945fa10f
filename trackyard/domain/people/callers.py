"""Who calls: an affiliate, or a staff user with roles (docs/spec/callers.md)."""

from dataclasses import dataclass

from trackyard.domain.people.roles import Permission, Role, permissions_of


@dataclass(frozen=True, slots=True)
class AffiliateCaller:
    """An affiliate that is active. denied: features of domain/people/permissions.py that it may not use."""

    id: int
    denied: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """How logs name it."""
        return f"affiliate:{self.id}"


@dataclass(frozen=True, slots=True)
class StaffCaller:
    """A staff user. `id`: 24 hex digits."""

    id: str
    roles: frozenset[Role]

    @property
    def name(self) -> str:
        """How logs name it."""
        return f"staff:{self.id}"

    def may(self, permission: Permission) -> bool:
        """Whether any of its roles gives the permission."""
        return permission in permissions_of(self.roles)


Caller = AffiliateCaller | StaffCaller
