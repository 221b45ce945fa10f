"""Pixels of affiliates (docs/api/pixels.md).

Code for visitors' browsers is moderated: an affiliate's own code, and every change of it, waits until staff accept it.
Code that staff write is accepted unless they say otherwise.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.postbacks import owner_for
from trackyard.base.errors import BadInput, required
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.lists import OfferName
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailedOffer
from trackyard.domain.tracking.pixels import ACCEPTED, PENDING_REVIEW, REJECTED, NewPixel, Pixel, find_code_error
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
        made = pixels.add_pixel(conn, new)
        _publish_review(conn, None, made, now)
        return made


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
        after = replace(before, **changes)
        _publish_review(conn, before, after, now)
    return after


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


def _publish_review(conn: Connection, before: Pixel | None, after: Pixel, now_ms: int) -> None:
    """Publish that the code of a pixel waits for a review, or was accepted or rejected.

    before: None = it is new, and accepted code needs no decision.
    """
    known = ACCEPTED if before is None else before.moderation_status
    if after.moderation_status == known or {known, after.moderation_status} <= REJECTED:
        return
    concerned = Concerned(after.id, after.affiliate_id, offer_id=after.offer_id)
    title = offers.existing_titles(conn, [after.offer_id]).get(after.offer_id, "")
    values: dict[str, object] = {"pixel": after.name or f"#{after.id}", "offer": MailedOffer(after.offer_id, title)}
    if after.moderation_status == PENDING_REVIEW:
        found = required(affiliates.find_affiliate(conn, Scope.everything(), after.affiliate_id))
        publish(conn, EventKind.PIXEL_OPENED, now_ms, concerned, affiliate=found.name or found.login, **values)
    else:
        is_accepted = after.moderation_status == ACCEPTED
        publish(
            conn, EventKind.PIXEL_ACCEPTED if is_accepted else EventKind.PIXEL_REJECTED, now_ms, concerned, **values
        )


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
