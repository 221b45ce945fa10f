"""Changes of what a payment to an affiliate pays, and what the answers say of it.

See docs/spec/money.md#payments-to-affiliates. The caller holds the lock of the affiliate and of the payment.
"""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import AffiliatePayment, PaidOffer, PaymentStatus
from trackyard.domain.money.corrections import Correction
from trackyard.domain.money.ledger import CONVERSION_KINDS, CORRECTION, REFERRAL_KINDS, LedgerEntry
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.engine.types import Amount
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import ledger as ledgers
from trackyard.store.tables import conversion, correction, ledger, offer, payment, payment_entry

_ROWS: Final = Rows[Correction, int](correction, Correction)
_AVAILABLE: Final = func.sum(ledger.c.available, type_=Amount)


def add_correction(conn: Connection, before: AffiliatePayment, new: Correction) -> Correction:
    """Store a correction of a payment with its entries, and return it. The payment pays it too."""
    number = _ROWS.add_numbered(conn, new)
    _pay_entry(conn, before.id, new.entry(number))
    _set_amount(conn, before, new.created_at)
    return _ROWS.by_id(conn, [number])[number]


def find_correction(conn: Connection, scope: Scope, number: int, *, lock: bool = False) -> Correction | None:
    """Return the correction of a payment in scope, or None; `lock` works as in `Rows.find`."""
    scoped = in_scope(scope, affiliate=correction.c.affiliate_id)
    return _ROWS.find_where(conn, correction.c.id == number, correction.c.payment_id.is_not(None), *scoped, lock=lock)


def remove_correction(conn: Connection, before: AffiliatePayment, old: Correction, now_ms: int) -> None:
    """Undo a correction of a payment: the payment also pays the entry that takes it back."""
    _undo(conn, old, now_ms)
    _set_amount(conn, before, now_ms)


def remove_corrections(conn: Connection, before: AffiliatePayment, now_ms: int) -> AffiliatePayment:
    """Undo all corrections of a payment, and return the payment after it."""
    own = (correction.c.payment_id == before.id, correction.c.removed_at.is_(None))
    found = _ROWS.read(conn, select(correction).where(*own))
    for old in found:
        _undo(conn, old, now_ms)
    if found:
        _set_amount(conn, before, now_ms)
    return payments.get_payment(conn, before.id)


def remove_conversions(
    conn: Connection,
    before: AffiliatePayment,
    conversion_ids: Collection[str],
    offer_ids: Collection[int],
    now_ms: int,
) -> int:
    """Free the given conversions, and the conversions of the offers, from a payment; return their number."""
    named: list[ColumnElement[bool]] = [payment_entry.c.source_id.in_(conversion_ids)]
    if offer_ids:
        of_offers = select(conversion.c.id).where(conversion.c.offer_id.in_(offer_ids))
        named = [payment_entry.c.source_id.in_(conversion_ids) | payment_entry.c.source_id.in_(of_offers)]
    chosen = (payment_entry.c.payment_id == before.id, payment_entry.c.kind.in_(CONVERSION_KINDS))
    freed = conn.execute(delete(payment_entry).where(*chosen, *named).returning(payment_entry.c.source_id)).scalars()
    count = len(set(freed))
    if count:
        _set_amount(conn, before, now_ms)
    return count


def corrections_of(conn: Connection, numbers: Collection[int]) -> dict[int, list[Correction]]:
    """Return the corrections that count, by payment, the oldest first."""
    found: dict[int, list[Correction]] = {}
    own = (correction.c.payment_id.in_(numbers), correction.c.removed_at.is_(None))
    for each in _ROWS.read(conn, select(correction).where(*own).order_by(correction.c.id)):
        found.setdefault(each.payment_id or 0, []).append(each)
    return found


