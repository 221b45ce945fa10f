"""What payments pay of conversions, and the state that follows (docs/spec/money.md#state-of-payment).

`domain/money/payment_states.py` has the same rule for sums.
"""

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, or_, select

from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import CONVERSION_KINDS
from trackyard.domain.money.payment_states import EXECUTED, PaidSums, PaymentState
from trackyard.store.engine.types import Amount
from trackyard.store.money.affiliate_payments import ENTRY_JOIN
from trackyard.store.tables import conversion, ledger, payment, payment_entry

_CHUNK: Final = 500
_SUM: Final = func.sum(ledger.c.available, type_=Amount)
_IS_PAID: Final = payment.c.status == EXECUTED
_PAID: Final = func.sum(case((_IS_PAID, ledger.c.available), else_=ZERO), type_=Amount)

PaidByConversion = dict[tuple[str, str], PaidSums]
"""Paid amounts by conversion and currency. Conversions that no payment pays are absent."""


def paid_sums_of(conn: Connection, conversion_ids: Iterable[str]) -> PaidByConversion:
    """Return the sums that payments pay of these conversions."""
    found: PaidByConversion = {}
    wanted = sorted(set(conversion_ids))
    key = (ledger.c.source_id, ledger.c.currency)
    for start in range(0, len(wanted), _CHUNK):
        named = payment_entry.c.source_id.in_(wanted[start : start + _CHUNK])
        for source_id, currency, paid, total in conn.execute(_entries(*key, _PAID, _SUM).where(named).group_by(*key)):
            found[source_id, currency] = PaidSums(paid, total - paid)
    return found


def has_state(state: PaymentState) -> ColumnElement[bool]:
    """Return the condition that a conversion of the statement has this state."""
    payout, has_payout = conversion.c.payout, conversion.c.payout != ZERO
    is_closed, is_covered = payout == _sum_of_it(_IS_PAID), payout == _sum_of_it()
    match state:
        case PaymentState.CLOSED:
            return and_(has_payout, is_closed)
        case PaymentState.PENDING:
            return and_(has_payout, is_covered, func.coalesce(~is_closed, True))
        case PaymentState.OPENED:  # most are in no payment: that is asked first
            is_named = select(payment_entry.c.source_id).where(payment_entry.c.source_id == conversion.c.id).exists()
            return or_(~has_payout, ~is_named, ~func.coalesce(is_closed, False) & ~func.coalesce(is_covered, False))
    raise AssertionError(state)


def _sum_of_it(*conditions: ColumnElement[bool]) -> ColumnElement[Any]:
    """Return the sum that payments pay of the conversion of a statement; NULL is nothing."""
    own = (payment_entry.c.source_id == conversion.c.id, ledger.c.currency == conversion.c.currency)
    return _entries(_SUM).where(*own, *conditions).correlate(conversion).scalar_subquery()


def _entries(*columns: ColumnElement[Any]) -> Select[Any]:
    """Return the statement for what payments pay of conversions to their own affiliates."""
    return (
        select(*columns)
        .select_from(payment_entry)
        .join(payment, payment.c.id == payment_entry.c.payment_id)
        .join(ledger, ENTRY_JOIN)
        .where(payment_entry.c.kind.in_(CONVERSION_KINDS))
    )
