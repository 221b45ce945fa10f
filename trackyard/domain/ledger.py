"""What a conversion is worth to its affiliate's balance (behaviour.md §8)."""

from dataclasses import dataclass, replace
from decimal import Decimal

from trackyard.base.money import ZERO
from trackyard.domain.conversions import Change, Conversion
from trackyard.domain.statuses import Status


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact in an affiliate's ledger: by how much hold and available change, in `currency`.

    kind: "conversion" (a new one), "change", "relabel" (what a change of currency takes away of the old one) ·
    (kind, source_id, version) is unique · at: UTC ms.
    """

    affiliate_id: int
    kind: str
    source_id: str
    version: int
    currency: str
    hold: Decimal
    available: Decimal
    at: int


def entries_of(change: Change) -> list[Entry]:
    """The entries of a change: one, or two when its currency changes. The sum over a conversion's life is its payout,
    on hold or available by its status."""
    before, after = change.before, change.after
    if before is None:
        return [_entry("conversion", after, *worth(after))]
    hold_before, available_before = worth(before)
    hold, available = worth(after)
    if before.currency == after.currency:
        return [_entry("change", after, hold - hold_before, available - available_before)]
    taken = _entry("relabel", replace(after, currency=before.currency), -hold_before, -available_before)
    return [taken, _entry("change", after, hold, available)]


def worth(conversion: Conversion) -> tuple[Decimal, Decimal]:
    """What a conversion adds to its affiliate's balance: (hold, available), in its currency."""
    return worth_of(conversion.status, conversion.payout)


def worth_of(status: Status, payout: Decimal) -> tuple[Decimal, Decimal]:
    """What a conversion of this status with this payout adds: (hold, available)."""
    if status is Status.HOLD:
        return payout, ZERO
    if status is Status.CONFIRMED:
        return ZERO, payout
    return ZERO, ZERO


def _entry(kind: str, conversion: Conversion, hold: Decimal, available: Decimal) -> Entry:
    return Entry(
        affiliate_id=conversion.affiliate_id,
        kind=kind,
        source_id=conversion.id,
        version=conversion.version,
        currency=conversion.currency,
        hold=hold,
        available=available,
        at=conversion.updated_at,
    )
