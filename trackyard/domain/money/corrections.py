"""Corrections of what affiliates earned (docs/spec/money.md#corrections)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import CORRECTION, LedgerEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """An amount that staff add to an affiliate's available balance, or take from it.

    id: 0 = not stored yet.
    amount: not 0, in `currency`.
    comment: the affiliate sees it.
    created_by: a staff user.
    created_at: UTC milliseconds.
    payment_id: the payment that it changes; None = what is available.
    removed_at: since when it is undone; None = it counts. UTC milliseconds.
    """

    id: int = 0
    affiliate_id: int
    currency: str
    amount: Decimal
    comment: str
    created_by: str
    created_at: int
    payment_id: int | None = None
    removed_at: int | None = None

    def entry(self, number: int) -> LedgerEntry:
        """Return its entry in the ledger. number: its stored id."""
        of = (self.affiliate_id, CORRECTION, str(number), 1)
        return LedgerEntry(*of, self.currency, ZERO, self.amount, self.created_at)

    def removal(self, now_ms: int) -> LedgerEntry:
        """Return the entry of the ledger that undoes it."""
        of = (self.affiliate_id, CORRECTION, str(self.id), 2)
        return LedgerEntry(*of, self.currency, ZERO, -self.amount, now_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionFilter:
    """The corrections of a list; empty or None is any.

    since, until (exclusive): UTC milliseconds.
    """

    affiliate_ids: Sequence[int] = ()
    currencies: Sequence[str] = ()
    since: int | None = None
    until: int | None = None
