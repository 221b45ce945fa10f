"""Release conversions that offers hold as suspicious (docs/spec/quality.md#holding-and-rejecting)."""

from dataclasses import dataclass
from decimal import Decimal

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.base.money import ZERO
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Access
from trackyard.store.conversions import conversions, edits


@dataclass(frozen=True, slots=True)
class HeldSum:
    """The held conversions of a currency."""

    currency: str
    number: int
    charge: Decimal
    payout: Decimal


def sum_held(deps: Deps, access: Access, offer_id: int | None, affiliate_id: int | None) -> list[HeldSum]:
    """Return the sums that a release would confirm, by currency.

    Raises BadInput when both the offer and the affiliate are missing.
    """
    _check_named(offer_id, affiliate_id)
    with deps.database.read() as conn:
        found = conversions.sum_held_by_quality(conn, scope_of(conn, access), offer_id, affiliate_id)
    return [HeldSum(*each) for each in found]


def release_held(deps: Deps, access: Access, offer_id: int | None, affiliate_id: int | None) -> list[HeldSum]:
    """Queue the confirmation of held conversions of an offer, an affiliate, or both; return sums.

    A repeat finds none. Raises BadInput when both the offer and the affiliate are missing.
    """
    _check_named(offer_id, affiliate_id)
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        held = conversions.take_held_by_quality(conn, scope, offer_id, affiliate_id)
        released = (ConversionEdit(conversion_id=each.id, status=Status.CONFIRMED, releases=True) for each in held)
        edits.add_tasks(conn, "edit", access.caller.name, list(map(msgspec.to_builtins, released)), deps.clock.now_ms())
    sums: dict[str, HeldSum] = {}
    for each in held:
        so_far = sums.get(each.currency, HeldSum(each.currency, 0, ZERO, ZERO))
        added = (so_far.number + 1, so_far.charge + each.charge, so_far.payout + each.payout)
        sums[each.currency] = HeldSum(each.currency, *added)
    return [sums[currency] for currency in sorted(sums)]


def _check_named(offer_id: int | None, affiliate_id: int | None) -> None:
    if offer_id is None and affiliate_id is None:
        raise BadInput({"offer": ["Name an offer, an affiliate, or both."]})
