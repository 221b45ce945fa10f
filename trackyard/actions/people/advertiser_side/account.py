"""The account of an advertiser, for itself (docs/spec/callers.md#advertisers-as-callers)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people.advertisers import platform_code
from trackyard.base.errors import required
from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers


@dataclass(frozen=True, slots=True)
class OwnAdvertiser:
    """The calling advertiser. needs_platform_code: whether its postbacks need a code that is not its own."""

    advertiser: Advertiser
    needs_platform_code: bool


def get_own_advertiser(deps: Deps, advertiser_id: str) -> OwnAdvertiser:
    """Return the calling advertiser. Raises NotFound where it was removed meanwhile."""
    with deps.database.read() as conn:
        return _found(conn, advertiser_id)


def edit_own_advertiser(deps: Deps, advertiser_id: str, given: Mapping[str, Any]) -> OwnAdvertiser:
    """Change contact data of the calling advertiser. Raises NotFound.

    given: new values by field of Advertiser.
    """
    with deps.database.write() as conn:
        _found(conn, advertiser_id)
        advertisers.edit_advertiser(conn, advertiser_id, {**given, "updated_at": deps.clock.now_ms()})
        return _found(conn, advertiser_id)


def _found(conn: Connection, advertiser_id: str) -> OwnAdvertiser:
    found = required(advertisers.find_advertiser(conn, Scope.everything(), advertiser_id))
    return OwnAdvertiser(found, not found.hash_password and bool(platform_code(conn)))
