"""Results of payments, as a bank reports them in a file (docs/spec/money.md#files-of-payments)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from trackyard.base.money import plain_amount
from trackyard.domain.money.affiliate_payments import PAYMENT_TRANSITIONS, AffiliatePayment, PaymentStatus


class ResultStatus(StrEnum):
    """What became of a payment: the money arrived, or it did not."""

    PAID = "paid"
    FAILED = "failed"


class ResultEffect(StrEnum):
    """What a line does. none: the payment is in that state already."""

    PAYS = "pays"
    CANCELS = "cancels"
    NONE = "none"
    REFUSED = "refused"


RESULT_STATUSES: Final[Mapping[ResultStatus, PaymentStatus]] = {
    ResultStatus.PAID: PaymentStatus.PAID,
    ResultStatus.FAILED: PaymentStatus.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLine:
    """A line of a file. line: its number in the file. amount: None = not stated. reason: why it failed."""

    line: int
    payment_id: int
    status: ResultStatus
    amount: Decimal | None = None
    currency: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CheckedResult:
    """A line with its effect. payment: None = there is none. fault: why it is refused, "" = it is not."""

    line: ResultLine
    payment: AffiliatePayment | None
    effect: ResultEffect
    fault: str = ""


def check_results(lines: Sequence[ResultLine], payments: Mapping[int, AffiliatePayment]) -> list[CheckedResult]:
    """Return the effect of each line. payments: in scope, by number.

    One refused line stops its file. A line about a payment in that state already does nothing, so that the same file
    changes nothing the second time.
    """
    first: dict[int, int] = {}
    checked = []
    for line in lines:
        payment = payments.get(line.payment_id)
        fault = _fault(line, payment)
        if line.payment_id in first and not fault:
            fault = f"Line {first[line.payment_id]} has the same payment."
        first.setdefault(line.payment_id, line.line)
        checked.append(CheckedResult(line, payment, _effect(line, payment, fault), fault))
    return checked


def _fault(line: ResultLine, payment: AffiliatePayment | None) -> str:
    if payment is None:
        return f"A payment {line.payment_id} does not exist."
    if line.currency and line.currency != payment.currency:
        return f"The payment is in {payment.currency}, not {line.currency}."
    if line.amount is not None and line.amount != payment.amount:
        return f"The payment is of {plain_amount(payment.amount)}, not {plain_amount(line.amount)}."
    wanted = RESULT_STATUSES[line.status]
    if payment.status is wanted or wanted in PAYMENT_TRANSITIONS[payment.status]:
        return ""
    return f"The payment is {payment.status.value.replace('_', ' ')}."


def _effect(line: ResultLine, payment: AffiliatePayment | None, fault: str) -> ResultEffect:
    if fault or payment is None:
        return ResultEffect.REFUSED
    if payment.status is RESULT_STATUSES[line.status]:
        return ResultEffect.NONE
    return ResultEffect.PAYS if line.status is ResultStatus.PAID else ResultEffect.CANCELS
