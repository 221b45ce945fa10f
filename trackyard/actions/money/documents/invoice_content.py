"""What the document of an invoice, or of a credit note, has (docs/spec/documents.md#invoices)."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.money.documents.parties import exact_words, lines_of_text, new_document, party
from trackyard.base.money import plain_amount
from trackyard.base.texts.languages import ENGLISH, spoken
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.base.zones import local_day
from trackyard.documents.content import Document, DocumentTable
from trackyard.domain.money.billing import Billing
from trackyard.domain.money.invoices import Invoice, InvoiceLine, PayoutType
from trackyard.domain.money.written_amounts import NO_BREAK, amount_words, grouped
from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.platform.network import Network

COUNTED: Final[Mapping[PayoutType, str]] = {
    PayoutType.ACTIONS: lazy_gettext("Conversions"),
    PayoutType.SALES: lazy_gettext("Sales"),
    PayoutType.ACTIONS_AND_SALES: lazy_gettext("Conversions and sales"),
    PayoutType.CLICKS: lazy_gettext("Clicks"),
    PayoutType.IMPRESSIONS: lazy_gettext("Impressions"),
}
"""What lines count."""


def invoice_content(
    invoice: Invoice,
    advertiser: Advertiser,
    titles: Mapping[int, str],
    billing: Billing,
    network: Network,
    zone: ZoneInfo,
    credited: str = "",
) -> Document:
    """Return the document of an issued invoice, in the language of the moment.

    titles: of offers by number. credited: the document number of the invoice that a credit note takes back.
    """
    assert invoice.issued_at is not None
    heading = gettext("Credit note %(number)s") if invoice.credits is not None else gettext("Invoice %(number)s")
    address = (advertiser.address_1, advertiser.address_2, _place(advertiser), advertiser.country)
    return new_document(
        billing,
        network,
        title=heading % {"number": invoice.document_number},
        receiver=party(gettext("Bill to"), [advertiser.title, *address], advertiser.vat_code),
        facts=list(_facts(invoice, zone, credited)),
        tables=[_table(invoice, titles)],
        end=list(_end(invoice, billing, zone)),
        made_at=invoice.issued_at,
    )


def _place(advertiser: Advertiser) -> str:
    return " ".join(filter(None, (advertiser.zip_code, advertiser.city)))


def _facts(invoice: Invoice, zone: ZoneInfo, credited: str) -> Iterator[tuple[str, str]]:
    assert invoice.issued_at is not None
    yield gettext("Number"), invoice.document_number
    if credited:
        yield gettext("Credits the invoice"), credited
    yield gettext("Date of issue"), local_day(invoice.issued_at, zone).isoformat()
    if invoice.due_date is not None:
        yield gettext("Due date"), invoice.due_date.isoformat()
    days = [day.isoformat() for day in (invoice.start_date, invoice.end_date) if day is not None]
    if days:
        yield gettext("Period"), " – ".join(days)
    yield gettext("Currency"), invoice.currency


def _table(invoice: Invoice, titles: Mapping[int, str]) -> DocumentTable:
    headings = (gettext("Item"), gettext("Number"), gettext("Unit price"), gettext("Amount"))
    return DocumentTable(
        headings=headings,
        names=1,
        rows=tuple(_row(line, titles, invoice.currency) for line in shown_lines(invoice.lines)),
        empty=gettext("It has no lines."),
        sums=tuple(_sums(invoice)),
    )


def shown_lines(lines: Sequence[InvoiceLine]) -> Sequence[InvoiceLine]:
    """Return the lines with an amount; all lines where none has one."""
    return [line for line in lines if line.amount] or lines


def _row(line: InvoiceLine, titles: Mapping[int, str], currency: str) -> tuple[str, ...]:
    title = titles.get(line.offer_id) or gettext("Offer %(id)s", id=line.offer_id)
    item = f"{title} · {COUNTED[line.payout_type]}" + (f" · {line.comment}" if line.comment else "")
    price = line.unit_price
    unit = "" if price is None else exact_words(price, currency)
    return item, grouped(f"{line.actions:,}"), unit, amount_words(line.amount, currency)


def _sums(invoice: Invoice) -> Iterator[tuple[str, str]]:
    currency = invoice.currency
    if invoice.taxes:
        yield gettext("Sum of the lines"), amount_words(invoice.net, currency)
    for tax, amount in zip(invoice.taxes, invoice.tax_amounts, strict=True):
        yield f"{tax.name} {percent_words(tax.percent)}", amount_words(amount, currency)
    yield gettext("Total"), amount_words(invoice.total, currency)


def percent_words(percent: Decimal) -> str:
    """Return a percentage: 19%, in Spanish 5,5 %."""
    space = "" if spoken().code == ENGLISH else NO_BREAK
    return f"{grouped(plain_amount(percent))}{space}%"


def _end(invoice: Invoice, billing: Billing, zone: ZoneInfo) -> Iterator[str]:
    if invoice.computed:
        yield gettext("The lines are the confirmed conversions of the period, by days of %(zone)s.", zone=zone.key)
    yield from lines_of_text(invoice.notes)
    if invoice.credits is None:
        yield from lines_of_text(billing.payment_details)
