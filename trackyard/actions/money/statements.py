"""Statements of affiliates (docs/spec/money.md#statements)."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.base.money import ZERO
from trackyard.base.zones import day_start_ms, local_day
from trackyard.domain.money.statements import LineKind, Statement, StatementDays, StatementGroup, StatementLine
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.store.engine.database import Connection
from trackyard.store.money import statements
from trackyard.store.people import affiliates


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
            lines=tuple(_lines(conn, affiliate_id, currency, days, group)),
        )


def _lines(
    conn: Connection, affiliate_id: int, currency: str, within: StatementDays, group: StatementGroup
) -> Iterator[StatementLine]:
    """Yield the lines of a statement, without lines of 0, except payments and corrections."""
    period = (affiliate_id, currency, within.since, within.until)
    if group is StatementGroup.DAY:
        days: dict[date, Decimal] = {}
        for at, amount in statements.sums_by_quarter(conn, *period):
            day = local_day(at, within.zone)
            days[day] = days.get(day, ZERO) + amount
        for day, amount in days.items():
            if amount:
                yield StatementLine(kind=LineKind.CONVERSIONS, amount=amount, at=day_start_ms(day, within.zone))
    else:
        for offer_id, title, amount in statements.sums_by_offer(conn, *period):
            if amount:
                yield StatementLine(kind=LineKind.CONVERSIONS, amount=amount, offer_id=offer_id, text=title)
    shares = statements.sum_of_shares(conn, *period)
    if shares:
        yield StatementLine(kind=LineKind.REFERRAL, amount=shares)
    yield from statements.other_lines(conn, *period)
