"""A statement as a page, as a file and on paper (docs/spec/console.md#money)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from trackyard.api.money import statements
from trackyard.api.people.affiliates import BalanceView
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, Html, PageAnswer
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest

METHOD: Final = statements.show
GROUPS: Final = (("day", lazy_gettext("By day")), ("offer", lazy_gettext("By offer")))
_WORDS: Final = {
    "conversions": lazy_gettext("Conversions"),
    "referral": lazy_gettext("Referral share"),
    "correction": lazy_gettext("Correction"),
    "payment": lazy_gettext("Payment"),
    "cancelled payment": lazy_gettext("Cancelled payment"),
}


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A line of a statement.

    what: the kind of line, in words. link: the page of its subject, "" = none. balance: the balance after the line.
    """

    date: str
    what: str
    text: str
    link: str
    amount: Decimal
    balance: Decimal


def statement_page(request: PageRequest, owner: Sequence[Pair], currencies: Sequence[str], **values: Any) -> Html:
    """Return the page of a statement.

    owner: the parameters that select the affiliate; none on its own page. currencies: the currencies of its balances.
    values: values of the page's frame: title, back, links of lines.
    """
    address = request.address
    period, fault = _period(request)
    currency = _currency(request, currencies)
    sent = [*owner, *_sent(address, period, currency)]
    found = request.calls.ask(METHOD, sent).statement
    file_address = PageAddress(f"{address.path}/file", address.without().pairs)
    return request.page(
        "statement.html",
        statement=found,
        rows=_rows(found, values.pop("links")),
        groups=GROUPS,
        group=_group(address),
        period=period,
        periods=CHOICES,
        fault=fault,
        in_currency=currency,
        currencies=currencies,
        file=file_address,
        api_request_path=request.calls.address(METHOD, sent),
        **values,
    )


def statement_file(request: PageRequest, owner: Sequence[Pair], currencies: Sequence[str]) -> PageAnswer:
    """Send a statement as the file that the API makes of it."""
    period, _ = _period(request)
    sent = [*owner, *_sent(request.address, period, _currency(request, currencies)), ("format", "csv")]
    return Download(request.calls.file(METHOD, sent))


def currencies_of(balances: BalanceView) -> list[str]:
    """Return the currencies of balances."""
    return sorted({*balances.balance, *balances.hold, *balances.available})


def _period(request: PageRequest) -> tuple[DayPeriod, str]:
    address = request.address
    named = address if address.get("period") or address.get("from") else address.set("period", "month")
    return read_period(named, request.deps.clock.now_ms(), request.day_zone)


def _currency(request: PageRequest, currencies: Sequence[str]) -> str:
    wanted = request.address.get("currency")
    return wanted if wanted in currencies else request.deps.currency


def _group(address: PageAddress) -> str:
    return address.get("by") if address.get("by") in dict(GROUPS) else "day"


def _sent(address: PageAddress, period: DayPeriod, currency: str) -> list[Pair]:
    days = [("date_from", period.first.isoformat()), ("date_to", period.last.isoformat())]
    return [*days, ("currency", currency), ("by", _group(address))]


def _rows(statement: statements.StatementView, links: Mapping[str, str]) -> list[StatementRow]:
    """Return the lines in the order of time, sums over the period first, each with the balance after it."""
    rows, balance = list[StatementRow](), statement.opening
    for each in sorted(statement.lines, key=lambda line: line.date):
        balance += each.amount
        number = each.offer_id or each.number
        link = links.get("offer" if each.offer_id else each.kind.rpartition(" ")[2], "")
        rows.append(
            StatementRow(
                date=each.date,
                what=_WORDS[each.kind],
                text=each.text or (str(number) if number else ""),
                link=f"{link}/{number}" if link and number else "",
                amount=each.amount,
                balance=balance,
            )
        )
    return rows
