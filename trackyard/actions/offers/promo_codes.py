"""Use cases of promo codes (docs/spec/conversions.md#promo-codes)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, required
from trackyard.base.ids import new_id
from trackyard.domain.offers.promo_codes import PromoCode, PromoCodeFilter, UsedPromoCode, folded_code
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers, promo_codes
from trackyard.store.people import affiliates

_ORDER = "This time must not lie before date_from."


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPromoCode:
    """A promo code to make; PromoCode explains the fields."""

    code: str
    description: str
    offer_id: int
    affiliate_id: int
    usage_limit: int | None
    date_from: int
    date_to: int


def add_codes(deps: Deps, access: Access, new: Sequence[NewPromoCode]) -> list[PromoCode]:
    """Make promo codes, all or none, and return them.

    Raises BadInput for offers and affiliates out of scope, and for codes that exist in any letter case.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        if faults := _faults(conn, scope_of(conn, access), new):
            raise BadInput(faults)
        made = [
            PromoCode(
                id=new_id(now),
                code=each.code,
                folded=folded_code(each.code),
                description=each.description,
                offer_id=each.offer_id,
                affiliate_id=each.affiliate_id,
                usage_limit=each.usage_limit,
                date_from=each.date_from,
                date_to=each.date_to,
                created_at=now,
                updated_at=now,
            )
            for each in new
        ]
        promo_codes.add_codes(conn, made)
    return made


def get_code(deps: Deps, access: Access, code_id: str) -> PromoCode:
    """Return a promo code in scope. Raises NotFound."""
    with deps.database.read() as conn:
        return required(promo_codes.find_code(conn, scope_of(conn, access), code_id))


def edit_code(deps: Deps, access: Access, code_id: str, given: Mapping[str, Any]) -> UsedPromoCode:
    """Change the description, limit or period of a promo code. Raises NotFound, BadInput."""
    values = {**given, "updated_at": deps.clock.now_ms()}
    with deps.database.write() as conn:
        before = required(promo_codes.find_code(conn, scope_of(conn, access), code_id, lock=True))
        after = replace(before, **values)
        if after.date_to < after.date_from:
            raise BadInput({"date_to": [_ORDER]})
        promo_codes.edit_code(conn, code_id, values)
        return UsedPromoCode(after, promo_codes.count_usage(conn, {after.code}).get(after.code, 0))


def list_codes(
    deps: Deps, access: Access, chosen: PromoCodeFilter, *, page: int, limit: int
) -> tuple[list[UsedPromoCode], int]:
    """Return a page of promo codes in scope, the newest first, and the total."""
    with deps.database.read() as conn:
        return promo_codes.list_codes(conn, scope_of(conn, access), chosen, page=page, limit=limit)


def _faults(conn: Connection, scope: Scope, new: Sequence[NewPromoCode]) -> dict[str, list[str]]:
    existing = {each.id for each in offers.list_by_id(conn, scope, {each.offer_id for each in new})}
    known = set(affiliates.names_of(conn, {each.affiliate_id for each in new}))
    taken = promo_codes.taken_codes(conn, {folded_code(each.code) for each in new})
    faults: dict[str, list[str]] = {}
    for place, each in enumerate(new):
        prefix, folded = f"promocodes[{place}]", folded_code(each.code)
        if each.offer_id not in existing:
            faults[f"{prefix}[offer_id]"] = [f"An offer {each.offer_id} does not exist."]
        if each.affiliate_id not in known or not scope.has_affiliate(each.affiliate_id):
            faults[f"{prefix}[affiliate_id]"] = [f"An affiliate {each.affiliate_id} does not exist."]
        if folded in taken:
            faults[f"{prefix}[code]"] = [f"The code {each.code} exists already; letter case does not count."]
        if each.date_to < each.date_from:
            faults[f"{prefix}[date_to]"] = [_ORDER]
        taken.add(folded)
    return faults
