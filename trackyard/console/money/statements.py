"""A statement as a page, as a file and on paper (docs/spec/console.md#money)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import statements
from trackyard.api.people import affiliates
from trackyard.api.people.affiliates import BalanceView
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, Html, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.money.payments import OWN_PATH

pages = Pages()

METHOD: Final = statements.show
GROUPS: Final = (("day", lazy_gettext("By day")), ("offer", lazy_gettext("By offer")))
_STAFF_LINKS: Final = {"offer": "/console/offers", "payment": "/console/payments"}
_OWN_LINKS: Final = {"offer": "/portal/offers", "payment": OWN_PATH}
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


@dataclass(frozen=True, slots=True)
class _Owner:
    """The affiliate of a statement, as a page shows it.

    sent: the parameters that select it; none on its own page. subject: its name there.
    links: the paths of the pages of lines, by their kind. back: the page before.
    """

    sent: Sequence[Pair]
    subject: str
    links: Mapping[str, str]
    back: str
    back_label: str


@pages.get("/console/statements/{id}", needs=(METHOD, affiliates.show_balance))
def of_affiliate(request: PageRequest) -> PageAnswer:
    """Show what changed the balance of an affiliate."""
    number, currencies = _account(request)
    name = AFFILIATES.names(request.calls, [number]).get(str(number), f"#{number}")
    owner = _Owner([("pid", str(number))], name, _STAFF_LINKS, f"/console/affiliates/{number}", name)
    return _page(request, owner, currencies)


@pages.get("/console/statements/{id}/file", needs=(METHOD, affiliates.show_balance))
def file_of_affiliate(request: PageRequest) -> PageAnswer:
    """Send the statement as a file."""
    number, currencies = _account(request)
    return statement_file(request, [("pid", str(number))], currencies)


def _account(request: PageRequest) -> tuple[int, list[str]]:
    """Return the number of the affiliate and the currencies of its balances. Raises NotFound."""
    text = request.key
    if not (text.isascii() and text.isdecimal() and 0 < len(text) < 10):
        raise NotFound
    try:
        found = request.calls.ask(affiliates.show_balance, [("pid", text)]).balance
    except BadInput:
        raise NotFound from None
    return int(text), currencies_of(found)


@pages.get("/portal/statement", audience="affiliate", needs=(METHOD, affiliates.show_balance))
def own(request: PageRequest) -> PageAnswer:
    """Show what changed the balance."""
    currencies = currencies_of(request.calls.ask(affiliates.show_balance).balance)
    owner = _Owner((), "", _OWN_LINKS, OWN_PATH, gettext("Payments"))
    return _page(request, owner, currencies)


@pages.get("/portal/statement/file", audience="affiliate", needs=(METHOD, affiliates.show_balance))
def own_file(request: PageRequest) -> PageAnswer:
    """Send the statement as a file."""
    return statement_file(request, (), currencies_of(request.calls.ask(affiliates.show_balance).balance))


def _page(request: PageRequest, owner: _Owner, currencies: Sequence[str]) -> Html:
    """Return the page of a statement. currencies: the currencies of the affiliate's balances."""
    address = request.address
    period, fault = _period(request)
    currency = _currency(request, currencies)
    sent = [*owner.sent, *_sent(address, period, currency)]
    found = request.calls.ask(METHOD, sent).statement
    file_address = PageAddress(f"{address.path}/file", address.without().pairs)
    return request.page(
        "money/statement.html",
        statement=found,
        rows=_rows(found, owner.links),
        groups=GROUPS,
        group=_group(address),
        period=period,
        periods=CHOICES,
        fault=fault,
        in_currency=currency,
        currencies=currencies,
        file=file_address,
        api_request_path=request.calls.address(METHOD, sent),
        title=gettext("Statement"),
        subject=owner.subject,
        back=owner.back,
        back_label=owner.back_label,
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
