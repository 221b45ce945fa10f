"""Referral shares of affiliates (docs/spec/money.md#referral-shares).

The shares of confirmed conversions are in the ledger (domain/money/ledger.py). Shares of others are computed as if
they were confirmed now (docs/spec/statistics.md#referral-payments).
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, case, func, select

from trackyard.base.money import ZERO, percent_of
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.ledger import REFERRAL_KINDS
from trackyard.domain.money.referrals import ReferralShares, ShareFilter, ShareState
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import in_scope
from trackyard.store.engine.types import Amount
from trackyard.store.money.affiliate_payments import ENTRY_JOIN
from trackyard.store.tables import affiliate, conversion, ledger, payment, payment_entry

_OPEN: Final = (Status.PENDING, Status.PENDING_CAP, Status.HOLD)
_PARTIES: Final = (conversion.c.affiliate_id, conversion.c.referrer_id)
_BATCH: Final = 1000


_Key = tuple[int, str, bool, int, int]


def list_shares(
    conn: Connection, scope: Scope, criteria: ShareFilter, *, page: int, limit: int
) -> tuple[list[ReferralShares], int]:
    """Return a page by affiliate, currency, confirmed, state and referrer, and the number of rows.

    scope: its affiliates limit the referrers, its advertisers limit the conversions.
    """
    found: dict[_Key, ReferralShares] = {}
    for part in (*_ledger_shares(conn, scope, criteria), *_expected_shares(conn, scope, criteria)):
        key = (part.affiliate, part.currency, part.confirmed, part.state, part.referrer)
        found[key] = _merged(found[key], part) if key in found else part
    kept = [
        each
        for _, each in sorted(found.items())
        if each.state in (criteria.states or (each.state,))
        and each.confirmed in (criteria.confirmed or (each.confirmed,))
    ]
    start = (page - 1) * limit
    return kept[start : start + limit], len(kept)


def _merged(first: ReferralShares, second: ReferralShares) -> ReferralShares:
    return replace(
        first,
        count=first.count + second.count,
        newest_at=max(first.newest_at, second.newest_at),
        amount=first.amount + second.amount,
    )


def _ledger_shares(conn: Connection, scope: Scope, criteria: ShareFilter) -> Iterator[ReferralShares]:
    """Yield the shares of the ledger by the state of their payment, without sums of 0."""
    paid = case(
        (payment.c.status == PaymentStatus.PAID, ShareState.PAID.value),
        (payment.c.id.is_not(None), ShareState.PENDING.value),
        else_=ShareState.FREE.value,
    )
    amount = func.sum(ledger.c.available, type_=Amount)
    each = _of_conversions(
        select(
            *_PARTIES,
            (conversion.c.status == Status.CONFIRMED).label("confirmed"),
            paid.label("state"),
            ledger.c.currency,
            affiliate.c.created_at.label("registered_at"),
            conversion.c.created_at,
            amount.label("amount"),
        )
        .join_from(conversion, affiliate, affiliate.c.id == conversion.c.affiliate_id)
        .join(ledger, and_(ledger.c.source_id == conversion.c.id, ledger.c.kind.in_(REFERRAL_KINDS)))
        .outerjoin(payment_entry, ENTRY_JOIN)
        .outerjoin(payment, payment.c.id == payment_entry.c.payment_id),
        scope,
        criteria,
    )
    if criteria.currencies:
        each = each.where(ledger.c.currency.in_(criteria.currencies))
    one = each.group_by(conversion.c.id, *list(each.selected_columns)[:-1]).having(amount != ZERO).subquery()
    alike = list(one.c)[:6]
    rows = conn.execute(
        select(
            *alike,
            func.count().label("number"),
            func.max(one.c.created_at).label("newest_at"),
            func.sum(one.c.amount, type_=Amount).label("amount"),
        ).group_by(*alike)
    )
    for row in rows:
        yield _shares(row, confirmed=bool(row.confirmed), state=ShareState(row.state), amount=row.amount)


def _expected_shares(conn: Connection, scope: Scope, criteria: ShareFilter) -> Iterator[ReferralShares]:
    """Yield the shares of undecided conversions; each share is rounded, so equal payouts go together."""
    query = _of_conversions(
        select(
            *_PARTIES,
            conversion.c.referral_percent,
            conversion.c.currency,
            conversion.c.payout,
            affiliate.c.created_at.label("registered_at"),
            func.count().label("number"),
            func.max(conversion.c.created_at).label("newest_at"),
        ).join_from(conversion, affiliate, affiliate.c.id == conversion.c.affiliate_id),
        scope,
        criteria,
    ).where(conversion.c.status.in_([status.value for status in _OPEN]), conversion.c.payout > ZERO)
    if criteria.currencies:
        query = query.where(conversion.c.currency.in_(criteria.currencies))
    alike = list(query.selected_columns)[:6]
    for row in conn.execution_options(yield_per=_BATCH).execute(query.group_by(*alike)):
        amount = percent_of(row.payout, row.referral_percent) * row.number
        yield _shares(row, confirmed=False, state=ShareState.PENDING, amount=amount)


def _shares(row: Any, *, confirmed: bool, state: ShareState, amount: Decimal) -> ReferralShares:
    return ReferralShares(
        affiliate=row.affiliate_id,
        referrer=row.referrer_id,
        confirmed=confirmed,
        state=state,
        currency=row.currency,
        count=row.number,
        newest_at=row.newest_at,
        registered_at=row.registered_at,
        amount=amount,
    )


def _of_conversions(query: Select[Any], scope: Scope, criteria: ShareFilter) -> Select[Any]:
    """Narrow a query to the conversions that are chosen."""
    table = conversion.c
    query = query.where(
        table.referrer_id.is_not(None), table.created_at >= criteria.since, table.created_at < criteria.until
    )
    query = query.where(*in_scope(scope, affiliate=table.referrer_id, advertiser=table.advertiser_id))
    if criteria.affiliates:
        query = query.where(table.affiliate_id.in_(criteria.affiliates))
    if criteria.referrers:
        query = query.where(table.referrer_id.in_(criteria.referrers))
    return query
