"""Events of invoices, and invoices that become overdue (docs/spec/money.md#issued-invoices)."""

from dataclasses import replace
from datetime import date
from typing import Final

from trackyard.actions.events.publishing import publish
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.money.invoices import Invoice
from trackyard.domain.platform.mails.values import MailMoney
from trackyard.store.engine.database import Connection
from trackyard.store.money import invoices
from trackyard.store.people import advertisers

_MOST: Final = 100


def publish_invoice(conn: Connection, kind: EventKind, invoice: Invoice, now_ms: int, **payload: str) -> None:
    """Publish an event of an issued invoice or of a credit note. payload: without its number and amount."""
    concerned = Concerned(invoice.number, None, invoice.advertiser_id)
    amount = MailMoney(invoice.total, invoice.currency)
    publish(conn, kind, now_ms, concerned, number=invoice.document_number, amount=amount, **payload)


def find_overdue(conn: Connection, today: date, now_ms: int) -> int:
    """Publish each issued invoice that is unpaid after its due date, once; return how many there were.

    today: in the zone of the platform. The caller has a transaction.
    """
    found = invoices.list_overdue(conn, today, _MOST)
    titles = advertisers.titles_of(conn, {each.advertiser_id for each in found})
    for each in found:
        invoices.edit_invoice(conn, each.number, replace(each, overdue_at=now_ms))
        payload = {"due": str(each.due_date), "advertiser": titles.get(each.advertiser_id, "")}
        publish_invoice(conn, EventKind.INVOICE_OVERDUE, each, now_ms, **payload)
    return len(found)
