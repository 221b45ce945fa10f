"""The ledger of affiliates: append-only entries, balances are their sums (docs/spec/money.md#ledger)."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Final

from sqlalchemy import Connection, func, select

from trackyard.domain.money.ledger import Balance, LedgerEntry, check_entries
from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.types import Amount
from trackyard.store.tables import ledger

_COLUMNS: Final = tuple(field.name for field in fields(LedgerEntry))
_values: Final = attrgetter(*_COLUMNS)
_NEW: Final = BulkInsert(ledger, _COLUMNS)


def add_entries(conn: Connection, entries: Sequence[LedgerEntry]) -> None:
    """Append the entries of an event in the transaction of their cause.

    The same entry twice is a conflict.

    Raises LedgerFault for entries that break a rule of the ledger, and ValueError for more than four places.
    """
    check_entries(entries)
    _NEW.add(conn, [list(_values(entry)) for entry in entries])


def list_balances(conn: Connection, affiliate_ids: Sequence[int]) -> list[Balance]:
    """Return the balances by affiliate and currency; none where nothing was ever entered."""
    rows = conn.execute(
        select(
            ledger.c.affiliate_id,
            ledger.c.currency,
            func.sum(ledger.c.hold, type_=Amount),
            func.sum(ledger.c.available, type_=Amount),
        )
        .where(ledger.c.affiliate_id.in_(affiliate_ids))
        .group_by(ledger.c.affiliate_id, ledger.c.currency)
        .order_by(ledger.c.affiliate_id, ledger.c.currency)
    )
    return [Balance(*row) for row in rows]
