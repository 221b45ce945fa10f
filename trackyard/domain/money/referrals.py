"""Who brought an affiliate, and what it brings them (docs/spec/money.md#referral-shares)."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.base.money import ZERO


@dataclass(frozen=True, slots=True)
class Referral:
    """What a referrer gets of an affiliate's payouts. referrer_id: an affiliate, None = nobody gets anything · percent:
    of each payout, paid on top."""

    referrer_id: int | None
    percent: Decimal


NO_REFERRAL: Final = Referral(None, ZERO)
