"""A statement as a page, as a file and on paper (docs/spec/console.md#money)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import statements
from trackyard.api.people import affiliates
from trackyard.api.people.affiliates import BalanceView
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.money.corrections import PATH as CORRECTIONS
from trackyard.console.money.payments import OWN_PATH
from trackyard.console.money.statement_pdf import statement_pdf
from trackyard.documents.pdf.process import PdfFault
from trackyard.domain.money.statements import CONVERSION_LINES, REFERRAL_LINES

log = logging.getLogger("trackyard.api")
pages = Pages()

METHOD: Final = statements.show
GROUPS: Final = (("day", lazy_gettext("By day")), ("offer", lazy_gettext("By offer")))
WORDS: Final = {
    "conversions": lazy_gettext("Conversions"),
    "reversals": lazy_gettext("Taken back"),
    "referral": lazy_gettext("Referral share"),
    "referral_reversals": lazy_gettext("Referral share taken back"),
    "correction": lazy_gettext("Correction"),
    "payment": lazy_gettext("Payment"),
    "cancelled payment": lazy_gettext("Cancelled payment"),
    "earlier": lazy_gettext("Earned on another platform"),
}
_SUBJECTS: Final = {
    "conversions": "offers",
    "reversals": "offers",
    "payment": "payments",
    "cancelled payment": "payments",
}
"""The kinds of lines with a page of their subject, to the path of such pages."""


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A line of a statement.

    what: the kind of line, in words. rows: the list of what the line adds up, None = none.
    link: the page of its subject, "" = none. balance: the balance after the line.
    """

    date: str
    what: str
    rows: PageAddress | None
    text: str
    link: str
    amount: Decimal
    balance: Decimal


@dataclass(frozen=True, slots=True)
class _Owner:
    """The affiliate of a statement, as a page shows it.

    id: its number for staff; "" on its own pages. subject: its name there. home: its pages. back: the page before.
    """

    id: str
    subject: str
    home: str
    back: str
    back_label: str

    @property
    def sent(self) -> list[Pair]:
        """Return the parameters of the method that select it."""
        return [("pid", self.id)] if self.id else []

    def rows_of(self, kind: str, days: Sequence[Pair], more: Sequence[Pair]) -> PageAddress | None:
        """Return the list of what lines of a kind add up on some days."""
        of_it, of_referrer = ([(name, self.id)] if self.id else [] for name in ("affiliate", "referrer"))
        if kind in CONVERSION_LINES:
            return PageAddress(f"{self.home}/conversions", (*days, ("booked", kind), *of_it, *more))
        if kind in REFERRAL_LINES and self.id:
            return PageAddress(f"{self.home}/conversions", (*days, ("booked", kind), *of_referrer, *more))
        if kind in REFERRAL_LINES:
            return PageAddress(f"{self.home}/referrals")
        if kind == "correction" and self.id:
            since, until = (day for _, day in days)
            return PageAddress(CORRECTIONS, (*of_it, ("since", since), ("until", until)))
        return None


@pages.get("/console/statements/{id}", needs=(METHOD, affiliates.show_balance))
def of_affiliate(request: PageRequest) -> PageAnswer:
    """Show what changed the balance of an affiliate."""
    number, currencies = _account(request)
    return _page(request, _owner_of(request, number), currencies)


@pages.get("/console/statements/{id}/file", needs=(METHOD, affiliates.show_balance))
def file_of_affiliate(request: PageRequest) -> PageAnswer:
    """Send the statement as a file."""
    number, currencies = _account(request)
    return statement_file(request, _owner_of(request, number), currencies)


def _owner_of(request: PageRequest, number: int) -> _Owner:
    name = AFFILIATES.names(request.calls, [number]).get(str(number), f"#{number}")
    return _Owner(str(number), name, "/console", f"/console/affiliates/{number}", name)


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
    return _page(request, _own_owner(), currencies)


@pages.get("/portal/statement/file", audience="affiliate", needs=(METHOD, affiliates.show_balance))
def own_file(request: PageRequest) -> PageAnswer:
    """Send the statement as a file."""
    return statement_file(request, _own_owner(), currencies_of(request.calls.ask(affiliates.show_balance).balance))


def _own_owner() -> _Owner:
    return _Owner("", "", "/portal", OWN_PATH, gettext("Payments"))


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
        rows=_rows(found, owner, address),
        sums=_sums(found.totals),
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


def _sums(totals: statements.StatementTotalsView) -> list[tuple[str, Decimal]]:
    """Return the sums of the kinds of lines: labels and amounts, without what rarely exists and is 0."""
    usual = [
        (gettext("Conversions"), totals.conversions),
        (gettext("Taken back"), totals.reversals),
        (gettext("Referral share"), totals.referral + totals.referral_reversals),
        (gettext("Corrections"), totals.corrections),
        (gettext("Payments"), totals.payments),
    ]
    return [*([(gettext("Earned on another platform"), totals.earlier)] if totals.earlier else []), *usual]


def statement_file(request: PageRequest, owner: _Owner, currencies: Sequence[str]) -> PageAnswer:
    """Send a statement as a CSV file that the API makes of it, or, with `format=pdf`, as a PDF file."""
    period, _ = _period(request)
    sent = [*owner.sent, *_sent(request.address, period, _currency(request, currencies))]
    if request.address.get("format") != "pdf" or not request.calls.may_export(METHOD):
        return Download(request.calls.file(METHOD, [*sent, ("format", "csv")]))
    found = request.calls.ask(METHOD, sent).statement
    rows = _rows(found, owner, request.address)
    lines = [(each.date, str(each.what), each.text, each.amount, each.balance) for each in rows]
    try:
        return statement_pdf(request, found, owner.subject or request.person.name, _sums(found.totals), lines)
    except PdfFault as fault:
        log.warning("statement not drawn", extra={"reason": str(fault)})
        page = PageAddress(request.address.path.removesuffix("/file"), request.address.without("format").pairs)
        return Redirect(str(page), gettext("The PDF file could not be made this time."))


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


def _rows(statement: statements.StatementView, owner: _Owner, address: PageAddress) -> list[StatementRow]:
    """Return the lines, each with the balance after it."""
    rows, balance = list[StatementRow](), statement.opening
    kept = [("currency", statement.currency), *(("tz", zone) for zone in address.all("tz"))]
    for each in statement.lines:
        balance += each.amount
        days = [("from", each.date or statement.date_from), ("to", each.date or statement.date_to)]
        of_offer = [("offer", str(each.offer_id))] if each.offer_id else []
        number = each.offer_id or each.number
        link = f"{owner.home}/{_SUBJECTS[each.kind]}/{number}" if number and each.kind in _SUBJECTS else ""
        rows.append(
            StatementRow(
                date=each.date,
                what=WORDS[each.kind],
                rows=owner.rows_of(each.kind, days, [*of_offer, *kept]),
                text=each.text or (str(number) if number else ""),
                link=link,
                amount=each.amount,
                balance=balance,
            )
        )
    return rows
