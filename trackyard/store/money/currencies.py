"""Currencies that staff added or changed (docs/spec/money.md#exchange-rates)."""

from sqlalchemy import Connection, delete, insert, select

from trackyard.domain.money.currencies import Currency
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import conversion, currency, invoice, ledger, offer


def list_currencies(conn: Connection) -> dict[str, Currency]:
    """Return the stored currencies by code, without their rates."""
    return {row.code: Currency(row.code, row.active, row.min_payment) for row in conn.execute(select(currency))}


def set_currency(conn: Connection, new: Currency, now_ms: int) -> None:
    """Store a currency in place of the earlier one."""
    conn.execute(delete(currency).where(currency.c.code == new.code))
    conn.execute(
        insert(currency).values(code=new.code, active=new.active, min_payment=new.min_payment, updated_at=now_ms)
    )


def remove_currency(conn: Connection, code: str) -> None:
    """Remove a stored currency."""
    conn.execute(delete(currency).where(currency.c.code == code))


def is_used(conn: Connection, code: str) -> bool:
    """Return whether an offer pays in it, or money was counted or billed in it."""
    for table in (conversion, ledger, invoice):
        if has_rows(conn, select(table.c.currency).where(table.c.currency == code)):
            return True
    offers = conn.execute(select(offer.c.payments, offer.c.partner_payments))
    return any(item["currency"] == code for row in offers for item in (*row.payments, *row.partner_payments))
