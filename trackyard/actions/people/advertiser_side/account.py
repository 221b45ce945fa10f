"""The account of an advertiser, for itself (docs/spec/callers.md#advertisers-as-callers)."""

from trackyard.actions.deps import Deps
from trackyard.base.errors import required
from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.scope import Scope
from trackyard.store.people import advertisers


def get_own_advertiser(deps: Deps, advertiser_id: str) -> Advertiser:
    """Return the calling advertiser. Raises NotFound where it was removed meanwhile."""
    with deps.database.read() as conn:
        return required(advertisers.find_advertiser(conn, Scope.everything(), advertiser_id))
