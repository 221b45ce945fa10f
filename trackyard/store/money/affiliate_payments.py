"""Payments to affiliates and what they pay (docs/spec/money.md#payments-to-affiliates).

A payment pays entries of the ledger, each whole and in one payment at most; the payment is an entry itself, which
takes their sum from what is available.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    and_,
    case,
    cast,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import (
    AffiliatePayment,
    PaidEntry,
    PaidSum,
    PayableBalance,
    PayableFilter,
    PaymentFilter,
    PaymentStatus,
)
from trackyard.domain.money.ledger import (
    ADVANCE,
    CONVERSION_KINDS,
    CORRECTION,
    PAYMENT,
    REFERRAL_KINDS,
    REFUND,
    LedgerEntry,
)
from trackyard.domain.money.units import in_units
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import page_of
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.engine.types import Amount
from trackyard.store.money import ledger as ledgers
from trackyard.store.tables import affiliate, conversion, correction, ledger, payment, payment_entry

ENTRY_JOIN: Final = and_(
    payment_entry.c.kind == ledger.c.kind,
    payment_entry.c.source_id == ledger.c.source_id,
    payment_entry.c.version == ledger.c.version,
)
"""The condition that an entry of a payment is an entry of the ledger."""

_KEY_NAMES: Final = ("kind", "source_id", "version")
_KEY: Final = tuple(ledger.c[name] for name in _KEY_NAMES)
_AVAILABLE: Final = func.sum(ledger.c.available, type_=Amount)

_EVERYTHING: Final = PayableFilter()
_OF_CONVERSIONS: Final = (*CONVERSION_KINDS, *REFERRAL_KINDS, REFUND)
"""The kinds of entries that payment terms are about."""

_ROWS: Final = Rows[AffiliatePayment, int](payment, AffiliatePayment)


def list_payable(
    conn: Connection,
    scope: Scope,
    *,
    affiliate_ids: Sequence[int] = (),
    currencies: Sequence[str] = (),
) -> list[PayableBalance]:
    """Return the available amounts by affiliate and currency. An empty filter means all."""
    query = (
        select(ledger.c.affiliate_id, ledger.c.currency, _AVAILABLE)
        .where(*of_affiliates(ledger.c.affiliate_id, scope, affiliate_ids))
        .group_by(ledger.c.affiliate_id, ledger.c.currency)
        .having(_AVAILABLE > ZERO)
        .order_by(ledger.c.affiliate_id, ledger.c.currency)
    )
    if currencies:
        query = query.where(ledger.c.currency.in_(currencies))
    return [PayableBalance(*row) for row in conn.execute(query)]


def lock_affiliate(conn: Connection, affiliate_id: int) -> None:
    """Exclude other payments to this affiliate until the end of the transaction."""
    conn.execute(select(affiliate.c.id).where(affiliate.c.id == affiliate_id).with_for_update())


def get_available(conn: Connection, affiliate_id: int, currency: str) -> Decimal:
    """Return the amount that an affiliate could be paid in a currency."""
    return _sum(conn, select(_AVAILABLE).where(ledger.c.affiliate_id == affiliate_id, ledger.c.currency == currency))


def get_unpaid(conn: Connection, affiliate_id: int, currency: str, chosen: PayableFilter) -> Decimal:
    """Return the sum of the unpaid entries that are chosen."""
    return _sum(conn, select(_AVAILABLE).where(*_unpaid_conditions(affiliate_id, currency, chosen)))


def find_last_payment_time(conn: Connection, affiliate_id: int, currency: str) -> int | None:
    """Return when the last payment was made that is not cancelled (UTC milliseconds), or None."""
    of_it = (payment.c.affiliate_id == affiliate_id, payment.c.currency == currency)
    query = select(func.max(payment.c.created_at)).where(*of_it, payment.c.status != PaymentStatus.CANCELLED)
    found: int | None = conn.execute(query).scalar_one()
    return found


def _sum(conn: Connection, query: Select[Any]) -> Decimal:
    return conn.execute(query).scalar_one() or ZERO


def add_payment(
    conn: Connection,
    affiliate_id: int,
    currency: str,
    *,
    chosen: PayableFilter = _EVERYTHING,
    exactly: Decimal | None = None,
    texts: Mapping[str, str],
    payee: tuple[int | None, str] = (None, ""),
    staff_id: str,
    now_ms: int,
) -> AffiliatePayment:
    """Create a payment of the unpaid entries that are chosen; its amount is their sum in whole units.

    exactly: pays this amount, of whole units: the oldest entries as far as they fit, and the rest ahead of later ones.
    texts: the comment, and the note for staff.
    payee: the payment system that it goes to, and its account.
    The caller holds `lock_affiliate`, and rolls back when the amount does not fit.
    """
    values = {
        "affiliate_id": affiliate_id,
        "currency": currency,
        "amount": ZERO,
        "status": PaymentStatus.CREATED,
        "comment": texts.get("comment", ""),
        "note": texts.get("note", ""),
        "system_id": payee[0],
        "account": payee[1],
        "created_by": staff_id,
        "created_at": now_ms,
        "updated_at": now_ms,
    }
    number = int(conn.execute(insert(payment).values(values).returning(payment.c.id)).scalar_one())
    unpaid = _unpaid_conditions(affiliate_id, currency, chosen)
    paid_entries = select(*_KEY, literal(number)).where(*unpaid)
    if exactly is not None:
        paid_entries = _oldest_entries(unpaid, exactly, number)
    conn.execute(insert(payment_entry).from_select([*_KEY_NAMES, "payment_id"], paid_entries))
    amount = settle_amount(conn, number, affiliate_id, currency, now_ms, exactly)
    conn.execute(update(payment).where(payment.c.id == number).values(amount=amount))
    ledgers.add_entries(conn, [_entry(number, affiliate_id, currency, 1, -amount, now_ms)])
    return get_payment(conn, number)


def _oldest_entries(unpaid: Sequence[ColumnElement[bool]], amount: Decimal, number: int) -> Select[Any]:
    """Return the keys of the oldest entries, up to the first with which their sum is above the amount."""
    order = (ledger.c.at, ledger.c.source_id, ledger.c.version)
    so_far = func.sum(ledger.c.available, type_=Amount).over(order_by=order, rows=(None, 0)).label("so_far")
    summed = select(*_KEY, ledger.c.at, so_far).where(*unpaid).subquery()
    is_above = case((summed.c.so_far > literal(amount, Amount), 1), else_=0)
    order_of_sums = (summed.c.at, summed.c.source_id, summed.c.version)
    above = func.sum(is_above).over(order_by=order_of_sums, rows=(None, 0)).label("above")
    counted = select(*(summed.c[name] for name in _KEY_NAMES), above).subquery()
    return select(*(counted.c[name] for name in _KEY_NAMES), literal(number)).where(counted.c.above == 0)


def settle_amount(
    conn: Connection, number: int, affiliate_id: int, currency: str, now_ms: int, exactly: Decimal | None = None
) -> Decimal:
    """Let a payment pay whole units of its currency, and return its amount; the rest stays available.

    exactly: the amount that it pays instead.
    """
    paid = paid_sum(conn, number)
    wanted = in_units(paid - _left_out(conn, number), currency) if exactly is None else exactly
    if wanted != paid:
        _pay_ahead(conn, number, affiliate_id, currency, wanted - paid, now_ms)
    return wanted


def _left_out(conn: Connection, number: int) -> Decimal:
    """Return the amount that a payment leaves to the next one, at most 0."""
    own = and_(
        payment_entry.c.payment_id == number,
        payment_entry.c.kind == ADVANCE,
        payment_entry.c.source_id == str(number),
    )
    return min(_sum(conn, select(_AVAILABLE).join(payment_entry, ENTRY_JOIN).where(own)), ZERO)


def _pay_ahead(conn: Connection, number: int, affiliate_id: int, currency: str, amount: Decimal, now_ms: int) -> None:
    """Let a payment pay an amount ahead: two entries that are 0 together, of which it pays the first.

    Below 0 it leaves the amount to the next payment.
    """
    own = (ledger.c.kind == ADVANCE, ledger.c.source_id == str(number))
    last = conn.execute(select(func.max(ledger.c.version)).where(*own)).scalar_one() or 0
    pair = [
        LedgerEntry(affiliate_id, ADVANCE, str(number), version, currency, ZERO, part, now_ms)
        for version, part in ((last + 1, amount), (last + 2, -amount))
    ]
    ledgers.add_entries(conn, pair)
    key = {"kind": ADVANCE, "source_id": str(number), "version": last + 1}
    conn.execute(insert(payment_entry).values(payment_id=number, **key))


def paid_sum(conn: Connection, number: int) -> Decimal:
    """Return the sum of the entries that a payment pays."""
    entries = payment_entry.c.payment_id == number
    return _sum(conn, select(_AVAILABLE).join(payment_entry, ENTRY_JOIN).where(entries))


def set_status(conn: Connection, before: AffiliatePayment, status: PaymentStatus, now_ms: int) -> None:
    """Change the status of a payment; a cancelled one frees what it paid.

    The caller removes the corrections of a payment before it is cancelled: these entries it keeps, they are 0 together.
    """
    values: dict[str, Any] = {"status": status, "updated_at": now_ms}
    if status is PaymentStatus.PAID:
        values["paid_at"] = now_ms
    conn.execute(update(payment).where(payment.c.id == before.id).values(values))
    if status is PaymentStatus.CANCELLED:
        own = select(cast(correction.c.id, String)).where(correction.c.payment_id == before.id)
        is_own = and_(payment_entry.c.kind == CORRECTION, payment_entry.c.source_id.in_(own))
        conn.execute(delete(payment_entry).where(payment_entry.c.payment_id == before.id, ~is_own))
        add_own_entry(conn, before, before.amount, now_ms)


def set_texts(conn: Connection, number: int, texts: Mapping[str, str], now_ms: int) -> None:
    """Set the comment, note or account of a payment."""
    conn.execute(update(payment).where(payment.c.id == number).values(**texts, updated_at=now_ms))


def add_own_entry(conn: Connection, before: AffiliatePayment, available: Decimal, now_ms: int) -> None:
    """Append the next entry of a payment itself to the ledger. The caller holds the lock of the payment."""
    of_it = (ledger.c.kind == PAYMENT, ledger.c.source_id == str(before.id))
    last = conn.execute(select(func.max(ledger.c.version)).where(*of_it)).scalar_one()
    entry = _entry(before.id, before.affiliate_id, before.currency, last + 1, available, now_ms)
    ledgers.add_entries(conn, [entry])


def get_payment(conn: Connection, number: int) -> AffiliatePayment:
    """Return the payment of a number, which exists."""
    return _ROWS.entity(conn.execute(select(payment).where(payment.c.id == number)).one())


def find_payment(conn: Connection, scope: Scope, number: int, *, lock: bool = False) -> AffiliatePayment | None:
    """Return the payment of a number in scope, or None; `lock` works as in `Rows.find`."""
    scoped = in_scope(scope, affiliate=payment.c.affiliate_id)
    return _ROWS.find_where(conn, payment.c.id == number, *scoped, lock=lock)


def list_payments(
    conn: Connection, scope: Scope, criteria: PaymentFilter, *, page: int, limit: int
) -> tuple[list[AffiliatePayment], int]:
    """Return a page, the newest first, and the total."""
    query = select(payment).where(*_conditions(scope, criteria)).order_by(payment.c.id.desc())
    return _ROWS.read_page(conn, query, page, limit)


def payments_before(
    conn: Connection, scope: Scope, criteria: PaymentFilter, before: int | None, limit: int
) -> list[AffiliatePayment]:
    """Return the newest payments with a number below `before` (None is all), the newest first."""
    query = select(payment).where(*_conditions(scope, criteria)).order_by(payment.c.id.desc()).limit(limit)
    return _ROWS.read(conn, query if before is None else query.where(payment.c.id < before))


def _conditions(scope: Scope, criteria: PaymentFilter) -> list[ColumnElement[bool]]:
    conditions = of_affiliates(payment.c.affiliate_id, scope, criteria.affiliate_ids)
    if criteria.ids:
        conditions.append(payment.c.id.in_(criteria.ids))
    if criteria.currencies:
        conditions.append(payment.c.currency.in_(criteria.currencies))
    if criteria.statuses:
        conditions.append(payment.c.status.in_(criteria.statuses))
    if criteria.manager_ids:
        managed = select(affiliate.c.id).where(affiliate.c.manager_id.in_(criteria.manager_ids))
        conditions.append(payment.c.affiliate_id.in_(managed))
    chosen = ((payment.c.system_id, criteria.system_ids), (payment.c.account, criteria.accounts))
    conditions += [column.in_(values) for column, values in chosen if values]
    least = ((payment.c.created_at, criteria.since), (payment.c.updated_at, criteria.updated_since))
    conditions += [column >= value for column, value in least if value is not None]
    most = ((payment.c.created_at, criteria.until), (payment.c.updated_at, criteria.updated_until))
    conditions += [column < value for column, value in most if value is not None]
    return conditions


def redact_payments(conn: Connection, affiliate_id: int) -> None:
    """Remove the accounts that an affiliate was paid to."""
    conn.execute(update(payment).where(payment.c.affiliate_id == affiliate_id).values(account=""))


def list_entries(conn: Connection, number: int, *, page: int, limit: int) -> tuple[list[PaidEntry], int]:
    """Return a page of what a payment pays, the oldest first, and the total; none of a cancelled one."""
    total = conn.execute(select(func.count()).select_from(_entries(number).order_by(None).subquery())).scalar_one()
    rows = conn.execute(page_of(_entries(number), page, limit))
    return [PaidEntry(*row) for row in rows], int(total)


def sums_by_kind(conn: Connection, number: int) -> list[PaidSum]:
    """Return the sums of a payment by the kind of its entries."""
    entries = _entries(number).order_by(None).subquery()
    amount = func.sum(entries.c.available, type_=Amount)
    query = select(entries.c.kind, func.count(), amount).group_by(entries.c.kind).order_by(entries.c.kind)
    return [PaidSum(*row) for row in conn.execute(query)]


def entries_after(conn: Connection, number: int, after: PaidEntry | None, limit: int) -> list[PaidEntry]:
    """Return the entries that a payment pays, after an entry (None = from the first), the oldest first."""
    query = _entries(number).limit(limit)
    if after is not None:
        place = tuple_(ledger.c.at, ledger.c.source_id, ledger.c.version)
        query = query.where(place > tuple_(literal(after.at), literal(after.source_id), literal(after.version)))
    return [PaidEntry(*row) for row in conn.execute(query)]


def _entries(number: int) -> Select[Any]:
    """Return the statement for the entries of a payment.

    A payment is of one affiliate in one currency, so source and version identify an entry.
    """
    return (
        select(ledger.c.kind, ledger.c.source_id, ledger.c.version, ledger.c.available, ledger.c.at)
        .join(payment_entry, ENTRY_JOIN)
        .join(payment, payment.c.id == payment_entry.c.payment_id)
        .where(payment.c.id == number, payment.c.status != PaymentStatus.CANCELLED)
        .order_by(ledger.c.at, ledger.c.source_id, ledger.c.version)
    )


def _unpaid_conditions(affiliate_id: int, currency: str, chosen: PayableFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [
        ledger.c.affiliate_id == affiliate_id,
        ledger.c.currency == currency,
        ledger.c.kind != PAYMENT,
        ledger.c.available != ZERO,
        ~exists().where(ENTRY_JOIN),
    ]
    if chosen.since is not None:
        conditions.append(ledger.c.at >= chosen.since)
    if chosen.until is not None:
        conditions.append(ledger.c.at < chosen.until)
    if chosen.matured_at is not None:
        conditions.append(is_mature(literal(chosen.matured_at)))
    if not chosen.is_of_conversions:
        return conditions
    table = conversion.c
    named = (
        (table.offer_id, chosen.offer_ids),
        (table.advertiser_id, chosen.advertiser_ids),
        (table.country, chosen.countries),
    )
    of_conversion = [column.in_(values) for column, values in named if values]
    return [*conditions, exists().where(table.id == ledger.c.source_id, *of_conversion)]


def is_mature(at: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that payment terms let a run pay an entry.

    at: UTC milliseconds. A conversion is due when its first entry was available by then; an entry of one that a
    payment pays in part is due, too, so that a debt is settled at once.
    """
    first, paid = ledger.alias(), payment_entry.alias()
    is_same = and_(first.c.source_id == ledger.c.source_id, first.c.affiliate_id == ledger.c.affiliate_id)
    is_paid = exists().where(*(paid.c[name] == first.c[name] for name in _KEY_NAMES))
    of_it = (first.c.kind.in_(_OF_CONVERSIONS), first.c.currency == ledger.c.currency, first.c.available != ZERO)
    return or_(
        ledger.c.kind.not_in(_OF_CONVERSIONS),
        exists().where(is_same, *of_it, or_(first.c.at <= at, is_paid)),
    )


def of_affiliates(column: ColumnElement[int], scope: Scope, affiliate_ids: Sequence[int]) -> list[ColumnElement[bool]]:
    """Return the conditions for the affiliates in scope; no ids mean all of them."""
    chosen = [column.in_(affiliate_ids)] if affiliate_ids else []
    return [*in_scope(scope, affiliate=column), *chosen]


def _entry(number: int, affiliate_id: int, currency: str, version: int, amount: Decimal, now_ms: int) -> LedgerEntry:
    return LedgerEntry(affiliate_id, PAYMENT, str(number), version, currency, ZERO, amount, now_ms)
