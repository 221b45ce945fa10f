"""Statements of affiliates (docs/spec/money.md#statements)."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.base.money import ZERO
from trackyard.base.zones import day_start_ms, local_day
from trackyard.domain.money.statements import (
    CONVERSION_LINES,
    REFERRAL_LINES,
    SUMMED_LINES,
    LineKind,
    Statement,
    StatementDays,
    StatementGroup,
    StatementLine,
)
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.store.engine.database import Connection
from trackyard.store.money import statements
from trackyard.store.people import affiliates

_Period = tuple[int, str, int, int]
"""An affiliate, a currency, and the moments between which its entries are read, in UTC milliseconds."""


def get_statement(
    deps: Deps,
    access: Access,
    affiliate_id: int | None,
    currency: str,
    days: StatementDays,
    group: StatementGroup,
) -> Statement:
    """Return the changes of a balance in a period, of the caller or, for staff, of an affiliate in scope.

    Raises BadInput for an affiliate that does not exist.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        if isinstance(access.caller, AffiliateCaller):
            affiliate_id = affiliate_id or access.caller.id
        if affiliate_id is None or affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise BadInput({"pid": [f"An affiliate {affiliate_id} does not exist."]})
        account = (affiliate_id, currency)
        return Statement(
            opening=statements.balance_before(conn, *account, days.since),
            closing=statements.balance_before(conn, *account, days.until),
            lines=_lines(conn, affiliate_id, currency, days, group),
        )


def _lines(
    conn: Connection, affiliate_id: int, currency: str, within: StatementDays, group: StatementGroup
) -> Sequence[StatementLine]:
    """Return the lines of a statement in order, without lines of 0, except of single entries."""
    period = (affiliate_id, currency, within.since, within.until)
    sums = _by_day(conn, period, within.zone) if group is StatementGroup.DAY else _by_offer(conn, period)
    lines = [*(each for each in sums if each.amount), *statements.other_lines(conn, *period)]
    return sorted(lines, key=lambda line: 0 if line.at is None else line.at)


def _by_day(conn: Connection, period: _Period, zone: ZoneInfo) -> Iterator[StatementLine]:
    """Yield the sums of each day, a kind of line after the other."""
    sums: dict[tuple[LineKind, date], Decimal] = {}
    for at, is_share, amounts in statements.sums_by_quarter(conn, *period):
        day = local_day(at, zone)
        for kind, amount in zip(REFERRAL_LINES if is_share else CONVERSION_LINES, amounts, strict=True):
            sums[kind, day] = sums.get((kind, day), ZERO) + amount
    for kind in SUMMED_LINES:
        for (each, day), amount in sums.items():
            if each is kind:
                yield StatementLine(kind=kind, amount=amount, at=day_start_ms(day, zone))


def _by_offer(conn: Connection, period: _Period) -> Iterator[StatementLine]:
    """Yield the sums of each offer, then of the shares of referred affiliates."""
    for offer_id, title, amounts in statements.sums_by_offer(conn, *period):
        for kind, amount in zip(CONVERSION_LINES, amounts, strict=True):
            yield StatementLine(kind=kind, amount=amount, offer_id=offer_id, text=title)
    for kind, amount in zip(REFERRAL_LINES, statements.sum_of_shares(conn, *period), strict=True):
        yield StatementLine(kind=kind, amount=amount)
