"""Balances: what affiliates are owed, and what advertisers were charged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeVar

from trackyard.api.money import affiliate_payments, invoices
from trackyard.api.people import advertisers as advertisers_api
from trackyard.api.people import affiliates as affiliates_api
from trackyard.api.people.advertisers import AdvertiserView
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.statistics import reports
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.figures import report
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import asks_for_file, every_row, rows_file
from trackyard.console.staff.lists import ListFilter, ListState, read_list
from trackyard.console.staff.money.words import Sums, sums_of, sums_text
from trackyard.console.staff.people_names import affiliate_name, managers

pages = Pages()

PATH: Final = "/console/balances"
OF_ADVERTISERS: Final = "/console/balances/advertisers"
_MOST: Final = 1000
"""Payments or invoices that a page adds up."""
_IN_A_REPORT: Final = 100
"""Advertisers of a file that one report counts."""


K = TypeVar("K", int, str)
FileRow = dict[str, int | str | Decimal | None]
"""A line of a file."""


@dataclass(frozen=True, slots=True)
class AffiliateBalance:
    """The money of an affiliate. requested, paid: its payments, a dash where there are too many."""

    affiliate: AffiliateView
    name: str
    requested: str
    paid: str


@dataclass(frozen=True, slots=True)
class AdvertiserBalance:
    """The money of an advertiser. charge: of the period. unpaid, paid: its invoices."""

    id: str
    title: str
    charge: str
    unpaid: str
    paid: str


@pages.get(PATH, needs=(affiliates_api.list_, affiliates_api.show_balance))
def affiliates(request: PageRequest) -> PageAnswer:
    """Show balances of affiliates, a page at a time."""
    calls = request.calls
    state = read_list(request.address, (ListFilter("manager", gettext("Manager"), "manager_id[]", managers(calls)),))
    sent = [*state.sent("search"), ("with_balance", "1")]
    if asks_for_file(request):
        return rows_file(
            "balances-affiliates",
            _affiliate_rows(every_row(request, affiliates_api.list_, lambda answer: answer.partners, sent)),
        )
    answer = calls.ask(affiliates_api.list_, sent)
    ids = [each.id for each in answer.partners]
    requested, paid = _payments(request, ids, "created"), _payments(request, ids, "paid")
    rows = [
        AffiliateBalance(each, affiliate_name(each), _text(requested, each.id), _text(paid, each.id))
        for each in answer.partners
    ]
    path = calls.address(affiliates_api.list_, sent)
    return _page(request, state, rows, answer.pagination.total_count, path)


def _payments(request: PageRequest, ids: Sequence[int], status: str) -> Mapping[int, Sums] | None:
    """Return the sums of payments by affiliate; None where they cannot be seen or are too many."""
    if not request.calls.may(affiliate_payments.list_):
        return None
    if not ids:
        return {}
    sent = [*(("pid[]", str(each)) for each in ids), ("status[]", status), ("limit", str(_MOST))]
    answer = request.calls.ask(affiliate_payments.list_, sent)
    if answer.pagination.total_count > _MOST:
        return None
    found: dict[int, list[tuple[str, Decimal]]] = {}
    for each in answer.payments:
        found.setdefault(each.pid, []).append((each.currency, each.amount))
    return {number: sums_of(amounts) for number, amounts in found.items()}


@pages.get(OF_ADVERTISERS, needs=(advertisers_api.list_, invoices.list_, reports.custom))
def advertisers(request: PageRequest) -> PageAnswer:
    """Show what advertisers were charged and invoiced, a page at a time."""
    calls = request.calls
    state = read_list(request.address, (ListFilter("manager", gettext("Manager"), "manager[]", managers(calls)),))
    sent = [*state.sent("search"), ("order", "title")]
    if asks_for_file(request):
        found = list(every_row(request, advertisers_api.list_, lambda answer: answer.advertisers, sent))
        return rows_file("balances-advertisers", _advertiser_rows(request, found))
    answer = calls.ask(advertisers_api.list_, sent)
    ids = [each.id for each in answer.advertisers]
    unpaid, paid = _invoices(request, ids, "unpaid"), _invoices(request, ids, "paid")
    charges = _charges(request, ids)
    rows = [
        AdvertiserBalance(each.id, each.title, _text(charges, each.id), _text(unpaid, each.id), _text(paid, each.id))
        for each in answer.advertisers
    ]
    path = calls.address(advertisers_api.list_, sent)
    return _page(request, state, rows, answer.pagination.total_count, path)


def _affiliate_rows(found: Iterable[AffiliateView]) -> Iterator[FileRow]:
    """Yield a line of the file for each affiliate and currency."""
    for each in found:
        for currency, sums in each.balance.items():
            yield {
                "id": each.id,
                "name": affiliate_name(each),
                "email": each.email,
                "currency": currency,
                "balance": sums.balance,
                "hold": sums.hold,
                "available": sums.available,
            }


def _advertiser_rows(request: PageRequest, found: Sequence[AdvertiserView]) -> Iterator[FileRow]:
    """Yield a line of the file for each advertiser and currency. Sums that cannot be read are empty."""
    for start in range(0, len(found), _IN_A_REPORT):
        some = found[start : start + _IN_A_REPORT]
        ids = [each.id for each in some]
        sums = {
            "charge": _charges(request, ids),
            "unpaid": _invoices(request, ids, "unpaid"),
            "paid": _invoices(request, ids, "paid"),
        }
        for each in some:
            own = {name: (by_id or {}).get(each.id, {}) for name, by_id in sums.items()}
            codes = sorted({code for amounts in own.values() for code in amounts}) or [request.deps.currency]
            for code in codes:
                amounts = {name: None if sums[name] is None else own[name].get(code, 0) for name in sums}
                yield {"id": each.id, "title": each.title, "currency": code, **amounts}


def _invoices(request: PageRequest, ids: Sequence[str], status: str) -> Mapping[str, Sums] | None:
    """Return the sums of invoices by advertiser; None where they are too many."""
    if not ids:
        return {}
    sent = [*(("supplier_id[]", each) for each in ids), ("status[]", status), ("limit", str(_MOST))]
    answer = request.calls.ask(invoices.list_, sent)
    if answer.pagination.total_count > _MOST:
        return None
    found: dict[str, list[tuple[str, Decimal]]] = {}
    for each in answer.message:
        lines = ((each.currency, line.amount) for line in each.detail)
        found.setdefault(each.supplier_id, []).extend(lines)
    return {number: sums_of(amounts) for number, amounts in found.items()}


def _charges(request: PageRequest, ids: Sequence[str]) -> Mapping[str, Sums]:
    """Return the charge of the period by advertiser, in the currency of the platform."""
    if not ids:
        return {}
    period, _ = read_period(_with_period(request.address), request.deps.clock.now_ms(), request.day_zone)
    chosen = [("filter[advertiser][]", each) for each in ids]
    found = report(request.calls, period, ["advertiser"], filters=chosen, limit=len(ids))
    return {str(row.id_of("advertiser")): {found.currency: row.figures.charge} for row in found.rows}


def _with_period(address: PageAddress) -> PageAddress:
    return address if address.get("period") or address.get("from") else address.set("period", "month")


def _text(sums: Mapping[K, Sums] | None, of: K) -> str:
    return sums_text({} if sums is None else sums.get(of, {}))


def _page(
    request: PageRequest,
    state: ListState,
    rows: Sequence[AffiliateBalance] | Sequence[AdvertiserBalance],
    total: int,
    api_request_path: str,
) -> Html:
    now = request.deps.clock.now_ms()
    tabs = [
        tab
        for tab in ((PATH, gettext("Affiliates")), (OF_ADVERTISERS, gettext("Advertisers")))
        if request.may_open(tab[0])
    ]
    period, fault = read_period(_with_period(request.address), now, request.day_zone)
    return request.page(
        "staff/balances.html",
        tabs=tabs,
        is_of_affiliates=request.address.path == PATH,
        rows=rows,
        period=period,
        periods=CHOICES,
        fault=fault,
        api_request_path=api_request_path,
        **state.shown(total),
    )
