"""Balances: sums over the ledger (behaviour.md §8)."""

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection, func, select

from trackyard.domain.scope import Scope
from trackyard.store.tables import ledger


@dataclass(frozen=True, slots=True)
class Balance:
    """What an affiliate has in one currency; `total` = hold + available."""

    hold: Decimal
    available: Decimal

    @property
    def total(self) -> Decimal:
        """The balance."""
        return self.hold + self.available


def balances_of(conn: Connection, scope: Scope, affiliate_id: int) -> dict[str, Balance]:
    """The balance by currency; empty for an affiliate out of scope or without entries."""
    if not scope.has_affiliate(affiliate_id):
        return {}
    rows = conn.execute(
        select(
            ledger.c.currency, func.sum(ledger.c.hold).label("hold"), func.sum(ledger.c.available).label("available")
        )
        .where(ledger.c.affiliate_id == affiliate_id)
        .group_by(ledger.c.currency)
        .order_by(ledger.c.currency)
    )
    return {row.currency: Balance(row.hold, row.available) for row in rows}
