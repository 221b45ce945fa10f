"""Ledger entries of conversions, for their affiliates and referrers (docs/spec/money.md#ledger)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from trackyard.base.money import ZERO, percent_of
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.conversions.statuses import Status

CHANGE: Final = "change"
RELABEL: Final = "relabel"
CONVERSION_KINDS: Final = ("conversion", CHANGE, RELABEL)
"""The kinds of entries of a conversion for its own affiliate."""
REFERRAL: Final = "referral"
REFERRAL_RELABEL: Final = "referral_relabel"
REFERRAL_KINDS: Final = (REFERRAL, REFERRAL_RELABEL)
"""The kinds of entries of a referrer. Their source is the conversion."""
PAYMENT: Final = "payment"
"""The kind of a payment's own entries."""
CORRECTION: Final = "correction"
"""The kind of an entry that staff wrote (domain/money/corrections.py)."""
ADVANCE: Final = "advance"
"""The kind of two entries that together are 0: the payment of that number pays one, the next payment the other."""
OPENING: Final = "opening"
"""The kind of the amount with which the books of an affiliate begin: it was earned on another platform."""
REFUND: Final = "refund"
"""The kind of an entry that takes back a part of a payout. Its source is the conversion."""
OTHER_KINDS: Final = (PAYMENT, CORRECTION, ADVANCE, OPENING)
"""The kinds of entries that come from no conversion. Their source is a number."""
_NEVER_HELD: Final = frozenset({*REFERRAL_KINDS, *OTHER_KINDS, REFUND})
"""The kinds of entries that are available at once."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One change of an affiliate's hold and available amount, in `currency`.

    kind, source_id, version: unique together. "conversion" is a new one, "change" a change of one, "relabel" the
    removal of its old currency; "referral" and "referral_relabel" are the same of a referrer's share; "payment" is a
    payment, "correction" an amount that staff entered, "advance" what a payment pays ahead of later entries, "opening"
    what was earned before, "refund" what a refund takes back.
    at: UTC milliseconds.
    """

    affiliate_id: int
    kind: str
    source_id: str
    version: int
    currency: str
    hold: Decimal
    available: Decimal
    at: int


@dataclass(frozen=True, slots=True)
class Balance:
    """The money of one affiliate in one currency; its balance is hold + available."""

    affiliate_id: int
    currency: str
    hold: Decimal
    available: Decimal


class LedgerFault(ValueError):
    """Entries break a rule of the ledger. The program is at fault."""


def check_entries(entries: Sequence[LedgerEntry]) -> None:
    """Raise LedgerFault for entries that break a rule of the ledger (docs/spec/money.md#ledger).

    entries: all entries of an event, or of several. Their columns refuse amounts with more than four places.
    """
    ahead: dict[tuple[int, str, str], Decimal] = {}
    removed: list[LedgerEntry] = []
    for entry in entries:
        kind = entry.kind
        if kind in CONVERSION_KINDS:
            if kind == RELABEL:
                removed.append(entry)
        elif kind not in _NEVER_HELD:
            raise _fault(entry, "its kind does not exist")
        elif entry.hold:
            raise _fault(entry, "only conversions are on hold")
        elif kind == ADVANCE:
            key = (entry.affiliate_id, entry.source_id, entry.currency)
            ahead[key] = ahead.get(key, ZERO) + entry.available
    for (affiliate_id, source_id, currency), total in ahead.items():
        if total:
            subject = f"advance {source_id} of affiliate {affiliate_id}"
            raise LedgerFault(f"the ledger refuses {subject}: its entries must be 0 together, not {total} {currency}")
    if removed:
        _check_removals(removed, entries)


def _check_removals(removed: Iterable[LedgerEntry], entries: Iterable[LedgerEntry]) -> None:
    """Raise LedgerFault where an amount leaves a currency and does not come back in another one."""
    changed = {(each.source_id, each.version): each for each in entries if each.kind == CHANGE}
    for entry in removed:
        change = changed.get((entry.source_id, entry.version))
        if change is None:
            raise _fault(entry, "no entry has the amount in the new currency")
        if change.currency == entry.currency or change.affiliate_id != entry.affiliate_id:
            raise _fault(entry, "the new amount must be of the same affiliate in another currency")


def _fault(entry: LedgerEntry, reason: str) -> LedgerFault:
    subject = f"{entry.kind} {entry.source_id} version {entry.version} of affiliate {entry.affiliate_id}"
    return LedgerFault(f"the ledger refuses {subject}: {reason}")


def ledger_entries_of(change: ConversionChange) -> list[LedgerEntry]:
    """Return the entries of a change: one, or two when its currency changes, and the referrer's.

    Over the life of a conversion their sum is its payout, on hold or available by its status, and the share of it.
    """
    return [*_own_entries(change), *_referral_entries(change)]


def _own_entries(change: ConversionChange) -> list[LedgerEntry]:
    before, after = change.before, change.after
    if before is None:
        return [_entry("conversion", after, *balance_effect(after.status, after.payout))]
    hold_before, available_before = balance_effect(before.status, before.payout)
    hold, available = balance_effect(after.status, after.payout)
    if before.currency == after.currency:
        return [_entry(CHANGE, after, hold - hold_before, available - available_before)]
    taken = _entry(RELABEL, replace(after, currency=before.currency), -hold_before, -available_before)
    return [taken, _entry(CHANGE, after, hold, available)]


def _referral_entries(change: ConversionChange) -> list[LedgerEntry]:
    """Return the entries of the referrer, without empty ones."""
    before, after = change.before, change.after
    if after.referrer_id is None:
        return []
    old_share = ZERO if before is None else referral_share(before.status, before.payout, before.referral_percent)
    new_share = referral_share(after.status, after.payout, after.referral_percent)
    if before is None or before.currency == after.currency:
        return (
            [_referral_entry(REFERRAL, after, after.referrer_id, new_share - old_share)]
            if new_share != old_share
            else []
        )
    taken = replace(after, currency=before.currency)
    moved = [
        _referral_entry(REFERRAL_RELABEL, taken, after.referrer_id, -old_share),
        _referral_entry(REFERRAL, after, after.referrer_id, new_share),
    ]
    return [entry for entry in moved if entry.available]


def balance_effect(status: Status, payout: Decimal) -> tuple[Decimal, Decimal]:
    """Return the amounts that a conversion adds to its affiliate's balance: (hold, available)."""
    if status is Status.HOLD:
        return payout, ZERO
    if status is Status.CONFIRMED:
        return ZERO, payout
    return ZERO, ZERO


def referral_share(status: Status, payout: Decimal, percent: Decimal) -> Decimal:
    """Return the referrer's share of a payout, which is available once the conversion is confirmed.

    It is never on hold.
    """
    return percent_of(payout, percent) if status is Status.CONFIRMED else ZERO


def _referral_entry(kind: str, conversion: Conversion, referrer_id: int, available: Decimal) -> LedgerEntry:
    return replace(_entry(kind, conversion, ZERO, available), affiliate_id=referrer_id)


def _entry(kind: str, conversion: Conversion, hold: Decimal, available: Decimal) -> LedgerEntry:
    return LedgerEntry(
        affiliate_id=conversion.affiliate_id,
        kind=kind,
        source_id=conversion.id,
        version=conversion.version,
        currency=conversion.currency,
        hold=hold,
        available=available,
        at=conversion.updated_at,
    )
