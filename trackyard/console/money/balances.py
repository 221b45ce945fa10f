"""Balances: what affiliates are owed, and what advertisers were charged (docs/spec/console.md#money)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeVar

from trackyard.api.money import affiliate_payments, billed_invoices
from trackyard.api.people import advertisers as advertisers_api
from trackyard.api.people import affiliates as affiliates_api
from trackyard.api.people.advertisers import AdvertisersAnswer, AdvertiserView
from trackyard.api.people.affiliate_view import AffiliateView, CurrencyBalance
from trackyard.api.people.affiliates import AffiliatesAnswer
from trackyard.api.statistics import reports
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.figures import report
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink, Part
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Search
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES, MANAGERS
from trackyard.console.lists.page import declare_list
from trackyard.console.lists.state import read_days
from trackyard.console.money.words import Sums, sums_of, sums_text
from trackyard.console.staff.people_names import affiliate_name

pages = Pages()

PATH: Final = "/console/balances"
OF_ADVERTISERS: Final = "/console/balances/advertisers"
_MOST: Final = 1000
"""Payments or invoices that a page adds up."""
_IN_A_REPORT: Final = 100
"""Advertisers that one report counts."""
_MONTH: Final = Days(usual="month", first="", last="")

K = TypeVar("K", int, str)
SumsById = Mapping[K, Sums] | None
"""Sums by the id of their owner; None where the person may not see them, or they are too many to add up."""


@dataclass(frozen=True, slots=True)
class AffiliateBalance:
    """The money of an affiliate. unpaid, paid: its payments; None as in SumsById."""

    affiliate: AffiliateView
    unpaid: Sums | None
    paid: Sums | None

    @property
    def name(self) -> str:
        """Return the name of the affiliate."""
        return affiliate_name(self.affiliate)


@dataclass(frozen=True, slots=True)
class AdvertiserBalance:
    """The money of an advertiser. charge: of the period. unpaid, paid: its invoices; None as in SumsById."""

    advertiser: AdvertiserView
    charge: Sums
    unpaid: Sums | None
    paid: Sums | None


def _of_affiliates(request: PageRequest, answer: AffiliatesAnswer) -> list[AffiliateBalance]:
    ids = [each.id for each in answer.partners]
    unpaid, paid = _payments(request, ids, "created"), _payments(request, ids, "paid")
    return [AffiliateBalance(each, _own(unpaid, each.id), _own(paid, each.id)) for each in answer.partners]


def _payments(request: PageRequest, ids: Sequence[int], status: str) -> SumsById[int]:
    """Return the sums of payments by affiliate."""
    if not request.calls.may(affiliate_payments.list_):
        return None
    if not ids:
        return {}
    sent = [*(("pid[]", str(each)) for each in ids), ("status[]", status), ("limit", str(_MOST))]
    answer = request.calls.ask(affiliate_payments.list_, sent)
    if answer.pagination.total_count > _MOST:
        return None
    return _by_id((each.pid, each.currency, each.amount) for each in answer.payments)


def _of_advertisers(request: PageRequest, answer: AdvertisersAnswer) -> list[AdvertiserBalance]:
    period, _ = read_days(request, _MONTH)
    rows = []
    for start in range(0, len(answer.advertisers), _IN_A_REPORT):
        some = answer.advertisers[start : start + _IN_A_REPORT]
        ids = [each.id for each in some]
        charges = _charges(request, period, ids)
        unpaid, paid = _invoices(request, ids, "unpaid"), _invoices(request, ids, "paid")
        rows += [
            AdvertiserBalance(each, charges.get(each.id, {}), _own(unpaid, each.id), _own(paid, each.id))
            for each in some
        ]
    return rows


def _charges(request: PageRequest, period: DayPeriod, ids: Sequence[str]) -> Mapping[str, Sums]:
    """Return the charge of a period by advertiser, in the currency of the platform."""
    chosen = [("filter[advertiser][]", each) for each in ids]
    found = report(request.calls, period, ["advertiser"], filters=chosen, limit=len(ids))
    return {str(row.id_of("advertiser")): {found.currency: row.figures.charge} for row in found.rows}


def _invoices(request: PageRequest, ids: Sequence[str], status: str) -> SumsById[str]:
    """Return the sums of invoices by advertiser."""
    chosen = (("kind", "invoice"), ("state[]", "open"), ("state[]", "issued"), ("invoice_status[]", status))
    sent = [*(("supplier_id[]", each) for each in ids), *chosen, ("limit", str(_MOST))]
    answer = request.calls.ask(billed_invoices.list_, sent)
    if answer.pagination.total_count > _MOST:
        return None
    billed = (each for each in answer.invoices if each.credited_by is None)
    return _by_id((each.supplier_id, each.currency, each.total) for each in billed)


def _by_id(amounts: Iterable[tuple[K, str, Decimal]]) -> dict[K, Sums]:
    found: dict[K, list[tuple[str, Decimal]]] = {}
    for key, currency, amount in amounts:
        found.setdefault(key, []).append((currency, amount))
    return {key: sums_of(each) for key, each in found.items()}


def _own(sums: SumsById[K], key: K) -> Sums | None:
    return None if sums is None else sums.get(key, {})


def _sums(sums: Sums | None, link: PageAddress | str = "") -> ListCell:
    """Return sums as a link to what they are made of."""
    return cells.cell(sums_text(sums), link=link) if sums else cells.cell("")


def _amounts(row: AffiliateBalance, text: Callable[[CurrencyBalance, str], shown.MoneyText]) -> ListCell:
    """Return an amount in each currency."""
    texts = [text(each, currency) for currency, each in row.affiliate.balance.items()]
    return ListCell(part=Part("money/amounts.html", {"texts": texts}))


def _affiliate(row: AffiliateBalance, on: On) -> ListCell:
    key, name = row.affiliate.id, row.name
    about = f"{gettext('Statement')} {gettext('of %(name)s', name=name)}"
    statement = PageLink(gettext("Statement"), f"/console/statements/{key}", about)
    below = [statement] if on.opens(str(statement.to)) else []
    return on.object(AFFILIATES, key, row.affiliate.email, *below, name=name)


def _to_payments(row: AffiliateBalance, status: str) -> PageAddress:
    return PageAddress("/console/payments", (("affiliate", str(row.affiliate.id)), ("status", status)))


def _to_invoices(row: AdvertiserBalance, status: str) -> PageAddress:
    return PageAddress("/console/invoices", (("advertiser", row.advertiser.id), ("status", status)))


def _tabs(request: PageRequest, _rows: object) -> Mapping[str, object]:
    tabs = ((PATH, gettext("Affiliates")), (OF_ADVERTISERS, gettext("Advertisers")))
    return {"tabs": [each for each in tabs if request.may_open(each[0])]}


def _affiliate_lines(request: PageRequest, rows: Sequence[AffiliateBalance]) -> Iterator[Mapping[str, object]]:
    """Yield a line of the file for each affiliate and currency."""
    for row in rows:
        own: Mapping[str, CurrencyBalance | None] = row.affiliate.balance or {request.deps.currency: None}
        for currency, sums in own.items():
            yield {
                gettext("ID"): row.affiliate.id,
                gettext("Affiliate"): row.name,
                gettext("E-mail"): row.affiliate.email,
                gettext("Currency"): currency,
                gettext("Available"): sums and sums.available,
                gettext("On hold"): sums and sums.hold,
                gettext("Together"): sums and sums.balance,
            }


def _advertiser_lines(request: PageRequest, rows: Sequence[AdvertiserBalance]) -> Iterator[Mapping[str, object]]:
    """Yield a line of the file for each advertiser and currency. Sums that cannot be read are empty."""
    for row in rows:
        sums = {
            gettext("Charge"): row.charge,
            gettext("Invoices unpaid"): row.unpaid,
            gettext("Invoices paid"): row.paid,
        }
        for code in sorted({code for each in sums.values() for code in each or ()}) or [request.deps.currency]:
            amounts = {title: None if each is None else each.get(code, 0) for title, each in sums.items()}
            named = {gettext("ID"): row.advertiser.id, gettext("Advertiser"): row.advertiser.title}
            yield {**named, gettext("Currency"): code, **amounts}


def _period(request: PageRequest) -> Iterator[str]:
    yield read_days(request, _MONTH)[0].text


def _links(_request: PageRequest) -> list[PageLink]:
    return [PageLink(gettext("Corrections"), f"{PATH}/corrections")]


_SEARCH: Final = Search(placeholder=lazy_gettext("Name, e-mail or number"), parameter="search")
BALANCES: Final = ListPage[AffiliateBalance, AffiliatesAnswer](
    path=PATH,
    method=affiliates_api.list_,
    view=AffiliatesAnswer,
    rows=_of_affiliates,
    record=lambda row: row.affiliate,
    lines=_affiliate_lines,
    needs=(affiliates_api.show_balance,),
    title=lazy_gettext("Balances"),
    counted=lambda total: ngettext("%(num)d affiliate.", "%(num)d affiliates.", total),
    about=lazy_gettext(
        "What affiliates earned. Available money is in no payment yet; what is being paid is in payments that are "
        "not paid yet."
    ),
    links=_links,
    fixed=(("with_balance", "1"),),
    search=_SEARCH,
    filters=(FilterBy(name="manager", parameter="manager_id", objects=MANAGERS),),
    columns=(
        ListColumn(title=lazy_gettext("Affiliate"), role="title", cell=_affiliate),
        ListColumn(
            title=lazy_gettext("Available"),
            role="figure",
            cell=lambda row, _: _amounts(row, lambda each, currency: shown.money(each.available, currency)),
        ),
        ListColumn(
            title=lazy_gettext("On hold"),
            role="figure",
            cell=lambda row, _: _amounts(row, lambda each, currency: shown.money(each.hold, currency)),
        ),
        ListColumn(
            title=lazy_gettext("Together"),
            role="figure",
            cell=lambda row, _: _amounts(
                row, lambda each, currency: shown.together((each.available, each.hold), currency)
            ),
        ),
        ListColumn(
            title=lazy_gettext("Being paid"),
            role="figure",
            cell=lambda row, _: _sums(row.unpaid, _to_payments(row, "created")),
        ),
        ListColumn(
            title=lazy_gettext("Paid"),
            role="figure",
            cell=lambda row, _: _sums(row.paid, _to_payments(row, "paid")),
        ),
    ),
    above="money/balance_tabs.html",
    values=_tabs,
    empty=lazy_gettext("There is no one to owe anything yet."),
)
BALANCES_OF_ADVERTISERS: Final = ListPage[AdvertiserBalance, AdvertisersAnswer](
    path=OF_ADVERTISERS,
    method=advertisers_api.list_,
    view=AdvertisersAnswer,
    rows=_of_advertisers,
    record=lambda row: row.advertiser,
    lines=_advertiser_lines,
    needs=(billed_invoices.list_, reports.custom),
    title=lazy_gettext("Balances"),
    counted=lambda total: ngettext("%(num)d advertiser.", "%(num)d advertisers.", total),
    about=lazy_gettext("What advertisers were charged in the period, and all of their invoices."),
    notes=_period,
    links=_links,
    period=_MONTH,
    usual=("title", "asc"),
    search=_SEARCH,
    filters=(FilterBy(name="manager", objects=MANAGERS),),
    columns=(
        ListColumn(
            title=lazy_gettext("Advertiser"),
            role="title",
            cell=lambda row, on: on.object(ADVERTISERS, row.advertiser.id, name=row.advertiser.title),
        ),
        ListColumn(title=lazy_gettext("Charge"), role="figure", cell=lambda row, _: _sums(row.charge)),
        ListColumn(
            title=lazy_gettext("Invoices unpaid"),
            role="figure",
            cell=lambda row, _: _sums(row.unpaid, _to_invoices(row, "unpaid")),
        ),
        ListColumn(
            title=lazy_gettext("Invoices paid"),
            role="figure",
            cell=lambda row, _: _sums(row.paid, _to_invoices(row, "paid")),
        ),
    ),
    above="money/balance_tabs.html",
    values=_tabs,
    empty=lazy_gettext("There is no one to owe anything yet."),
)
declare_list(pages, BALANCES)
declare_list(pages, BALANCES_OF_ADVERTISERS)
