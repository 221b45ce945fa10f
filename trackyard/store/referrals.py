"""Referral shares: what affiliates bring those who referred them (spec: Referral payment row; behaviour.md §7, §8).

The one place that says what a share is: the referrer's percent of a conversion's payout, in its currency, as both are
now, while the conversion is confirmed or may still be.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, case, func, select

from trackyard.base.money import ZERO, percent_of
from trackyard.domain.scope import Scope
from trackyard.domain.statuses import Status
from trackyard.store.tables import affiliate, conversion, payment, payment_entry

KIND: Final = "referral"
"""Of shares in the ledger; the source of one is its conversion."""

FREE, PAID, PENDING = 0, 1, 2
"""Free to be paid; paid; on hold: not confirmed yet, or in a payment that is not executed."""

_OPEN: Final = (Status.CONFIRMED, Status.PENDING, Status.PENDING_CAP, Status.HOLD)
_BATCH: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFilter:
    """Which shares; None asks nothing. since, until: creation of the conversion, UTC ms, `until` exclusive · affiliate:
    who was referred · referrer: who earns · state: FREE, PAID or PENDING · confirmed: whether the conversions are."""

    since: int
    until: int
    affiliate: int | None = None
    referrer: int | None = None
    state: int | None = None
    confirmed: bool | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of one affiliate's conversions alike. amount: in `currency` · newest_at: the newest conversion ·
    registered_at: when the affiliate was · UTC ms."""

    affiliate: int
    referrer: int
    confirmed: bool
    state: int
    currency: str
    count: int
    newest_at: int
    registered_at: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class _Alike:
    """Conversions of one payout, so that each share is rounded and sums are exact."""

    affiliate: int
    referrer: int
    registered_at: int
    percent: Decimal
    currency: str
    status: str
    paid: int
    payout: Decimal
    count: int
    newest_at: int


def list_shares(
    conn: Connection, scope: Scope, chosen: ShareFilter, *, page: int, limit: int
) -> tuple[list[Shares], int]:
    """A page by affiliate, currency, confirmed and state, and how many rows there are. An affiliate in scope is the one
    who earns; an advertiser, the one whose conversions bring it."""
    rows = conn.execution_options(yield_per=_BATCH).execute(_query(scope, chosen))
    found = _summed(_Alike(*row) for row in rows)
    kept = [
        each
        for _, each in sorted(found.items())
        if chosen.state in (None, each.state) and chosen.confirmed in (None, each.confirmed)
    ]
    start = (page - 1) * limit
    return kept[start : start + limit], len(kept)


def _summed(rows: Iterable[_Alike]) -> dict[tuple[int, str, bool, int], Shares]:
    found: dict[tuple[int, str, bool, int], Shares] = {}
    for row in rows:
        confirmed = row.status == Status.CONFIRMED
        state = PAID if row.paid == 2 else FREE if confirmed and not row.paid else PENDING
        key = (row.affiliate, row.currency, confirmed, state)
        before = found.get(key)
        found[key] = Shares(
            affiliate=row.affiliate,
            referrer=row.referrer,
            confirmed=confirmed,
            state=state,
            currency=row.currency,
            count=(before.count if before else 0) + row.count,
            newest_at=max(before.newest_at if before else 0, row.newest_at),
            registered_at=row.registered_at,
            amount=(before.amount if before else ZERO) + percent_of(row.payout, row.percent) * row.count,
        )
    return found


def _query(scope: Scope, chosen: ShareFilter) -> Select[Any]:
    """Conversions by everything that tells shares apart, and by payout. paid: 2 in an executed payment, 1 in another,
    0 in none."""
    referrer = affiliate.alias("referrer")
    paid = (
        select(func.max(case((payment.c.status == "paid", 2), else_=1)))
        .join_from(payment_entry, payment, payment.c.id == payment_entry.c.payment_id)
        .where(payment_entry.c.kind == KIND, payment_entry.c.source_id == conversion.c.id)
        .scalar_subquery()
    )
    each = (
        select(
            conversion.c.affiliate_id,
            affiliate.c.ref,
            affiliate.c.created_at.label("registered_at"),
            referrer.c.ref_percent,
            conversion.c.currency,
            conversion.c.status,
            func.coalesce(paid, 0).label("paid"),
            conversion.c.payout,
            conversion.c.created_at,
        )
        .join_from(conversion, affiliate, affiliate.c.id == conversion.c.affiliate_id)
        .join(referrer, referrer.c.id == affiliate.c.ref)
        .where(referrer.c.ref_percent > ZERO, conversion.c.payout > ZERO, *_conditions(scope, chosen))
        .subquery()
    )
    alike = [column for column in each.c if column.name != "created_at"]
    return select(*alike, func.count(), func.max(each.c.created_at)).group_by(*alike)


def _conditions(scope: Scope, chosen: ShareFilter) -> list[ColumnElement[bool]]:
    table = conversion.c
    conditions: list[ColumnElement[bool]] = [
        table.status.in_([status.value for status in _OPEN]),
        table.created_at >= chosen.since,
        table.created_at < chosen.until,
    ]
    if scope.affiliate_ids is not None:
        conditions.append(affiliate.c.ref.in_(scope.affiliate_ids))
    if scope.advertiser_ids is not None:
        conditions.append(table.advertiser_id.in_(scope.advertiser_ids))
    equal = (
        (table.affiliate_id, chosen.affiliate),
        (affiliate.c.ref, chosen.referrer),
        (table.currency, chosen.currency),
    )
    return conditions + [column == value for column, value in equal if value is not None]
