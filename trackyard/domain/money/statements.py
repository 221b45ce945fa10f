"""Statements: what changed an affiliate's balance in a period (docs/spec/money.md#statements)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final
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
    """The kind of a line of a statement, in the order of a day.

    CONVERSIONS, REVERSALS: what entries of conversions added to the balance, and what they took from it.
    REFERRAL, REFERRAL_REVERSALS: the same of shares of referred affiliates.
    EARLIER: what was earned on another platform, with which the books of the affiliate begin.
    """

    EARLIER = "earlier"
    CONVERSIONS = "conversions"
    REVERSALS = "reversals"
    REFERRAL = "referral"
    REFERRAL_REVERSALS = "referral_reversals"
    CORRECTION = "correction"
    PAYMENT = "payment"


CONVERSION_LINES: Final = (LineKind.CONVERSIONS, LineKind.REVERSALS)
"""The kinds of lines that add up entries of the affiliate's own conversions: above 0, and below."""
REFERRAL_LINES: Final = (LineKind.REFERRAL, LineKind.REFERRAL_REVERSALS)
"""The kinds of lines that add up entries of a referrer: above 0, and below."""
SUMMED_LINES: Final = (*CONVERSION_LINES, *REFERRAL_LINES)


@dataclass(frozen=True, slots=True)
class BookedIn:
    """Selects the conversions of which entries are in lines of statements.

    lines: of SUMMED_LINES. since, until: the moments of the entries in UTC milliseconds, `until` exclusive.
    currencies: in which entries are. affiliates: that own entries of conversions; referrers: entries of shares.
    None = all.
    """

    lines: frozenset[LineKind]
    since: int
    until: int
    currencies: frozenset[str] | None = None
    affiliates: frozenset[int] | None = None
    referrers: frozenset[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementLine:
    """One line of a statement.

    at: the first moment of the day in UTC milliseconds; of lines of one entry its own moment; None by offer.
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
    lines: in the order of time, lines without a time first.
    """

    opening: Balance
    closing: Balance
    lines: Sequence[StatementLine]

    def total(self, kind: LineKind) -> Decimal:
        """Return the sum of the lines of a kind."""
        return sum((line.amount for line in self.lines if line.kind is kind), ZERO)
