"""The sums of statements, from the ledger (docs/spec/money.md#statements)."""

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, String, and_, case, cast, false, func, or_, select, type_coerce

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.ledger import (
    ADVANCE,
    CORRECTION,
    OPENING,
    OTHER_KINDS,
    PAYMENT,
    REFERRAL_KINDS,
    Balance,
)
from trackyard.domain.money.statements import CONVERSION_LINES, REFERRAL_LINES, BookedIn, LineKind, StatementLine
from trackyard.store.engine.types import Amount
from trackyard.store.tables import conversion, correction, ledger, offer, payment

QUARTER_MS: Final = 900_000
"""Milliseconds of the spans in which sums by day are read: every zone's day begins with one."""
_HOLD: Final = func.sum(ledger.c.hold, type_=Amount)
_AVAILABLE: Final = func.sum(ledger.c.available, type_=Amount)
_CHANGE: Final = type_coerce(ledger.c.hold + ledger.c.available, Amount)
_RISES: Final = func.sum(case((_CHANGE > ZERO, _CHANGE), else_=ZERO), type_=Amount)
_FALLS: Final = func.sum(case((_CHANGE < ZERO, _CHANGE), else_=ZERO), type_=Amount)
_OF_ENTRY: Final = {CORRECTION: LineKind.CORRECTION, PAYMENT: LineKind.PAYMENT, OPENING: LineKind.EARLIER}
"""The kinds of entries that are lines of their own."""

Summed = tuple[Decimal, Decimal]
"""What entries added to a balance, and what they took from it, at most 0."""


def balance_before(conn: Connection, affiliate_id: int, currency: str, until: int) -> Balance:
    """Return the balance of all entries before `until` (UTC milliseconds, exclusive)."""
    of_it = (ledger.c.affiliate_id == affiliate_id, ledger.c.currency == currency, ledger.c.at < until)
    hold, available = conn.execute(select(_HOLD, _AVAILABLE).where(*of_it)).one()
    return Balance(affiliate_id, currency, hold or ZERO, available or ZERO)


def sums_by_quarter(
    conn: Connection, affiliate_id: int, currency: str, since: int, until: int
) -> list[tuple[int, bool, Summed]]:
    """Return the changes by each quarter of an hour with changes: start, whether they are shares, sums.

    Shares are of referred affiliates, the other changes of the affiliate's own conversions.
    """
    start = ledger.c.at - ledger.c.at % QUARTER_MS
    query = select(start, ledger.c.kind, _RISES, _FALLS).where(*_within(affiliate_id, currency, since, until))
    rows = conn.execute(query.where(ledger.c.kind.not_in(OTHER_KINDS)).group_by(start, ledger.c.kind))
    return [(int(at), kind in REFERRAL_KINDS, (rises, falls)) for at, kind, rises, falls in rows]


def sums_by_offer(
    conn: Connection, affiliate_id: int, currency: str, since: int, until: int
) -> list[tuple[int, str, Summed]]:
    """Return the changes by conversions of each offer: number, title, sums."""
    query = (
        select(conversion.c.offer_id, func.coalesce(offer.c.title, ""), _RISES, _FALLS)
        .select_from(ledger)
        .join(conversion, conversion.c.id == ledger.c.source_id)
        .outerjoin(offer, offer.c.id == conversion.c.offer_id)
        .where(*_within(affiliate_id, currency, since, until), _is_of_conversion())
        .group_by(conversion.c.offer_id, offer.c.title)
        .order_by(conversion.c.offer_id)
    )
    return [(number, title, (rises, falls)) for number, title, rises, falls in conn.execute(query)]


def sum_of_shares(conn: Connection, affiliate_id: int, currency: str, since: int, until: int) -> Summed:
    """Return the changes by shares of referred affiliates."""
    shares = ledger.c.kind.in_(REFERRAL_KINDS)
    query = select(_RISES, _FALLS).where(*_within(affiliate_id, currency, since, until), shares)
    rises, falls = conn.execute(query).one()
    return rises or ZERO, falls or ZERO


def other_lines(conn: Connection, affiliate_id: int, currency: str, since: int, until: int) -> Iterator[StatementLine]:
    """Yield the lines of single entries, the oldest first."""
    query = (
        select(ledger.c.kind, ledger.c.source_id, ledger.c.version, ledger.c.at, ledger.c.available)
        .where(*_within(affiliate_id, currency, since, until), ledger.c.kind.in_(_OF_ENTRY))
        .order_by(ledger.c.at, ledger.c.kind, ledger.c.source_id, ledger.c.version)
    )
    rows = conn.execute(query).all()
    comments = _comments(conn, [int(row.source_id) for row in rows if row.kind == CORRECTION])
    cancelled = _cancellations(conn, {row.source_id for row in rows if row.kind == PAYMENT and row.version > 1})
    for row in rows:
        yield StatementLine(
            kind=_OF_ENTRY[row.kind],
            amount=row.available,
            at=row.at,
            source_id=None if row.kind == OPENING else int(row.source_id),
            text=comments.get(int(row.source_id), "") if row.kind == CORRECTION else "",
            is_cancelled=row.kind == PAYMENT and cancelled.get(row.source_id) == row.version,
        )


def is_booked(chosen: BookedIn) -> ColumnElement[bool]:
    """Return the condition on conversions that lines of statements add them up."""
    columns = ledger.c
    lines = list[ColumnElement[bool]]()
    for (risen, fallen), is_of, owners in (
        (CONVERSION_LINES, _is_of_conversion(), chosen.affiliates),
        (REFERRAL_LINES, columns.kind.in_(REFERRAL_KINDS), chosen.referrers),
    ):
        owned = [] if owners is None else [columns.affiliate_id.in_(owners)]
        lines += [and_(is_of, _CHANGE > ZERO, *owned)] if risen in chosen.lines else []
        lines += [and_(is_of, _CHANGE < ZERO, *owned)] if fallen in chosen.lines else []
    conditions = [columns.at >= chosen.since, columns.at < chosen.until, or_(false(), *lines)]
    if chosen.currencies is not None:
        conditions.append(columns.currency.in_(chosen.currencies))
    return conversion.c.id.in_(select(columns.source_id).where(*conditions))


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


def _is_of_conversion() -> ColumnElement[bool]:
    return ledger.c.kind.not_in((*REFERRAL_KINDS, *OTHER_KINDS))
