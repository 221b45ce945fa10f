"""Use cases of single payments to affiliates: one of an exact sum, and changes of what a payment pays.

See docs/spec/money.md#payments-to-affiliates.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.money.affiliate_payments import EditedPayment, edit_payment, payee_of
from trackyard.actions.money.currencies import is_active, list_currencies
from trackyard.actions.money.held_changes import replace_held
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, Conflict, NotFound, required
from trackyard.base.money import ZERO, plain_amount
from trackyard.domain.money.affiliate_payments import (
    EDITABLE,
    AffiliatePayment,
    PaidOffer,
    PaymentFilter,
    PaymentStatus,
)
from trackyard.domain.money.corrections import Correction
from trackyard.domain.money.held_changes import HeldKind
from trackyard.domain.money.units import in_units, unit_fault
from trackyard.domain.people.callers import Access, StaffCaller
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import payment_changes, payment_systems
from trackyard.store.people import affiliates

MOST_IDS: Final = 10_000
"""The conversions of one payment that an answer names, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRecords:
    """Payments with what they pay, each by the number of the payment.

    conversions, shares: at most MOST_IDS conversions each. share_sums: the sums of the shares.
    managers: by affiliate. systems: names of payment systems.
    """

    payments: Sequence[AffiliatePayment]
    conversions: Mapping[int, Sequence[str]]
    shares: Mapping[int, Sequence[str]]
    share_sums: Mapping[int, Decimal]
    offers: Sequence[PaidOffer]
    corrections: Mapping[int, Sequence[Correction]]
    managers: Mapping[int, str | None]
    systems: Mapping[int, str]


def list_records(
    deps: Deps, access: Access, chosen: PaymentFilter, *, page: int, limit: int
) -> tuple[PaymentRecords, int]:
    """Return a page of payments, the newest first, and the total."""
    with deps.database.read() as conn:
        found, total = payments.list_payments(conn, scope_of(conn, access), chosen, page=page, limit=limit)
        return _records(conn, found), total


def get_records(deps: Deps, access: Access, number: int) -> PaymentRecords:
    """Return one payment in scope with what it pays. Raises NotFound."""
    with deps.database.read() as conn:
        return _records(conn, [required(payments.find_payment(conn, scope_of(conn, access), number))])


def add_exact_payment(
    deps: Deps, access: Access, affiliate_id: int, amount: Decimal, currency: str, note: str
) -> AffiliatePayment:
    """Make a payment of exactly this amount to an affiliate.

    Raises BadInput for an affiliate out of scope, a currency that is not active, an amount below the least payment,
    above what is available, or finer than the unit of the currency.
    """
    assert isinstance(access.caller, StaffCaller)
    least = next((each.min_payment for each in list_currencies(deps) if each.code == currency), ZERO)
    with deps.database.write() as conn:
        if affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id) is None:
            raise BadInput({"aid": [f"An affiliate {affiliate_id} does not exist."]})
        if not is_active(deps, conn, currency):
            raise BadInput({"currency": [f"A currency {currency} does not exist, or is not active."]})
        payments.lock_affiliate(conn, affiliate_id)
        available = payments.get_available(conn, affiliate_id, currency)
        fault = _sum_fault(amount, least, available, currency)
        if fault:
            raise BadInput({"sum": [fault]})
        return payments.add_payment(
            conn,
            affiliate_id,
            currency,
            exactly=None if amount == available else amount,
            texts={"note": note},
            payee=payee_of(conn, affiliate_id, currency),
            staff_id=access.caller.id,
            now_ms=deps.clock.now_ms(),
        )


def _sum_fault(amount: Decimal, least: Decimal, available: Decimal, currency: str) -> str:
    if amount <= ZERO:
        return "This value must be more than 0."
    if fault := unit_fault(amount, currency):
        return fault
    if amount > available:
        return f"This is more than the {plain_amount(max(available, ZERO))} {currency} that are available."
    return f"This is less than the least payment of {plain_amount(least)} {currency}." if amount < least else ""


def cancel_payment(deps: Deps, access: Access, number: int) -> EditedPayment:
    """Cancel a payment, so that what it pays is available again; a cancelled one stays so.

    Raises NotFound, and Conflict when money was sent.
    """
    return edit_payment(deps, access, number, status=PaymentStatus.CANCELLED)


def cancel_payments(deps: Deps, access: Access, numbers: Sequence[int]) -> dict[int, bool]:
    """Cancel payments, and return of each whether it is cancelled; each on its own."""
    done = {}
    for number in dict.fromkeys(numbers):
        with deps.database.read() as conn:
            found = payments.find_payment(conn, scope_of(conn, access), number)
        movable = found is not None and (found.status in EDITABLE or found.status is PaymentStatus.CANCELLED)
        if movable:
            cancel_payment(deps, access, number)
        done[number] = movable
    return done


