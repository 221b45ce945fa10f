"""Pixels of affiliates (docs/api/pixels.md).

Code for visitors' browsers is moderated: an affiliate's own code, and every change of it, waits until staff accept it.
Code that staff write is accepted unless they say otherwise.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.postbacks import owner_for
from trackyard.base.errors import BadInput, required
from trackyard.domain.offers.lists import OfferName
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.pixels import ACCEPTED, PENDING_REVIEW, NewPixel, Pixel, find_code_error
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import affiliates
from trackyard.store.tracking import pixels, rulesets

MAX_PIXELS: Final = 50
"""Pixels that an affiliate may add itself."""


def add_pixel(
    deps: Deps,
    access: Access,
    *,
    pid: int | None,
    offer_id: int,
    name: str,
    code: str,
    code_type: str,
    is_active: bool,
    moderation_status: int | None,
) -> Pixel:
    """Add a pixel of an affiliate (`pid`; None: the calling one) to an offer. Raises BadInput.

    moderation_status: None = pending for an affiliate's pixel, accepted for one by staff.
    """
    now = deps.clock.now_ms()
    if moderation_status is None:
        moderation_status = PENDING_REVIEW if isinstance(access.caller, AffiliateCaller) else ACCEPTED
    _check_code(code, code_type)
    with deps.database.write() as conn:
        owner = owner_for(conn, access, pid, offer_id)
        if access.affiliate_id is not None:
            _require_room(conn, owner)
        new = NewPixel(owner, offer_id, name, code, code_type, is_active, moderation_status, now, now)
        _touch(conn, new)
        return pixels.add_pixel(conn, new)


def get_pixel(deps: Deps, access: Access, pixel_id: int) -> Pixel:
    """Return the pixel of an id, of an affiliate in scope. Raises NotFound."""
    with deps.database.read() as conn:
        return _found(conn, access, pixel_id)


def edit_pixel(deps: Deps, access: Access, pixel_id: int, changes: dict[str, Any]) -> Pixel:
    """Change columns of a pixel; new code of an affiliate waits for moderation again.

    Raises NotFound when it was removed meanwhile, BadInput.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        before = _found(conn, access, pixel_id, lock=True)
        after = replace(before, **changes)
        _check_code(after.code, after.code_type)
        is_other = (before.code, before.code_type) != (after.code, after.code_type)
        if is_other and isinstance(access.caller, AffiliateCaller):
            changes = changes | {"moderation_status": PENDING_REVIEW}
        changes = changes | {"updated_at": now}
        pixels.edit_pixel(conn, before.id, changes)
        _touch(conn, before)
    return replace(before, **changes)


def remove_pixel(deps: Deps, access: Access, pixel_id: int) -> Pixel:
    """Remove a pixel and return it. Raises NotFound."""
    with deps.database.write() as conn:
        removed = _found(conn, access, pixel_id, lock=True)
        pixels.remove_pixel(conn, removed.id)
        _touch(conn, removed)
    return removed


def list_pixels(deps: Deps, access: Access, affiliate_ids: Collection[int], statuses: Collection[int]) -> list[Pixel]:
    """Return the pixels in the caller's scope, oldest first. affiliates, statuses: none = all."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        return pixels.list_pixels(conn, scope, affiliate_ids, statuses)


def list_of_affiliate(deps: Deps, affiliate_id: int, statuses: Collection[int]) -> list[Pixel]:
    """Return an affiliate's pixels with these moderation statuses (none = all), oldest first."""
    with deps.database.read() as conn:
        return pixels.list_pixels(conn, Scope.of_affiliate(affiliate_id), (), statuses)


def offer_names(deps: Deps, rows: Iterable[Pixel]) -> dict[int, OfferName]:
    """Return the names of the offers of these pixels, by offer id."""
    wanted = {row.offer_id for row in rows}
    if not wanted:
        return {}
    with deps.database.read() as conn:
        return offers.names_of(conn, wanted)


def get_owner_id(deps: Deps, access: Access, affiliate_id: int) -> int:
    """Return the id of an affiliate in scope. Raises NotFound."""
    with deps.database.read() as conn:
        return required(affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id)).id


def _touch(conn: Connection, changed: NewPixel) -> None:
    """Notify the edges of the pixels that visitors get from now on."""
    rulesets.touch(conn, "pixels", pixels.rule_key(changed.offer_id, changed.affiliate_id))


def _require_room(conn: Connection, affiliate_id: int) -> None:
    """Raise BadInput when an affiliate has as many pixels as it may add itself."""
    affiliates.lock_affiliate(conn, affiliate_id)
    if pixels.count_of_affiliate(conn, affiliate_id) >= MAX_PIXELS:
        raise BadInput(
            {"code": [f"There are {MAX_PIXELS} pixels already: remove one first, or ask your manager to add more."]}
        )


def _check_code(code: str, code_type: str) -> None:
    fault = find_code_error(code, code_type)
    if fault is not None:
        raise BadInput({"code": [fault]})


def _found(conn: Connection, access: Access, pixel_id: int, *, lock: bool = False) -> Pixel:
    return required(pixels.find_pixel(conn, scope_of(conn, access), pixel_id, lock=lock))
