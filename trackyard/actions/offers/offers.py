"""Create, edit and remove offers (docs/api/offers.md)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from trackyard.actions.deps import Deps
from trackyard.actions.offers import caps
from trackyard.actions.offers.announcing import announce_changes, announce_removals
from trackyard.actions.offers.checks import faults_of, find_domain_id
from trackyard.actions.offers.lists import OfferPage, page_of_written
from trackyard.actions.offers.references import check_references
from trackyard.actions.people.scope import scope_of
from trackyard.actions.platform.files import NewFiles, store_new_files
from trackyard.actions.tracking.called_addresses import check_called
from trackyard.base.errors import BadInput, NotFound, required
from trackyard.base.ids import new_api_key, new_id
from trackyard.domain.offers.edits import (
    NewPartDefaults,
    WrittenFields,
    changed_fields,
    find_goal_faults,
)
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers, smartlinks
from trackyard.store.tracking import rulesets

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RemovedOffer:
    """A removed offer."""

    id: int
    title: str


_CALLED: Final = ("cross_postback_url", "parallel_tracking_url")
"""URLs of an offer that the server itself calls."""


def add_offer(deps: Deps, access: Access, written: WrittenFields, new_files: NewFiles) -> OfferPage:
    """Create an offer and return it as a page of one; `written` has title, advertiser_id and url at least.

    Raises BadInput for references that do not exist, and what `store_new_files` raises.
    """
    now = deps.clock.now_ms()
    blank = Offer(
        id=0,
        hash=new_id(now),
        advertiser_id=written["advertiser_id"],
        title=written["title"],
        url=written["url"],
        pixel_code=new_api_key(),
        created_at=now,
        updated_at=now,
    )
    with store_new_files(deps, new_files) as files, deps.database.write() as conn:
        draft = _changed(deps, conn, access, blank, written, _no_warning)
        made = files.attach(conn, offers.add_offer(conn, replace(blank, **draft)), now)
        _touch(conn, (), made)
        caps.reset_changed_counters(conn, None, made, deps.zone, now)
        return page_of_written(conn, made, is_new=True)


def edit_offer(
    deps: Deps, access: Access, offer_id: int, written: WrittenFields, new_files: NewFiles, warn: Callable[[str], None]
) -> OfferPage:
    """Change only the written fields of an offer: concurrent edits of other fields stay.

    Returns the offer as a page of one.
    warn: called with a sentence for each unknown name that the stored offer already has.
    Raises NotFound when it was removed meanwhile, else as add_offer.
    """
    now = deps.clock.now_ms()
    with store_new_files(deps, new_files) as files, deps.database.write() as conn:
        scope = scope_of(conn, access)
        before = required(offers.find_offer(conn, scope, offer_id, lock=True))
        changes = _changed(deps, conn, access, before, written, warn)
        after = offers.edit_offer(conn, before, changes | {"updated_at": now}) if changes else before
        after = files.attach(conn, after, now)
        if after is not before:
            _touch(conn, before.smartlink_categories, after)
            caps.reset_changed_counters(conn, before, after, deps.zone, now)
            announce_changes(conn, [(before, after)], now)
        return page_of_written(conn, after)


def compare_edit(
    deps: Deps, access: Access, offer_id: int, written: WrittenFields, read: Callable[[Connection, Scope], T]
) -> tuple[T, T]:
    """Return the results of `read` before and after an edit that is undone.

    Raises as edit_offer.
    """
    with deps.database.trial() as conn:
        scope = scope_of(conn, access)
        before = required(offers.find_offer(conn, scope, offer_id, lock=True))
        changes = _changed(deps, conn, access, before, written, _no_warning)
        found = read(conn, scope)
        if changes:
            offers.edit_offer(conn, before, changes)
        return found, read(conn, scope)


def remove_offers(deps: Deps, access: Access, offer_ids: Iterable[int]) -> list[RemovedOffer]:
    """Remove offers, all or none; the rows stay for their clicks and conversions.

    Raises BadInput for one that never existed or is out of scope, NotFound for one removed before.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        removed_offers = _named(conn, access, offer_ids, to_remove=True)
        ids = [offer.id for offer in removed_offers]
        offers.remove_offers(conn, ids, now)
        announce_removals(conn, removed_offers, now)
        rulesets.touch_all(conn, "offer", ids)
        rulesets.touch_all(
            conn,
            smartlinks.LABEL_KIND,
            sorted({each for offer in removed_offers for each in offer.smartlink_categories}),
        )
        return [RemovedOffer(offer.id, offer.title) for offer in removed_offers]


