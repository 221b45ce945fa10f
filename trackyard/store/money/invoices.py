"""Invoices of advertisers, and credit notes (docs/spec/money.md#invoices)."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select, update

from trackyard.domain.money.invoices import (
    Invoice,
    InvoiceFilter,
    InvoiceKind,
    InvoiceLine,
    InvoiceState,
    InvoiceStatus,
    PayoutType,
    TaxLine,
)
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows, has_rows, in_scope
from trackyard.store.tables import document_series, invoice, offer

_DAYS: Final = ("start_date", "end_date", "due_date")
_STATES: Final = {
    InvoiceState.DRAFT: invoice.c.is_draft,
    InvoiceState.OPEN: and_(~invoice.c.is_draft, invoice.c.issued_at.is_(None)),
    InvoiceState.ISSUED: invoice.c.issued_at.is_not(None),
}


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
    if criteria.states:
        conditions.append(or_(*(_STATES[each] for each in criteria.states)))
    if criteria.kind is not None:
        is_credit = criteria.kind is InvoiceKind.CREDIT_NOTE
        conditions.append(invoice.c.credits.is_not(None) if is_credit else invoice.c.credits.is_(None))
    if criteria.overdue_on is not None:
        conditions += _overdue(criteria.overdue_on)
    if criteria.since is not None:
        conditions.append(invoice.c.start_date >= criteria.since.isoformat())
    if criteria.until is not None:
        conditions.append(invoice.c.end_date <= criteria.until.isoformat())
    return _ROWS.read_page(conn, select(invoice).where(*conditions).order_by(invoice.c.number.desc()), page, limit)


def remove_invoice(conn: Connection, number: int) -> None:
    """Remove an invoice. The caller has checked that it is a draft."""
    conn.execute(delete(invoice).where(invoice.c.number == number))


def find_credit(conn: Connection, number: int) -> int | None:
    """Return the number of the credit note that takes an invoice back; None without one."""
    return conn.execute(select(invoice.c.number).where(invoice.c.credits == number)).scalar_one_or_none()


def find_credits(conn: Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return the credit notes that take invoices back, by the number of the invoice."""
    taken = select(invoice.c.credits, invoice.c.number).where(among_values(invoice.c.credits, sorted(set(numbers))))
    return {row.credits: row.number for row in conn.execute(taken)}


def has_overdue(conn: Connection, today: date) -> bool:
    """Return whether `list_overdue` has any."""
    return has_rows(conn, select(invoice.c.number).where(*_overdue(today), invoice.c.overdue_at.is_(None)))


def list_overdue(conn: Connection, today: date, most: int) -> list[Invoice]:
    """Return issued invoices that are overdue and were not found yet."""
    query = (
        select(invoice).where(*_overdue(today), invoice.c.overdue_at.is_(None)).order_by(invoice.c.number).limit(most)
    )
    return _ROWS.read(conn, query.with_for_update(skip_locked=True))


def _overdue(today: date) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of invoices that are unpaid after their due date and were not taken back."""
    credit = invoice.alias()
    is_credited = select(credit.c.number).where(credit.c.credits == invoice.c.number).exists()
    return (
        *(invoice.c.issued_at.is_not(None), invoice.c.credits.is_(None)),
        *(invoice.c.status == InvoiceStatus.UNPAID, invoice.c.due_date < today.isoformat(), ~is_credited),
    )


def next_number(conn: Connection, prefix: str) -> int:
    """Count a document number with a prefix, and return it. The numbers of a prefix have no gaps."""
    statement = upsert(conn, document_series).values(prefix=prefix, last=1)
    counted = statement.on_conflict_do_update(index_elements=["prefix"], set_={"last": document_series.c.last + 1})
    return int(conn.execute(counted.returning(document_series.c.last)).scalar_one())


def begin_series(conn: Connection, prefix: str, first: int) -> int | None:
    """Let the numbers of a prefix continue with `first`; return None.

    Where the last number is not below it, nothing changes, and the result is the last number.
    """
    last = conn.execute(select(document_series.c.last).where(document_series.c.prefix == prefix)).scalar_one_or_none()
    if last is not None and last >= first:
        return int(last)
    statement = upsert(conn, document_series).values(prefix=prefix, last=first - 1)
    conn.execute(statement.on_conflict_do_update(index_elements=["prefix"], set_={"last": first - 1}))
    return None


def missing_offers(conn: Connection, advertiser_id: str, ids: Iterable[int]) -> list[int]:
    """Return the ids that no offer of the advertiser ever had. A removed offer can still be billed."""
    wanted = set(ids)
    own = select(offer.c.id).where(offer.c.id.in_(wanted), offer.c.advertiser_id == advertiser_id)
    return sorted(wanted.difference(conn.execute(own).scalars() if wanted else ()))


def _values(item: Invoice) -> dict[str, Any]:
    values = asdict(item)
    del values["number"]
    values["detail"] = [line | {"amount": str(line["amount"])} for line in values.pop("lines")]
    values["taxes"] = [each | {"percent": str(each["percent"])} for each in values["taxes"]]
    values["document_number"] = values["document_number"] or None  # several invoices have none
    return values | {name: values[name] and values[name].isoformat() for name in _DAYS}


def _invoice(detail: list[dict[str, Any]], taxes: list[dict[str, Any]], **values: Any) -> Invoice:
    lines = tuple(
        InvoiceLine(**item | {"amount": Decimal(item["amount"]), "payout_type": PayoutType(item["payout_type"])})
        for item in detail
    )
    for name in _DAYS:
        values[name] = values[name] and date.fromisoformat(values[name])
    values["document_number"] = values["document_number"] or ""
    return Invoice(
        **values, lines=lines, taxes=tuple(TaxLine(each["name"], Decimal(each["percent"])) for each in taxes)
    )


_ROWS: Final = Rows[Invoice, int](invoice, _invoice)
