"""Statements of affiliates (docs/spec/money.md#statements)."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money.statements import get_statement
from trackyard.base.errors import BadInput
from trackyard.base.zones import local_day
from trackyard.domain.money.ledger import Balance
from trackyard.domain.money.statements import LineKind, Statement, StatementDays, StatementGroup, StatementLine
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Only, RequiredFor
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.exports import ExportParams, ExportTable, FileExport, table_of

routes = Routes[Deps]()
_MOST_DAYS: Final = timedelta(days=366)


class ShowStatement(ExportParams):
    """The account, the days, and what conversions are added up by; affiliates get their own."""

    date_from: s.Day
    date_to: s.Day
    currency: s.Currency | None = None
    by: Annotated[StatementGroup, s.Choice(StatementGroup)] = StatementGroup.DAY
    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None
    timezone: s.Zone | None = None

    def days(self, platform: ZoneInfo) -> StatementDays:
        """Return the days, of the platform's zone without another one.

        Raises BadInput for a period that is too long.
        """
        if self.date_to < self.date_from:
            raise BadInput({"date_to": ["This day must not lie before date_from."]})
        if self.date_to - self.date_from >= _MOST_DAYS:
            raise BadInput({"date_to": ["The period may have at most 366 days."]})
        return StatementDays(self.date_from, self.date_to, self.timezone or platform)


class StatementLineView(View):
    """A line of a statement.

    kind: one of LineKind, or cancelled payment; opening and closing in files alone.
    date: the date of the line; "" for sums over the period.
    number: the number of the correction or payment.
    text: the title of the offer, or the comment of the correction.
    """

    kind: str
    date: str
    offer_id: int | None
    number: int | None
    text: str
    amount: Money
    currency: str


class StatementTotalsView(View):
    """The sums of the lines by kind."""

    conversions: Money
    reversals: Money
    referral: Money
    referral_reversals: Money
    corrections: Money
    payments: Money
    earlier: Money


class StatementView(View):
    """What changed a balance in a period.

    opening, closing: the balance before the first and after the last day, hold included.
    hold, available: the parts of closing.
    """

    pid: int
    currency: str
    date_from: str
    date_to: str
    opening: Money
    totals: StatementTotalsView
    closing: Money
    hold: Money
    available: Money
    lines: list[StatementLineView]


class StatementAnswer(Answer):
    """A statement."""

    statement: StatementView


def statement_rows(request: ApiRequest[Deps], params: ShowStatement) -> ExportTable:
    """Return the rows of a file: the lines between the opening and the closing balance."""
    days = params.days(request.deps.zone)
    found = _statement(request, params, days)

    def rows() -> Iterator[StatementLineView]:
        yield _balance_line("opening", found.opening, days.first)
        yield from (_line_view(line, found.opening.currency, days.zone) for line in found.lines)
        yield _balance_line("closing", found.closing, days.last)

    return table_of(StatementLineView, rows(), days.zone, period=f"{days.first}-{days.last}")


@routes.get(
    "/balance/statement",
    for_callers(Permission.BALANCES_READ),
    id="balance.statement",
    features=("general.billing",),
    file_export=FileExport("statement", (StatementLineView,), statement_rows, "The lines with both balances."),
)
def show(request: ApiRequest[Deps], params: ShowStatement) -> StatementAnswer:
    """Show what changed an affiliate's balance in a period, in one currency.

    The opening balance and all lines together are the closing balance. Conversions, and what is taken back of
    them, are added up by day or by offer. The list of conversions with `booked` has what a line adds up.
    """
    days = params.days(request.deps.zone)
    found = _statement(request, params, days)
    closing = found.closing
    return StatementAnswer(
        statement=StatementView(
            pid=closing.affiliate_id,
            currency=closing.currency,
            date_from=str(days.first),
            date_to=str(days.last),
            opening=_sum_of(found.opening),
            totals=StatementTotalsView(
                conversions=number(found.total(LineKind.CONVERSIONS)),
                reversals=number(found.total(LineKind.REVERSALS)),
                referral=number(found.total(LineKind.REFERRAL)),
                referral_reversals=number(found.total(LineKind.REFERRAL_REVERSALS)),
                corrections=number(found.total(LineKind.CORRECTION)),
                payments=number(found.total(LineKind.PAYMENT)),
                earlier=number(found.total(LineKind.EARLIER)),
            ),
            closing=_sum_of(closing),
            hold=number(closing.hold),
            available=number(closing.available),
            lines=[_line_view(line, closing.currency, days.zone) for line in found.lines],
        )
    )


def _statement(request: ApiRequest[Deps], params: ShowStatement, days: StatementDays) -> Statement:
    currency = params.currency or request.deps.currency
    return get_statement(request.deps, request.access, params.pid, currency, days, params.by)


def _line_view(line: StatementLine, currency: str, zone: ZoneInfo) -> StatementLineView:
    return StatementLineView(
        kind="cancelled payment" if line.is_cancelled else line.kind.value,
        date="" if line.at is None else str(local_day(line.at, zone)),
        offer_id=line.offer_id,
        number=line.source_id,
        text=line.text,
        amount=number(line.amount),
        currency=currency,
    )


def _balance_line(kind: str, balance: Balance, day: date) -> StatementLineView:
    return StatementLineView(
        kind=kind,
        date=str(day),
        offer_id=None,
        number=None,
        text="",
        amount=_sum_of(balance),
        currency=balance.currency,
    )


def _sum_of(balance: Balance) -> Money:
    return number(balance.hold + balance.available)
