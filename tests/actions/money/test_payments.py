"""What each act of payments adds to the ledger, and what it refuses."""

from typing import Any

import pytest

from tests.actions.money.desk import (
    ABSENT,
    MoneyDesk,
    Row,
    by_name,
    earned,
    moved,
    open_desk,
    paying,
)
from tests.support.api import Api
from trackyard.actions.money import (
    affiliate_payments,
    payment_proposals,
)
from trackyard.base.money import plain_amount
from trackyard.domain.money.affiliate_payments import PaymentFilter, PaymentStatus

PAID, CANCELLED = PaymentStatus.PAID, PaymentStatus.CANCELLED


def texts(**values: str) -> Any:
    return lambda desk: affiliate_payments.edit_payment(desk.deps, desk.staff, desk.payment, texts=values)


def of_payment(desk: MoneyDesk) -> list[str]:
    """What the newest payment pays, in words."""
    entries = affiliate_payments.each_entry(desk.deps, desk.payment)
    return sorted(f"{each.kind} {plain_amount(each.amount)}" for each in entries)


PAYMENTS = (
    Row(
        "what is available is due",
        lambda desk: [
            plain_amount(each.amount) for each in payment_proposals.list_due(desk.deps, desk.staff, (desk.pid,))
        ],
        (earned("30"),),
        returns=["30"],
    ),
    Row(
        "less than a cent is not due",
        lambda desk: payment_proposals.list_due(desk.deps, desk.staff, (desk.pid,)),
        (earned("0.0099"),),
        returns=[],
    ),
    Row("pay all", paying, (earned("30"), earned("7")), ("payment -37 USD",), ("created 37",)),
    Row(
        "pay whole cents, and leave the rest",
        paying,
        (earned("30.5051"),),
        ("advance -0.0051 USD", "advance 0.0051 USD", "payment -30.5 USD"),
        ("created 30.5",),
    ),
    Row(
        "pay the rest of the last payment",
        paying,
        (earned("30.0051"), paying, earned("0.0049")),
        ("payment -0.01 USD",),
        ("created 30", "created 0.01"),
    ),
    Row(
        "pay each currency on its own",
        paying,
        (earned("30"), earned("7", "EUR")),
        ("payment -30 USD", "payment -7 EUR"),
        ("created 7", "created 30"),
    ),
    Row("pay without money", lambda desk: [each.reason for each in paying(desk)[1]], returns=["nothing is available"]),
    Row(
        "pay nobody",
        lambda desk: affiliate_payments.add_payments(
            desk.deps, desk.staff, affiliate_payments.PaymentRun(affiliate_ids=(ABSENT,))
        ),
        error=f"BadInput pid: An affiliate {ABSENT} does not exist.",
    ),
    Row(
        "what a payment pays",
        of_payment,
        (earned("30"), earned("7.001"), paying),
        payments=("created 37",),
        returns=["advance -0.001", "conversion 30", "conversion 7.001"],
    ),
    Row("mark as paid", moved(PAID), (earned("30"), paying), payments=("paid 30",)),
    Row("cancel", moved(CANCELLED), (earned("30"), paying), ("payment 30 USD",), ("cancelled 30",)),
    Row(
        "pay what was cancelled",
        paying,
        (earned("30"), paying, moved(CANCELLED)),
        ("payment -30 USD",),
        ("cancelled 30", "created 30"),
    ),
    Row(
        "cancel after paying",
        moved(CANCELLED),
        (earned("30"), paying, moved(PAID)),
        (),
        ("paid 30",),
        "Conflict status: The payment is paid.",
    ),
    Row(
        "pay after cancelling",
        moved(PAID),
        (earned("30"), paying, moved(CANCELLED)),
        (),
        ("cancelled 30",),
        "Conflict status: The payment is cancelled.",
    ),
    Row("another account of a payment", texts(account="DE02"), (earned("30"), paying), payments=("created 30",)),
    Row(
        "another account after paying",
        texts(account="DE02"),
        (earned("30"), paying, moved(PAID)),
        (),
        ("paid 30",),
        "Conflict payment_account: The payment is paid.",
    ),
    Row(
        "a payment that does not exist",
        lambda desk: affiliate_payments.get_payment(desk.deps, desk.staff, ABSENT),
        error="NotFound",
    ),
    Row(
        "a payment of one's own",
        lambda desk: affiliate_payments.get_payment(desk.deps, desk.own, desk.payment).id == desk.payment,
        (earned("30"), paying),
        payments=("created 30",),
        returns=True,
    ),
    Row(
        "a page of entries",
        lambda desk: affiliate_payments.list_entries(desk.deps, desk.payment, page=2, limit=1)[1],
        (earned("30"), earned("7"), paying),
        payments=("created 37",),
        returns=2,
    ),
    Row(
        "a page of payments",
        lambda desk: affiliate_payments.list_payments(desk.deps, desk.own, PaymentFilter(), page=1, limit=9)[1],
        (earned("30"), paying),
        payments=("created 30",),
        returns=1,
    ),
)
ROWS = by_name(*PAYMENTS)


@pytest.mark.parametrize("name", ROWS)
def test_act_of_a_payment_does_what_its_row_says(shared_api: Api, name: str) -> None:
    ROWS[name].check(open_desk(shared_api))
