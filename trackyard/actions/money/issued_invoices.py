"""Issuing invoices, and credit notes (docs/spec/money.md#issued-invoices)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.money.documents.invoice_content import invoice_content
from trackyard.actions.money.documents.parties import speaking_to
from trackyard.actions.money.invoice_events import publish_invoice
from trackyard.actions.money.invoices import find_invoice
from trackyard.base.errors import Conflict, required
from trackyard.base.ids import new_id
from trackyard.base.zones import local_day
from trackyard.documents.content import encode
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.money.billing import Billing, document_number, prefix_of
from trackyard.domain.money.documents import DocumentKind, StoredDocument
from trackyard.domain.money.invoices import Invoice, InvoiceKind, InvoiceState, InvoiceStatus, credit_lines
from trackyard.domain.people.callers import Access, Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.money import documents, invoices
from trackyard.store.offers import offers
from trackyard.store.people import advertisers
from trackyard.store.platform import settings

_NO_NAME: Final = "Documents need the legal name of the network: set it under Settings, Documents."
_NO_LINES: Final = "An invoice without lines is not issued."
_WAS_ISSUED: Final = "It is issued already."
_NOT_ISSUED: Final = "Only an issued invoice gets a credit note. Change or delete this one instead."
_CREDITED: Final = "The invoice has a credit note already."


_DOCUMENTS: Final = {
    InvoiceKind.INVOICE: DocumentKind.INVOICE,
    InvoiceKind.CREDIT_NOTE: DocumentKind.CREDIT_NOTE,
}


@dataclass(frozen=True, slots=True)
class InvoiceRecord:
    """An invoice with what belongs to it.

    credited_by: the number of the credit note that takes it back; None without one.
    file: the id of the PDF file of its document, "" = none.
    """

    invoice: Invoice
    credited_by: int | None
    file: str


def issue_invoice(deps: Deps, access: Access, number: int) -> Invoice:
    """Give an invoice its document number and its document, and mail it to the advertiser; return it.

    Without a due date it is due after the days that staff set. From now on it stays as it is.
    Raises NotFound, and Conflict for an invoice that is issued, has no lines, or before the legal name is set.
    """
    with deps.database.write() as conn:
        found = find_invoice(conn, access, number, lock=True)
        if found.state is InvoiceState.ISSUED:
            raise Conflict({"number": [_WAS_ISSUED]})
        if not found.lines:
            raise Conflict({"detail": [_NO_LINES]})
        billing = _billing(conn)
        now = deps.clock.now_ms()
        today = local_day(now, deps.zone)
        issued = replace(
            found,
            is_draft=False,
            issued_at=now,
            updated_at=now,
            due_date=found.due_date or today + timedelta(days=billing.due_days),
            document_number=_next_number(conn, billing.invoice_series, today),
        )
        invoices.edit_invoice(conn, number, issued)
        _add_document(deps, conn, issued, billing, DocumentKind.INVOICE)
        publish_invoice(conn, EventKind.INVOICE_ISSUED, issued, now, due=str(issued.due_date))
        return issued


def credit_invoice(deps: Deps, access: Access, number: int, comment: str | None = None) -> Invoice:
    """Take an issued invoice back with a credit note over all of it; return the credit note.

    Raises NotFound, and Conflict for what was not issued or has a credit note.
    """
    with deps.database.write() as conn:
        found = find_invoice(conn, access, number, lock=True)
        if found.state is not InvoiceState.ISSUED or found.credits is not None:
            raise Conflict({"number": [_NOT_ISSUED]})
        if invoices.find_credit(conn, number) is not None:
            raise Conflict({"number": [_CREDITED]})
        billing = _billing(conn)
        now = deps.clock.now_ms()
        today = local_day(now, deps.zone)
        note = replace(
            found,
            number=0,
            credits=number,
            status=InvoiceStatus.PAID,  # it is owed by no one
            lines=credit_lines(found.lines),
            comment=comment,
            notes="",
            due_date=None,
            overdue_at=None,
            issued_at=now,
            created_at=now,
            updated_at=now,
            document_number=_next_number(conn, billing.credit_series, today),
        )
        note = replace(note, number=invoices.add_invoice(conn, note))
        _add_document(deps, conn, note, billing, DocumentKind.CREDIT_NOTE, found.document_number)
        publish_invoice(conn, EventKind.INVOICE_CREDITED, note, now, credited=found.document_number)
        return note


def document_of(deps: Deps, invoice: Invoice) -> StoredDocument | None:
    """Return the document of an invoice; None before it is issued."""
    company = Account(AccountKind.ADVERTISER, invoice.advertiser_id)
    with deps.database.read() as conn:
        return documents.find_of(conn, _DOCUMENTS[invoice.kind], invoice.number, company)


def records_of(deps: Deps, found: Sequence[Invoice]) -> list[InvoiceRecord]:
    """Return invoices with their credit notes and files."""
    if not found:
        return []
    subjects = [str(each.number) for each in found if each.issued_at is not None]
    with deps.database.read() as conn:
        credits = invoices.find_credits(conn, [each.number for each in found])
        files = {kind: documents.files_of(conn, _DOCUMENTS[kind], subjects) for kind in InvoiceKind}
    return [InvoiceRecord(each, credits.get(each.number), files[each.kind].get(str(each.number), "")) for each in found]


def _billing(conn: Connection) -> Billing:
    found = settings.find_billing(conn)
    if not found.legal_name:
        raise Conflict({"number": [_NO_NAME]})
    return found


def _next_number(conn: Connection, series: str, day: date) -> str:
    prefix = prefix_of(series, day.year)
    return document_number(prefix, invoices.next_number(conn, prefix))


def _add_document(
    deps: Deps, conn: Connection, invoice: Invoice, billing: Billing, kind: DocumentKind, credited: str = ""
) -> None:
    company = Account(AccountKind.ADVERTISER, invoice.advertiser_id)
    advertiser = required(advertisers.find_advertiser(conn, Scope.everything(), invoice.advertiser_id))
    names = offers.names_of(conn, {line.offer_id for line in invoice.lines})
    titles = {number: name.title for number, name in names.items()}
    with speaking_to(conn, company):
        network = settings.find_network(conn)
        content = invoice_content(invoice, advertiser, titles, billing, network, deps.zone, credited)
        text = encode(content).decode()
    new = StoredDocument(
        id=new_id(deps.clock.now_ms()),
        kind=kind,
        subject=str(invoice.number),
        company=company.name,
        number=invoice.document_number,
        content=text,
        created_at=deps.clock.now_ms(),
    )
    documents.add_document(conn, new)
