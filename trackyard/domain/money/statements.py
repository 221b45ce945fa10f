"""Statements: what changed an affiliate's balance in a period (docs/spec/money.md#statements)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from zoneinfo import ZoneInfo

from trackyard.base.money import ZERO
from trackyard.base.zones import day_end_ms, day_start_ms
from trackyard.domain.money.ledger import Balance


class StatementGroup(StrEnum):
    """What the conversions of a statement are added up by."""

    DAY = "day"
    OFFER = "offer"


@dataclass(frozen=True, slots=True)
class StatementDays:
    """The first and the last day of a statement, in a zone."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def since(self) -> int:
        """Return the beginning of the first day, UTC milliseconds."""
        return day_start_ms(self.first, self.zone)

    @property
    def until(self) -> int:
        """Return the end of the last day, UTC milliseconds."""
        return day_end_ms(self.last, self.zone)


class LineKind(StrEnum):
    """The kind of a line of a statement."""

    CONVERSIONS = "conversions"
    REFERRAL = "referral"
    CORRECTION = "correction"
    PAYMENT = "payment"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementLine:
    """One line of a statement.

    day: the first moment of the day in UTC milliseconds; of corrections and payments their own moment; None by offer.
    offer_id: of conversions by offer.
    source_id: the number of the correction or payment.
    text: the title of the offer, or the comment of the correction.
    is_cancelled: whether the line gives a cancelled payment back.
    """

    kind: LineKind
    amount: Decimal
    at: int | None = None
    offer_id: int | None = None
    source_id: int | None = None
    text: str = ""
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What changed the balance of an affiliate in one currency.

    opening, closing: the balances before and after the period; closing is opening and all lines together.
    """

    opening: Balance
    closing: Balance
    lines: Sequence[StatementLine]

    def total(self, kind: LineKind) -> Decimal:
        """Return the sum of the lines of a kind."""
        return sum((line.amount for line in self.lines if line.kind is kind), ZERO)
