"""Use cases of blacklists of advertisers.

See docs/api/advertisers.md#post-adminadvertiserdisable-affiliate.
"""

from collections.abc import Collection

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, blacklist
from trackyard.store.tracking import rulesets


def block_affiliate(deps: Deps, access: Access, advertiser_ids: Collection[str], affiliate_id: int) -> None:
    """Put an affiliate on the blacklist of advertisers, all or none.

    Raises BadInput for what does not exist or is out of scope.
    """
    with deps.database.write() as conn:
        _check(conn, access, advertiser_ids, affiliate_id)
        blacklist.add(conn, affiliate_id, advertiser_ids, deps.clock.now_ms())
        rulesets.touch_all(conn, "advertiser", advertiser_ids)


def unblock_affiliate(deps: Deps, access: Access, advertiser_ids: Collection[str], affiliate_id: int) -> set[str]:
    """Remove an affiliate from blacklists; return the advertisers that had it. Raises BadInput."""
    with deps.database.write() as conn:
        _check(conn, access, advertiser_ids, affiliate_id)
        unblocked = blacklist.remove(conn, affiliate_id, advertiser_ids)
        rulesets.touch_all(conn, "advertiser", sorted(unblocked))
        return unblocked


def _check(conn: Connection, access: Access, advertiser_ids: Collection[str], affiliate_id: int) -> None:
    scope: Scope = scope_of(conn, access)
    known = advertisers.titles_of(conn, advertiser_ids)
    faults = {}
    absent = [each for each in advertiser_ids if each not in known or not scope.has_advertiser(each)]
    if absent:
        faults["advertisers_id"] = [f"An advertiser {each} does not exist." for each in absent]
    if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
        faults["pid"] = [f"An affiliate {affiliate_id} does not exist."]
    if faults:
        raise BadInput(faults)