def update_offers(deps: Deps, access: Access, offer_ids: Iterable[int], changes: dict[str, str]) -> list[int]:
    """Set the status or privacy of offers, all or none; return their ids.

    Raises BadInput for one that does not exist, was removed, or is out of scope.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        named = _named(conn, access, offer_ids)
        if "privacy" in changes:
            _forget_levels(conn, named, changes["privacy"])
        states = [(before, replace(before, **changes)) for before in named]
        changed = [(before, after) for before, after in states if before != after]
        ids = [after.id for _, after in changed]
        offers.update_offers(conn, ids, changes | {"updated_at": now})
        rulesets.touch_all(conn, "offer", ids)
        announce_changes(conn, changed, now)
        return [offer.id for offer in named]


def get_editable_id(deps: Deps, access: Access, reference: str) -> int:
    """Return the id of an offer that a caller may edit. Raises NotFound."""
    with deps.database.read() as conn:
        return required(offers.find_offer(conn, scope_of(conn, access), reference)).id


def remove_from_offers(conn: Connection, kind: str, field: str, value: str, now: int) -> None:
    """Remove a value from a list of every offer that has it."""
    labelled_offers = offers.list_by_id(conn, Scope.everything(), offers.offers_with(conn, kind, value), lock=True)
    for offer in labelled_offers:
        remaining = tuple(item for item in getattr(offer, field) if item != value)
        offers.edit_offer(conn, offer, {field: remaining, "updated_at": now})
    rulesets.touch_all(conn, "offer", [offer.id for offer in labelled_offers])
    if kind == smartlinks.LABEL_KIND:
        rulesets.touch(conn, smartlinks.LABEL_KIND, value)


def _forget_levels(conn: Connection, named: Iterable[Offer], privacy: str) -> None:
    """Remove the privacy level of the offers that get another privacy."""
    changed = [offer.id for offer in named if offer.privacy != privacy and offer.privacy_level is not None]
    offers.update_offers(conn, changed, {"privacy_level": None})


def _no_warning(_sentence: str) -> None:
    """Ignore warnings: a new offer has no stored names."""


def _changed(
    deps: Deps, conn: Connection, access: Access, before: Offer, written: WrittenFields, warn: Callable[[str], None]
) -> dict[str, Any]:
    called = {name: written.get(name) for name in _CALLED}
    check_called(deps, called, {name: getattr(before, name) for name in _CALLED}, warn)
    faults = faults_of(deps, conn, scope_of(conn, access), before, written)
    references = check_references(before, written)
    goal_faults, goal_warnings = find_goal_faults(before, written)
    for name, sentence in (*references.faults, *goal_faults):
        faults.setdefault(name, []).append(sentence)
    if faults:
        raise BadInput(faults)
    if "tracking_domain" in written:
        host = written["tracking_domain"]
        named = {"domain_id": find_domain_id(conn, host) if host else None}
        written = named | {name: value for name, value in written.items() if name != "tracking_domain"}
    for sentence in (*references.warnings, *goal_warnings):
        warn(sentence)
    now = deps.clock.now_ms()
    making = NewPartDefaults(currency=deps.currency, new_id=lambda: new_id(now), now_ms=now if before.id else 0)
    return changed_fields(before, written, making)


def _named(conn: Connection, access: Access, offer_ids: Iterable[int], *, to_remove: bool = False) -> Sequence[Offer]:
    """Return the offers of a write. to_remove: a second removal raises NotFound instead of BadInput."""
    wanted = set(offer_ids)
    scope = scope_of(conn, access)
    found = offers.list_by_id(conn, scope, wanted, lock=True)
    absent = wanted - {offer.id for offer in found}
    removed = offers.removed_among(conn, scope, absent) if to_remove else set()
    if absent - removed:
        raise BadInput({"offer_id": [f"An offer {number} does not exist." for number in sorted(absent - removed)]})
    if removed:
        raise NotFound
    return found


def _touch(conn: Connection, categories_before: Iterable[str], after: Offer) -> None:
    """Notify the edges of a changed offer and of the SmartLink categories that gained or lost it."""
    rulesets.touch(conn, "offer", after.id)
    rulesets.touch_all(conn, smartlinks.LABEL_KIND, sorted(set(categories_before) ^ set(after.smartlink_categories)))