def add_correction(deps: Deps, access: Access, number: int, amount: Decimal, comment: str) -> Correction:
    """Add an amount to a payment, or take it away; what is available stays.

    Raises NotFound, BadInput for the amount 0 and one that is finer than the unit of the currency, and Conflict when
    money was sent or the payment would pay nothing.
    """
    assert isinstance(access.caller, StaffCaller)
    if amount == ZERO:
        raise BadInput({"revenue": ["This value must not be 0."]})
    with deps.database.write() as conn:
        before = _lock_editable(deps, conn, access, number, "id")
        if fault := unit_fault(amount, before.currency):
            raise BadInput({"revenue": [fault]})
        _check_rest(in_units(before.amount + amount, before.currency), "revenue")
        new = Correction(
            affiliate_id=before.affiliate_id,
            currency=before.currency,
            amount=amount,
            comment=comment,
            created_by=access.caller.id,
            created_at=deps.clock.now_ms(),
            payment_id=before.id,
        )
        return payment_changes.add_correction(conn, before, new)


def find_correction(deps: Deps, access: Access, number: int) -> Correction:
    """Return a correction of a payment in scope, which counts. Raises NotFound."""
    with deps.database.read() as conn:
        found = required(payment_changes.find_correction(conn, scope_of(conn, access), number))
        if found.removed_at is not None:
            raise NotFound
        return found


def remove_correction(deps: Deps, access: Access, number: int) -> None:
    """Undo a correction of a payment.

    Raises NotFound, and Conflict when money was sent or the payment would pay nothing.
    """
    with deps.database.write() as conn:
        found = required(payment_changes.find_correction(conn, scope_of(conn, access), number))
        before = _lock_editable(deps, conn, access, found.payment_id or 0, "id")
        found = required(payment_changes.find_correction(conn, scope_of(conn, access), number, lock=True))
        if found.removed_at is not None:
            raise NotFound
        _check_rest(in_units(before.amount - found.amount, before.currency), "id")
        payment_changes.remove_correction(conn, before, found, deps.clock.now_ms())


def remove_conversions(
    deps: Deps, access: Access, number: int, conversion_ids: Collection[str], offer_ids: Collection[int]
) -> int:
    """Free conversions from a payment, so that they are available again; return their number.

    Raises NotFound, BadInput when it pays none of them, and Conflict when money was sent or the payment would pay
    nothing.
    """
    field = "conversion_ids" if conversion_ids else "offer_ids"
    with deps.database.write() as conn:
        before = _lock_editable(deps, conn, access, number, "id")
        count = payment_changes.remove_conversions(conn, before, conversion_ids, offer_ids, deps.clock.now_ms())
        if not count:
            raise BadInput({field: ["The payment pays none of them."]})
        _check_rest(payments.get_payment(conn, number).amount, field)
        return count


def _check_rest(amount: Decimal, field: str) -> None:
    """Raise Conflict for an amount that no payment has."""
    if amount <= ZERO:
        raise Conflict({field: [f"The payment would be of {plain_amount(amount)}: delete it instead."]})


def _lock_editable(deps: Deps, conn: Connection, access: Access, number: int, field: str) -> AffiliatePayment:
    """Lock a payment that can change, and end the wait of its execution. Raises NotFound, Conflict."""
    found = required(payments.find_payment(conn, scope_of(conn, access), number, lock=True))
    if found.status not in EDITABLE:
        raise Conflict({field: [f"The payment is {found.status.value.replace('_', ' ')}."]})
    replace_held(deps, conn, access, HeldKind.PAYMENT, number)
    return found


def _records(conn: Connection, found: Sequence[AffiliatePayment]) -> PaymentRecords:
    numbers = [each.id for each in found]
    return PaymentRecords(
        payments=found,
        conversions=payment_changes.paid_conversions(conn, numbers, shares=False, limit=MOST_IDS),
        shares=payment_changes.paid_conversions(conn, numbers, shares=True, limit=MOST_IDS),
        share_sums=payment_changes.paid_shares(conn, numbers),
        offers=payment_changes.paid_offers(conn, numbers),
        corrections=payment_changes.corrections_of(conn, numbers),
        managers=affiliates.managers_of(conn, {each.affiliate_id for each in found}),
        systems={each.id: each.lang_label for each in payment_systems.list_payment_systems(conn)},
    )
