"""Use cases of the affiliates that advertisers reject, or that alone may use their offers.

See docs/api/advertisers.md#post-adminadvertiserdisable-affiliate.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.domain.people.advertisers import AffiliateLists
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, blacklist
from trackyard.store.tracking import rulesets

AFFILIATE_LISTS: Final = {"affiliates_enabled": True, "affiliates_disabled": False}
"""The lists of affiliates that an advertiser has, and whether an affiliate of each may use its offers."""


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


def set_affiliate_lists(
    conn: Connection, access: Access, advertiser_id: str, lists: Mapping[str, Sequence[int]], now_ms: int
) -> None:
    """Replace the given lists of affiliates. lists: affiliates by the list's name.

    Raises BadInput for an affiliate in both of them, or that does not exist and was not listed before.
    """
    stored = blacklist.lists_of(conn, [advertiser_id]).get(advertiser_id, AffiliateLists())
    listed = {*stored.enabled, *stored.disabled}
    new = {number for numbers in lists.values() for number in numbers} - listed
    scope = scope_of(conn, access)
    known = {number for number in affiliates.names_of(conn, new) if scope.has_affiliate(number)}
    faults: dict[str, list[str]] = {}
    for name, numbers in lists.items():
        absent = [number for number in numbers if number in new and number not in known]
        if absent:
            faults[name] = [f"An affiliate {number} does not exist." for number in absent]
    twice = sorted(set(lists.get("affiliates_enabled", ())) & set(lists.get("affiliates_disabled", ())))
    if twice:
        faults["affiliates_disabled"] = [f"Affiliate {twice[0]} is in affiliates_enabled, too; send it in one list."]
    if faults:
        raise BadInput(faults)
    for name, numbers in lists.items():
        blacklist.set_list(conn, advertiser_id, list(dict.fromkeys(numbers)), now_ms, enabled=AFFILIATE_LISTS[name])


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
