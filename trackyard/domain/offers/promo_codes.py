"""Promo codes, which visitors name to an advertiser (docs/spec/conversions.md#promo-codes)."""

from dataclasses import dataclass
from typing import Final

PROMO_CODE_PATTERN: Final = r"[a-zA-Z0-9\-_.{}+=/:~]{3,36}"
"""The form of a promo code."""
MOST_PROMO_CODES: Final = 500
"""Promo codes that one request makes."""
MANUAL: Final = "manual"
"""The type of a promo code that staff wrote; there is no other so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoCode:
    """A promo code of an affiliate for an offer.

    folded: the code without letter case, which no other has.
    usage_limit: conversions that it makes at most; None = any number.
    date_from, date_to: when it counts, UTC milliseconds, both included; so are the others.
    """

    id: str
    code: str
    folded: str
    description: str
    offer_id: int
    affiliate_id: int
    usage_limit: int | None
    date_from: int
    date_to: int
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class UsedPromoCode:
    """A promo code with the conversions that it made."""

    promo_code: PromoCode
    usage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoCodeFilter:
    """The promo codes of a list; empty = any.

    search: a part of the code. code: the whole code. Both in any letter case.
    """

    offer_ids: tuple[int, ...] = ()
    affiliate_ids: tuple[int, ...] = ()
    search: str = ""
    code: str = ""


@dataclass(slots=True)
class PromoCodeTerms:
    """A promo code as a decision sees it.

    advertiser_id: the offer's advertiser. usage: number of its conversions, including earlier decisions of a batch.
    """

    promo_code: PromoCode
    advertiser_id: str
    usage: int = 0

    def is_valid_at(self, at_ms: int) -> bool:
        """Return whether the code counts at a time (UTC ms)."""
        return self.promo_code.date_from <= at_ms <= self.promo_code.date_to

    @property
    def is_used_up(self) -> bool:
        """Return whether it has made as many conversions as it may."""
        return self.promo_code.usage_limit is not None and self.usage >= self.promo_code.usage_limit


def folded_code(code: str) -> str:
    """Return a code without letter case, as codes are compared."""
    return code.lower()
