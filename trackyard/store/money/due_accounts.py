"""What a payment run could pay of each account (docs/spec/money.md#payment-runs)."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import BigInteger, ColumnElement, Connection, case, cast, exists, func, literal, or_, select

from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import CORRECTION, PAYMENT
from trackyard.domain.money.payment_proposals import DueAccount
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.types import Amount
from trackyard.store.money.affiliate_payments import ENTRY_JOIN, is_mature, of_affiliates
from trackyard.store.tables import affiliate, ledger

_DAY_MS: Final = 86_400_000


def list_due_accounts(
    conn: Connection,
    scope: Scope,
    now_ms: int,
    *,
    until: int | None = None,
    affiliate_ids: Sequence[int] = (),
    currencies: Sequence[str] = (),
) -> list[DueAccount]:
    """Return the accounts with money that is available or owed, by affiliate and currency.

    An empty filter means all. Payment terms are of each affiliate.
    until (exclusive): UTC milliseconds; what became available later is not due.
    """
    chosen = [*of_affiliates(ledger.c.affiliate_id, scope, affiliate_ids)]
    if currencies:
        chosen.append(ledger.c.currency.in_(currencies))
    key = (ledger.c.affiliate_id, ledger.c.currency)
    available = func.sum(ledger.c.available, type_=Amount)
    hold = func.sum(ledger.c.hold, type_=Amount)
    books = select(*key, available, hold).where(*chosen).group_by(*key).having(available != ZERO).order_by(*key)
    due = _sum_if(_is_due(now_ms, until))
    corrections = _sum_if(ledger.c.kind == CORRECTION)
    unpaid = (ledger.c.kind != PAYMENT, ledger.c.available != ZERO, ~exists().where(ENTRY_JOIN))
    open_entries = (
        select(*key, due, corrections, func.min(ledger.c.at))
        .join(affiliate, affiliate.c.id == ledger.c.affiliate_id)
        .where(*chosen, *unpaid)
        .group_by(*key)
    )
    of_entries = {(row[0], row[1]): row[2:] for row in conn.execute(open_entries)}
    found = []
    for affiliate_id, currency, amount, held in conn.execute(books):
        owed, corrected, oldest = of_entries.get((affiliate_id, currency), (ZERO, ZERO, None))
        account = DueAccount(
            affiliate_id=affiliate_id,
            currency=currency,
            available=amount,
            due=owed,
            hold=held,
            corrections=corrected,
            oldest_at=oldest,
        )
        found.append(account)
    return found


def _is_due(now_ms: int, until: int | None) -> ColumnElement[bool]:
    terms_ms = cast(affiliate.c.payment_terms, BigInteger) * literal(_DAY_MS, BigInteger)
    mature = or_(affiliate.c.payment_terms == 0, is_mature(literal(now_ms, BigInteger) - terms_ms))
    return mature if until is None else mature & (ledger.c.at < until)


def _sum_if(condition: ColumnElement[bool]) -> ColumnElement[object]:
    return func.sum(case((condition, ledger.c.available), else_=literal(ZERO, Amount)), type_=Amount)
