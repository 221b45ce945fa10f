"""What a payment run pays, and which affiliates it proposes (docs/spec/money.md#payment-runs)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from trackyard.base.money import ZERO
from trackyard.domain.money.units import in_units

PAYEE_REST_MS: Final = 86_400_000
"""How long a run leaves an affiliate out that changed its payment systems."""


class ProposalReason(StrEnum):
    """Why a run does not propose an affiliate.

    debt: corrections or later changes took more than it earned. nothing_due: nothing is available. not_yet_due: its
    payment terms have not passed. below_unit: less than the currency can transfer. below_minimum: less than the least
    payment, and it has not asked to be paid. inactive: it is not active. suspected: Health has findings about its
    traffic. findings_unread: the findings cannot be read now. no_payee: no payment system of it pays the currency.
    payee_changed: its payment systems changed in the last 24 hours.
    """

    DEBT = "debt"
    NOTHING_DUE = "nothing_due"
    NOT_YET_DUE = "not_yet_due"
    BELOW_UNIT = "below_unit"
    BELOW_MINIMUM = "below_minimum"
    INACTIVE = "inactive"
    SUSPECTED = "suspected"
    FINDINGS_UNREAD = "findings_unread"
    NO_PAYEE = "no_payee"
    PAYEE_CHANGED = "payee_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DueAccount:
    """The money of an affiliate in one currency.

    available: below 0 it is a debt. due: the part that its payment terms let a run pay. hold: of conversions on hold.
    corrections: the part of `available` that staff entered.
    oldest_at: when the oldest entry was made that no payment pays, UTC milliseconds; None = there is none.
    """

    affiliate_id: int
    currency: str
    available: Decimal
    due: Decimal
    hold: Decimal = ZERO
    corrections: Decimal = ZERO
    oldest_at: int | None = None


@dataclass(frozen=True, slots=True)
class Payable:
    """What a run pays of an account.

    amount: in whole units; 0 = nothing. exactly: whether it is more than what is due, for a request.
    reasons: why it is nothing.
    """

    amount: Decimal
    exactly: bool = False
    reasons: tuple[ProposalReason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PayeeFacts:
    """What a run looks at of an affiliate besides its money.

    changed_at: when its payment systems changed last, UTC milliseconds; None = never.
    suspicions: findings of Health about its traffic; None = they cannot be read.
    """

    is_active: bool
    has_payee: bool
    changed_at: int | None
    suspicions: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedPayment:
    """A row of a proposal: an account, what a run pays of it, and why it is not proposed.

    rest: what is due and finer than the unit of the currency. terms: in days. requested: by an open request.
    system: the payment system that it goes to. account: without most of its characters.
    findings: about its traffic, in words.
    """

    account: DueAccount
    payable: Payable
    rest: Decimal
    terms: int
    min_payment: Decimal
    requested: Decimal | None
    system: str
    payee: str
    findings: tuple[str, ...]
    reasons: tuple[ProposalReason, ...]

    @property
    def is_proposed(self) -> bool:
        """Return whether it is ticked at first."""
        return not self.reasons


def payable_of(account: DueAccount, min_payment: Decimal, requested: Decimal | None = None) -> Payable:
    """Return the part of an account that a run pays.

    requested: the amount of an open request; it is paid below the least payment, too, and before its terms have passed.
    """
    due = max(account.due, ZERO)
    wanted = in_units(requested or ZERO, account.currency)
    is_asked = ZERO < wanted <= account.available
    amount = in_units(due, account.currency)
    if is_asked and amount < wanted:
        return Payable(wanted, exactly=True)
    if not amount or amount > account.available:
        return Payable(ZERO, reasons=(_why_nothing(account, due),))
    if amount < min_payment and not is_asked:
        return Payable(ZERO, reasons=(ProposalReason.BELOW_MINIMUM,))
    return Payable(amount)


def _why_nothing(account: DueAccount, due: Decimal) -> ProposalReason:
    if account.available < ZERO or in_units(due, account.currency) > account.available:
        return ProposalReason.DEBT
    if not account.available:
        return ProposalReason.NOTHING_DUE
    is_later = in_units(account.available, account.currency) > in_units(due, account.currency)
    return ProposalReason.NOT_YET_DUE if is_later else ProposalReason.BELOW_UNIT


def doubts_about(payee: PayeeFacts, now_ms: int) -> Sequence[ProposalReason]:
    """Return why an affiliate that can be paid is not proposed; people may pay it all the same."""
    changed = payee.changed_at is not None and now_ms - payee.changed_at < PAYEE_REST_MS
    found = {
        ProposalReason.INACTIVE: not payee.is_active,
        ProposalReason.SUSPECTED: bool(payee.suspicions),
        ProposalReason.FINDINGS_UNREAD: payee.suspicions is None,
        ProposalReason.NO_PAYEE: not payee.has_payee,
        ProposalReason.PAYEE_CHANGED: changed,
    }
    return [reason for reason, holds in found.items() if holds]
