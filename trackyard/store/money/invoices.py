"""Invoices of advertisers (docs/api/invoices.md)."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from trackyard.domain.money.invoices import Invoice, InvoiceFilter, InvoiceLine, PayoutType
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import invoice, offer


def add_invoice(conn: Connection, new: Invoice) -> int:
    """Store a new invoice and return its number."""
    return int(conn.execute(insert(invoice).values(**_values(new)).returning(invoice.c.number)).scalar_one())


def edit_invoice(conn: Connection, number: int, now: Invoice) -> None:
    """Replace the values of an invoice."""
    conn.execute(update(invoice).where(invoice.c.number == number).values(**_values(now)))


def find_invoice(conn: Connection, scope: Scope, number: int, *, lock: bool = False) -> Invoice | None:
    """Return the invoice of a number in scope, or None; `lock` works as in `Rows.find`."""
    scoped = in_scope(scope, advertiser=invoice.c.advertiser_id)
    return _ROWS.find_where(conn, invoice.c.number == number, *scoped, lock=lock)


def list_invoices(
    conn: Connection, scope: Scope, criteria: InvoiceFilter, *, page: int, limit: int
) -> tuple[list[Invoice], int]:
    """Return a page, the newest first, and the total."""
    conditions = in_scope(scope, advertiser=invoice.c.advertiser_id)
    if criteria.advertisers:
        conditions.append(invoice.c.advertiser_id.in_(criteria.advertisers))
    if criteria.statuses:
        conditions.append(invoice.c.status.in_(criteria.statuses))
    if criteria.since is not None:
        conditions.append(invoice.c.start_date >= criteria.since.isoformat())
    if criteria.until is not None:
        conditions.append(invoice.c.end_date <= criteria.until.isoformat())
    return _ROWS.read_page(conn, select(invoice).where(*conditions).order_by(invoice.c.number.desc()), page, limit)


def missing_offers(conn: Connection, advertiser_id: str, ids: Iterable[int]) -> list[int]:
    """Return the ids that no offer of the advertiser ever had. A removed offer can still be billed."""
    wanted = set(ids)
    own = select(offer.c.id).where(offer.c.id.in_(wanted), offer.c.advertiser_id == advertiser_id)
    return sorted(wanted.difference(conn.execute(own).scalars() if wanted else ()))


def _values(item: Invoice) -> dict[str, Any]:
    values = asdict(item)
    del values["number"]
    values["detail"] = [line | {"amount": str(line["amount"])} for line in values.pop("lines")]
    return values | {name: values[name] and values[name].isoformat() for name in ("start_date", "end_date")}


def _invoice(detail: list[dict[str, Any]], **values: Any) -> Invoice:
    lines = tuple(
        InvoiceLine(**item | {"amount": Decimal(item["amount"]), "payout_type": PayoutType(item["payout_type"])})
        for item in detail
    )
    for name in ("start_date", "end_date"):
        values[name] = values[name] and date.fromisoformat(values[name])
    return Invoice(**values, lines=lines)


_ROWS: Final = Rows[Invoice, int](invoice, _invoice)
