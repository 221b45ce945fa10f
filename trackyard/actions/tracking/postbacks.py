"""Postbacks of affiliates (docs/api/postbacks.md)."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.own_hosts import require_other_host
from trackyard.base.errors import BadInput, NotFound, required
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.postbacks import NewPostback, PostbackFilter, StoredPostback
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import affiliates
from trackyard.store.tracking import postbacks
from trackyard.store.tracking.pauses import resumed_columns

MAX_POSTBACKS: Final = 50
"""Postbacks up to which an affiliate adds its own; staff may add more for it."""


def add_postback(
    deps: Deps, access: Access, *, pid: int | None, offer_id: int | None, url: str, status: str | None, goal: str | None
) -> StoredPostback:
    """Add a postback for one offer (None = for all). Raises NotFound, BadInput."""
    now = deps.clock.now_ms()
    if isinstance(access.caller, AffiliateCaller) and pid not in (None, access.caller.id):
        raise NotFound
    with deps.database.write() as conn:
        owner = owner_for(conn, access, pid, offer_id)
        if access.affiliate_id is not None:
            _require_room(conn, owner)
        require_other_host(deps, conn, url)
        new = NewPostback(owner, offer_id, url, status, goal, forced=False, created_at=now, updated_at=now)
        return StoredPostback(id=postbacks.add_postback(conn, new), **asdict(new))


def get_postback(deps: Deps, access: Access, postback_id: int) -> StoredPostback:
    """Return the postback of an id, of an affiliate in scope. Raises NotFound."""
    with deps.database.read() as conn:
        return _found(conn, access, postback_id)


def edit_postback(deps: Deps, access: Access, postback_id: int, changes: dict[str, Any]) -> StoredPostback:
    """Change columns of a postback, and resume it; another affiliate_id moves it to that affiliate.

    Raises NotFound when it was removed meanwhile, BadInput for an affiliate that does not exist or is out of scope.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        before = _found(conn, access, postback_id, lock=True)
        if "affiliate_id" in changes:
            _affiliate(conn, scope_of(conn, access), changes["affiliate_id"], "pid")
        if changes.get("url", before.url) != before.url:
            require_other_host(deps, conn, changes["url"])
        changes = changes | resumed_columns() | {"updated_at": now}
        postbacks.edit_postback(conn, before.id, changes)
    return replace(before, **changes)


def resume_postback(deps: Deps, access: Access, postback_id: int) -> StoredPostback:
    """Resume a paused postback; one that is not paused stays as it is. Raises NotFound."""
    with deps.database.write() as conn:
        before = _found(conn, access, postback_id, lock=True)
        postbacks.edit_postback(conn, before.id, resumed_columns())
    return replace(before, **resumed_columns())


def remove_postback(deps: Deps, access: Access, postback_id: int) -> StoredPostback:
    """Remove a postback and return it. Raises NotFound."""
    with deps.database.write() as conn:
        removed = _found(conn, access, postback_id, lock=True)
        postbacks.remove_postback(conn, removed.id)
    return removed


def remove_of_affiliates(deps: Deps, access: Access, affiliate_ids: Iterable[int]) -> int:
    """Remove every postback of these affiliates, all or none; return how many.

    Raises BadInput for an affiliate that does not exist or is out of scope.
    """
    wanted = sorted(set(affiliate_ids))
    if not wanted:
        return 0
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        known = affiliates.names_of(conn, wanted)
        unknown = [number for number in wanted if number not in known or not scope.has_affiliate(number)]
        if unknown:
            raise BadInput({"ids": [f"An affiliate {number} does not exist." for number in unknown]})
        return postbacks.remove_of_affiliates(conn, wanted)


def remove_of_offers(deps: Deps, access: Access, offer_ids: Iterable[int]) -> int:
    """Remove the postbacks for these offers of affiliates in scope, all or none; return how many.

    Raises BadInput for an offer that the caller does not know. One that was removed, or that an affiliate may not use
    any more, is known while there are postbacks for it.
    """
    wanted = sorted(set(offer_ids))
    if not wanted:
        return 0
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        own = access.affiliate_id
        known = offers.visible_among(conn, wanted, own) | postbacks.offers_with(conn, scope, wanted)
        unknown = [number for number in wanted if number not in known]
        if unknown:
            raise BadInput({"ids": [f"An offer {number} does not exist." for number in unknown]})
        return postbacks.remove_of_offers(conn, scope, wanted)


def list_postbacks(
    deps: Deps, access: Access, chosen: PostbackFilter, *, page: int, limit: int
) -> tuple[list[StoredPostback], int]:
    """Return a page of postbacks, oldest first, and how many there are.

    Raises BadInput for an affiliate that does not exist or is out of scope.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        for affiliate_id in chosen.affiliate_ids:
            _affiliate(conn, scope, affiliate_id, "partner_id")
        return postbacks.list_postbacks(conn, chosen, page, limit)


def owner_for(conn: Connection, access: Access, pid: int | None, offer_id: int | None) -> int:
    """Return the affiliate that owns something new for an offer (None = for all).

    A calling affiliate is the owner, whatever `pid` is. For staff the owner is the affiliate `pid`. Raises BadInput for
    an affiliate or offer that does not exist or is out of scope.
    """
    own = access.affiliate_id
    owner = pid if own is None else own
    faults = {}
    if owner is None or affiliates.find_affiliate(conn, scope_of(conn, access), owner) is None:
        faults["pid"] = [f"An affiliate {owner} does not exist."]
    if offer_id is not None and not offers.is_visible(conn, offer_id, own):
        faults["offer_id"] = [f"An offer {offer_id} does not exist."]
    if faults or owner is None:
        raise BadInput(faults)
    return owner


def _require_room(conn: Connection, affiliate_id: int) -> None:
    """Raise BadInput when an affiliate has as many postbacks as it may add itself."""
    affiliates.lock_affiliate(conn, affiliate_id)
    if postbacks.count_of_affiliate(conn, affiliate_id) >= MAX_POSTBACKS:
        raise BadInput(
            {
                "url": [
                    f"There are {MAX_POSTBACKS} postbacks already: remove one first, or ask your manager to add more."
                ]
            }
        )


def _affiliate(conn: Connection, scope: Scope, affiliate_id: int, wire_name: str) -> int:
    if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
        raise BadInput({wire_name: [f"An affiliate {affiliate_id} does not exist."]})
    return affiliate_id


def _found(conn: Connection, access: Access, postback_id: int, *, lock: bool = False) -> StoredPostback:
    scope = scope_of(conn, access)
    return required(postbacks.find_postback(conn, scope, postback_id, lock=lock))
