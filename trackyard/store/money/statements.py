"""The sums of statements, from the ledger (docs/spec/money.md#statements)."""

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, String, cast, func, select

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.ledger import ADVANCE, CORRECTION, OTHER_KINDS, PAYMENT, REFERRAL_KINDS, Balance
from trackyard.domain.money.statements import LineKind, StatementLine
from trackyard.store.engine.types import Amount
from trackyard.store.tables import conversion, correction, ledger, offer, payment

QUARTER_MS: Final = 900_000
"""Milliseconds of the spans in which sums by day are read: every zone's day begins with one."""
_HOLD: Final = func.sum(ledger.c.hold, type_=Amount)
_AVAILABLE: Final = func.sum(ledger.c.available, type_=Amount)
_BALANCE: Final = func.sum(ledger.c.hold + ledger.c.available, type_=Amount)


def balance_before(conn: Connection, affiliate_id: int, currency: str, until: int) -> Balance:
    """Return the balance of all entries before `until` (UTC milliseconds, exclusive)."""
    of_it = (ledger.c.affiliate_id == affiliate_id, ledger.c.currency == currency, ledger.c.at < until)
    hold, available = conn.execute(select(_HOLD, _AVAILABLE).where(*of_it)).one()
    return Balance(affiliate_id, currency, hold or ZERO, available or ZERO)


def sums_by_quarter(
    conn: Connection, affiliate_id: int, currency: str, since: int, until: int
) -> list[tuple[int, Decimal]]:
    """Return the changes by conversions, by the start of each quarter of an hour with changes, in order."""
    start = ledger.c.at - ledger.c.at % QUARTER_MS
    query = select(start, _BALANCE).where(*_within(affiliate_id, currency, since, until), *_of_conversions())
    return [(int(at), amount) for at, amount in conn.execute(query.group_by(start).order_by(start))]


def sums_by_offer(
    conn: Connection, affiliate_id: int, currency: str, since: int, until: int
) -> list[tuple[int, str, Decimal]]:
    """Return the changes by conversions of each offer: number, title, amount."""
    query = (
        select(conversion.c.offer_id, func.coalesce(offer.c.title, ""), _BALANCE)
        .select_from(ledger)
        .join(conversion, conversion.c.id == ledger.c.source_id)
        .outerjoin(offer, offer.c.id == conversion.c.offer_id)
        .where(*_within(affiliate_id, currency, since, until), *_of_conversions())
        .group_by(conversion.c.offer_id, offer.c.title)
        .order_by(conversion.c.offer_id)
    )
    return [tuple(row) for row in conn.execute(query)]


def sum_of_shares(conn: Connection, affiliate_id: int, currency: str, since: int, until: int) -> Decimal:
    """Return the change by shares of referred affiliates."""
    shares = ledger.c.kind.in_(REFERRAL_KINDS)
    amount = conn.execute(select(_BALANCE).where(*_within(affiliate_id, currency, since, until), shares)).scalar_one()
    return amount or ZERO


def other_lines(conn: Connection, affiliate_id: int, currency: str, since: int, until: int) -> Iterator[StatementLine]:
    """Yield corrections and payments, the oldest first."""
    query = (
        select(ledger.c.kind, ledger.c.source_id, ledger.c.version, ledger.c.at, ledger.c.available)
        .where(*_within(affiliate_id, currency, since, until), ledger.c.kind.in_((CORRECTION, PAYMENT)))
        .order_by(ledger.c.at, ledger.c.kind, ledger.c.source_id, ledger.c.version)
    )
    rows = conn.execute(query).all()
    comments = _comments(conn, [int(row.source_id) for row in rows if row.kind == CORRECTION])
    cancelled = _cancellations(conn, {row.source_id for row in rows if row.kind == PAYMENT and row.version > 1})
    for row in rows:
        is_correction = row.kind == CORRECTION
        yield StatementLine(
            kind=LineKind.CORRECTION if is_correction else LineKind.PAYMENT,
            amount=row.available,
            at=row.at,
            source_id=int(row.source_id),
            text=comments.get(int(row.source_id), "") if is_correction else "",
            is_cancelled=not is_correction and cancelled.get(row.source_id) == row.version,
        )


def _cancellations(conn: Connection, payments: Collection[str]) -> dict[str, int]:
    """Return the version of the entry that gives a cancelled payment back: its last one."""
    last = func.max(ledger.c.version)
    of_them = (ledger.c.kind == PAYMENT, ledger.c.source_id.in_(payments), payment.c.status == PaymentStatus.CANCELLED)
    is_of_payment = cast(payment.c.id, String) == ledger.c.source_id
    query = select(ledger.c.source_id, last).join(payment, is_of_payment).where(*of_them).group_by(ledger.c.source_id)
    return dict(conn.execute(query).all())


def _comments(conn: Connection, numbers: list[int]) -> dict[int, str]:
    rows = conn.execute(select(correction.c.id, correction.c.comment).where(correction.c.id.in_(numbers)))
    return {row.id: row.comment for row in rows}


def _within(affiliate_id: int, currency: str, since: int, until: int) -> tuple[ColumnElement[bool], ...]:
    columns: Any = ledger.c
    return (
        columns.affiliate_id == affiliate_id,
        columns.currency == currency,
        columns.at >= since,
        columns.at < until,
        columns.kind != ADVANCE,
    )


def _of_conversions() -> tuple[ColumnElement[bool], ...]:
    return (ledger.c.kind.not_in((*REFERRAL_KINDS, *OTHER_KINDS)),)
