"""What staff say of currencies (docs/spec/money.md#exchange-rates)."""

from dataclasses import asdict, dataclass
from decimal import Decimal

from sqlalchemy import Connection, delete, insert, select

from trackyard.store.tables import conversion, currency, invoice, ledger, offer


@dataclass(frozen=True, slots=True)
class Currency:
    """A row of the table. min_payment: the least that is paid out in it · updated_at: UTC ms."""

    code: str
    active: bool
    min_payment: Decimal
    updated_at: int


def list_currencies(conn: Connection) -> dict[str, Currency]:
    """What was said of each, by its code."""
    return {row.code: Currency(**row._mapping) for row in conn.execute(select(currency))}


def set_currency(conn: Connection, new: Currency) -> None:
    """Says it anew."""
    conn.execute(delete(currency).where(currency.c.code == new.code))
    conn.execute(insert(currency).values(**asdict(new)))


def remove_currency(conn: Connection, code: str) -> None:
    """Forgets what was said."""
    conn.execute(delete(currency).where(currency.c.code == code))


def is_used(conn: Connection, code: str) -> bool:
    """Whether an offer pays in it, or money was counted or billed in it."""
    for table in (conversion, ledger, invoice):
        if conn.execute(select(table.c.currency).where(table.c.currency == code).limit(1)).first() is not None:
            return True
    offers = conn.execute(select(offer.c.payments, offer.c.partner_payments))
    return any(item["currency"] == code for row in offers for item in (*row.payments, *row.partner_payments))
