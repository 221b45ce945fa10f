"""Use cases of results of payments, as a bank reports them (docs/spec/money.md#files-of-payments)."""

from collections.abc import Sequence
from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.money.affiliate_payments import change_payment
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.domain.money.affiliate_payments import AffiliatePayment
from trackyard.domain.money.held_changes import HeldChange
from trackyard.domain.money.payment_results import (
    RESULT_STATUSES,
    CheckedResult,
    ResultEffect,
    ResultLine,
    check_results,
)
from trackyard.domain.people.callers import Access
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments


@dataclass(frozen=True, slots=True)
class AppliedResults:
    """The lines of a file with their effects. held: payments that wait for a second person to be paid."""

    lines: Sequence[CheckedResult]
    held: Sequence[HeldChange] = ()


def preview_results(deps: Deps, access: Access, lines: Sequence[ResultLine]) -> AppliedResults:
    """Return the effect of each line, and change nothing."""
    with deps.database.read() as conn:
        return AppliedResults(check_results(lines, _payments(conn, access, lines)))


def apply_results(deps: Deps, access: Access, lines: Sequence[ResultLine]) -> AppliedResults:
    """Mark payments as paid, and cancel the ones that failed, all in one transaction.

    Raises BadInput with the numbers of the lines that are refused; nothing is changed then.
    """
    held = []
    with deps.database.write() as conn:
        checked = check_results(lines, _payments(conn, access, lines, lock=True))
        faults = [f"Line {each.line.line}: {each.fault}" for each in checked if each.fault]
        if faults:
            raise BadInput({"results": faults})
        for each in checked:
            if each.payment is None or each.effect is ResultEffect.NONE:
                continue
            edited = change_payment(
                deps,
                conn,
                access,
                each.payment.id,
                status=RESULT_STATUSES[each.line.status],
                texts={"note": _note(each)},
                seen_amount=each.payment.amount,
            )
            if edited.held is not None:
                held.append(edited.held)
    return AppliedResults(checked, held)


def _note(result: CheckedResult) -> str | None:
    """Return the note of a payment with the reason of its failure; None keeps it."""
    if result.effect is not ResultEffect.CANCELS or result.payment is None:
        return None
    failed = f"Failed: {result.line.reason}" if result.line.reason else "Failed"
    return f"{result.payment.note}\n{failed}".strip()


def _payments(
    conn: Connection, access: Access, lines: Sequence[ResultLine], *, lock: bool = False
) -> dict[int, AffiliatePayment]:
    """Return the payments of the lines by number. lock: in the order of their numbers, until the end."""
    scope = scope_of(conn, access)
    numbers = sorted({each.payment_id for each in lines})
    found = (payments.find_payment(conn, scope, number, lock=lock) for number in numbers)
    return {each.id: each for each in found if each is not None}