def paid_offers(conn: Connection, numbers: Collection[int]) -> list[PaidOffer]:
    """Return the amounts that payments pay by offer and amount of a conversion; below 0 they take it back."""
    each = (
        select(payment_entry.c.payment_id, conversion.c.offer_id, _AVAILABLE.label("amount"))
        .join(ledger, payments.ENTRY_JOIN)
        .join(conversion, conversion.c.id == ledger.c.source_id)
        .join(payment, payment.c.id == payment_entry.c.payment_id)
        .where(*_of_conversions(numbers, shares=False))
        .group_by(payment_entry.c.payment_id, conversion.c.offer_id, conversion.c.id)
        .having(_AVAILABLE != ZERO)
        .subquery()
    )
    key = (each.c.payment_id, each.c.offer_id, func.coalesce(offer.c.title, ""), each.c.amount)
    query = select(*key, func.count()).outerjoin(offer, offer.c.id == each.c.offer_id).group_by(*key)
    rows = conn.execute(query.order_by(each.c.payment_id, each.c.offer_id, each.c.amount))
    return [PaidOffer(*row) for row in rows]


def paid_conversions(conn: Connection, numbers: Collection[int], *, shares: bool, limit: int) -> dict[int, list[str]]:
    """Return the conversions of which payments pay more than 0, or of their shares, by payment.

    limit: the most of each payment. Entries of a conversion that are 0 together pay nothing, and entries below 0 take
    back what another payment paid.
    """
    key = (payment_entry.c.payment_id, payment_entry.c.source_id)
    paid = (
        select(*key)
        .join(ledger, payments.ENTRY_JOIN)
        .join(payment, payment.c.id == payment_entry.c.payment_id)
        .where(*_of_conversions(numbers, shares=shares))
        .group_by(*key)
        .having(_AVAILABLE > ZERO)
        .subquery()
    )
    place = func.row_number().over(partition_by=paid.c.payment_id, order_by=paid.c.source_id).label("place")
    numbered = select(paid.c.payment_id, paid.c.source_id, place).subquery()
    query = select(numbered.c.payment_id, numbered.c.source_id).where(numbered.c.place <= limit)
    found: dict[int, list[str]] = {}
    for number, source_id in conn.execute(query.order_by(numbered.c.payment_id, numbered.c.source_id)):
        found.setdefault(number, []).append(source_id)
    return found


def paid_shares(conn: Connection, numbers: Collection[int]) -> dict[int, Decimal]:
    """Return the sum of the referral shares that each payment pays."""
    query = (
        select(payment_entry.c.payment_id, _AVAILABLE)
        .join(ledger, payments.ENTRY_JOIN)
        .join(payment, payment.c.id == payment_entry.c.payment_id)
        .where(*_of_conversions(numbers, shares=True))
        .group_by(payment_entry.c.payment_id)
    )
    return dict(conn.execute(query).all())


def _of_conversions(numbers: Collection[int], *, shares: bool) -> Sequence[ColumnElement[bool]]:
    kind = payment_entry.c.kind
    return (
        payment_entry.c.payment_id.in_(numbers),
        payment.c.status != PaymentStatus.CANCELLED,
        kind.in_(REFERRAL_KINDS if shares else CONVERSION_KINDS),
    )


def _undo(conn: Connection, old: Correction, now_ms: int) -> None:
    conn.execute(update(correction).where(correction.c.id == old.id).values(removed_at=now_ms))
    assert old.payment_id is not None
    _pay_entry(conn, old.payment_id, old.removal(now_ms))


def _pay_entry(conn: Connection, number: int, entry: LedgerEntry) -> None:
    """Append an entry to the ledger that a payment pays from the start."""
    assert entry.kind == CORRECTION
    ledgers.add_entries(conn, [entry])
    key = {"kind": entry.kind, "source_id": entry.source_id, "version": entry.version}
    conn.execute(insert(payment_entry).values(payment_id=number, **key))


def _set_amount(conn: Connection, before: AffiliatePayment, now_ms: int) -> None:
    """Set the amount of a payment to the whole units that it pays, and enter the difference."""
    amount = payments.settle_amount(conn, before.id, before.affiliate_id, before.currency, now_ms)
    conn.execute(update(payment).where(payment.c.id == before.id).values(amount=amount, updated_at=now_ms))
    if amount != before.amount:
        payments.add_own_entry(conn, before, before.amount - amount, now_ms)
